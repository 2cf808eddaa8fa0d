"""Classes of mentor-models, and what is learned of them from the steps on which the mentor acted.

``w(π|h) ∝ w(π) · Π π(a|h)`` over the steps on which the mentor acted, and only those (Cohen and Hutter 2020).
"""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from multislot.bayes.arrays import Floats
from multislot.bayes.checks import check_has
from multislot.bayes.mentor import MentorModel, probabilities_of
from multislot.bayes.models import Percept, begun, check_action, following
from multislot.bayes.posterior import UnexplainedError, checked_prior, normalised
from multislot.errors import SettingError


class MentorClass:
    """A finite class of mentor-models with a prior.

    Args:
        mentors: at least one.
        prior: [J], positive and summing to 1; the same for each where left out.

    Raises:
        SettingError: if the mentors have different numbers of actions, or the prior is not a distribution.
    """

    def __init__(self, mentors: Iterable[MentorModel], prior: ArrayLike | None = None) -> None:
        if not isinstance(mentors, Iterable):
            raise SettingError(f"got the mentors {mentors!r}, expected a list of them")
        self.mentors = tuple(mentors)
        for index, mentor in enumerate(self.mentors):
            check_has(f"mentor {index}", mentor, "n_actions", "begin", "probabilities", "choose", "after")
        self.prior = checked_prior(prior, len(self.mentors), "mentors")
        counts = {mentor.n_actions for mentor in self.mentors}
        if len(counts) > 1:
            raise SettingError(f"the mentors have different numbers of actions: {sorted(counts)}")
        self.n_actions = counts.pop()

    def __len__(self) -> int:
        return len(self.mentors)

    def __deepcopy__(self, memo: dict[int, object]) -> "MentorClass":
        return self

    def posterior(self) -> "MentorPosterior":
        """Returns the posterior before anything happened."""
        return MentorPosterior(self)


class MentorPosterior:
    """The posterior over a mentor class; it grows with `observe`.

    Args:
        mentors: the class.

    Attributes:
        log_weights: [J], up to a constant; −∞ for mentor-models that are refuted.
        summaries: what each mentor-model needs to know of the history.
    """

    def __init__(self, mentors: MentorClass) -> None:
        self.mentors = mentors
        self.log_weights: Floats = np.log(mentors.prior)
        self.steps = 0
        self._weights: Floats | None = None
        self.begin()

    def begin(self, first: int | None = None) -> None:
        """Lets every mentor-model return to its beginning, where an episode begins; weights stay.

        Args:
            first: what is observed there; None where nothing is (λ).
        """
        self.summaries: list[Hashable] = [begun(mentor, first) for mentor in self.mentors.mentors]

    def observe(self, action: int, percept: Percept, by_mentor: bool) -> None:
        """Learns one step, or nothing where it raises; an action tells of the mentor only if the mentor took it.

        Raises:
            SettingError: if there is no such action.
            UnexplainedError: if the mentor took an action to which every model that is left gives probability 0.
        """
        action = check_action(action, self.mentors.n_actions)
        log_weights = self._reweighed(action) if by_mentor else self.log_weights
        pairs = zip(self.mentors.mentors, self.summaries, strict=True)
        self.summaries = [following(mentor, summary, action, percept) for mentor, summary in pairs]
        self.log_weights, self._weights = log_weights, None
        self.steps += 1

    def observe_last(self, action: int | None, by_mentor: bool) -> None:
        """Learns an episode's last step, what followed it being unknown, and maybe what was done; `begin` comes next.

        Raises:
            SettingError: if there is no such action.
            UnexplainedError: if the mentor took an action to which every model that is left gives probability 0.
        """
        if action is not None and by_mentor:
            known = check_action(action, self.mentors.n_actions)
            self.log_weights, self._weights = self._reweighed(known), None
        self.steps += 1

    def _reweighed(self, action: int) -> Floats:
        """[J], the log weights after the mentor took an action."""
        chances = [
            probabilities_of(self.mentors.mentors[j], summary)[action] for j, summary in enumerate(self.summaries)
        ]
        with np.errstate(divide="ignore"):
            log_weights: Floats = self.log_weights + np.log(chances)
        if log_weights.max() == -np.inf:
            raise UnexplainedError(self.steps + 1, action, None)
        relative: Floats = log_weights - log_weights.max()
        return relative

    @property
    def weights(self) -> Floats:
        """[J], the posterior."""
        if self._weights is None:
            self._weights = normalised(self.log_weights)
        return self._weights

    def copy(self) -> "MentorPosterior":
        """Returns a posterior that has learned the same and learns apart."""
        copied = MentorPosterior.__new__(MentorPosterior)
        copied.__dict__.update(self.__dict__)
        copied.summaries = list(self.summaries)
        return copied
