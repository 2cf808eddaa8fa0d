"""Classes of mentor-models, and what is learned of them from the steps on which the mentor acted.

``w(π|h) ∝ w(π) · Π π(a|h)`` over the steps on which the mentor acted, and only those (Cohen and Hutter 2020).
"""

from collections.abc import Iterable

from numpy.typing import ArrayLike

from multislot.bayes.mentor import MentorModel, probabilities_of
from multislot.bayes.models import PerceptKey, begun, following
from multislot.bayes.posterior import UnexplainedError, common_action_count
from multislot.bayes.weights import LogWeights, Weighed, checked_prior
from multislot.checks import checked_index, checked_parts, refusal


class MentorClass:
    """A finite class of mentor-models with a prior.

    Args:
        mentors: at least one.
        prior: [J], positive and summing to 1; the same for each where left out.
    """

    def __init__(self, mentors: Iterable[MentorModel], prior: ArrayLike | None = None) -> None:
        if not isinstance(mentors, Iterable):
            raise refusal("mentors", mentors, "a list of mentor-models")
        self.mentors = tuple(mentors)
        for index, mentor in enumerate(self.mentors):
            checked_parts(f"mentors[{index}]", mentor, "n_actions", "begin", "probabilities", "choose", "after")
        self.prior = checked_prior(prior, len(self.mentors), "mentors")
        self.n_actions = common_action_count("mentors", self.mentors)

    def __len__(self) -> int:
        return len(self.mentors)

    def __deepcopy__(self, memo: dict[int, object]) -> "MentorClass":
        return self

    def posterior(self) -> "MentorPosterior":
        """Return the posterior before anything happened."""
        return MentorPosterior(self)


class MentorPosterior(Weighed):
    """The posterior over a mentor class; it grows with `observe`."""

    def __init__(self, mentors: MentorClass) -> None:
        self.mentors = mentors
        self.steps = 0
        self._weights = LogWeights.of(mentors.prior)
        self.begin()

    def begin(self, first: int | None = None) -> None:
        """Let every mentor-model return to its beginning, where an episode begins; weights stay.

        Args:
            first: what is observed there; None where nothing is (λ).
        """
        self.summaries = [begun(mentor, first) for mentor in self.mentors.mentors]

    def observe(self, action: int, percept: PerceptKey, by_mentor: bool) -> None:
        """Learn one step, or nothing where it raises; an action tells of the mentor only if the mentor took it.

        Raises:
            UnexplainedError: the mentor took an action to which every model that is left gives probability 0.
        """
        action = checked_index("action", action, self.mentors.n_actions)
        weights = self._updated(action) if by_mentor else self._weights
        pairs = zip(self.mentors.mentors, self.summaries, strict=True)
        self.summaries = [following(mentor, summary, action, percept) for mentor, summary in pairs]
        self._weights, self.steps = weights, self.steps + 1

    def observe_last(self, action: int | None, by_mentor: bool) -> None:
        """Learn an episode's last step: its observation is unknown, perhaps its action, too; `begin` comes next."""
        if action is not None and by_mentor:
            self._weights = self._updated(checked_index("action", action, self.mentors.n_actions))
        self.steps += 1

    def _updated(self, action: int) -> LogWeights:
        """Return the weights after the mentor took an action."""
        pairs = zip(self.mentors.mentors, self.summaries, strict=True)
        weights = self._weights.updated([probabilities_of(mentor, summary)[action] for mentor, summary in pairs])
        if weights is None:
            raise UnexplainedError(self.steps + 1, action, None)
        return weights
