"""Finite classes of world-models and of mentor-models, and what has been learned about them.

``w(ν|h) ∝ w(ν) · Π ν(o, r | h, a)`` over every step, and ``w(π|h) ∝ w(π) · Π π(a|h)`` over the steps on which the
mentor acted, and only those (Cohen and Hutter 2020). Weights are kept as logarithms, so that they never underflow. For
a class of tabular models an update is one row of a sparse table that holds all models side by side.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from multislot.bayes.memory import SETTINGS, Memory
from multislot.bayes.mentor import MentorModel, read_probabilities
from multislot.bayes.models import (
    ROUNDING,
    History,
    PerceptKey,
    Seen,
    WorldModel,
    as_floats,
    as_percept,
    as_reward,
    begin_member,
    law_of,
    make_percept,
)
from multislot.bayes.tabular import ModelStack, stack_models
from multislot.bayes.top_sets import top_set
from multislot.checks import checked_index, checked_parts, refusal, wrong_type
from multislot.errors import MultislotError
from multislot.mdp.chains import Floats

__all__ = ["UnexplainedError"]


class UnexplainedError(MultislotError, ValueError):
    """Every model of a class gives what was seen probability 0; the message names the step."""


class FiniteClass:
    """Base of both classes: members with the same number of actions, and a prior. A deep copy is the class itself."""

    kind: ClassVar[str]
    parts: ClassVar[tuple[str, ...]]

    def __init__(self, members: Any, prior: ArrayLike | None) -> None:
        if not isinstance(members, Iterable):
            raise refusal(f"{self.kind}s", members, f"a list of {self.kind}s")
        self.members: tuple[Any, ...] = tuple(
            checked_parts(f"{self.kind}s[{index}]", member, *self.parts) for index, member in enumerate(members)
        )
        if not self.members:
            raise refusal(f"{self.kind}s", (), "at least one")
        counts = {member.n_actions for member in self.members}
        if len(counts) > 1:
            raise refusal(f"{self.kind}s with n_actions", sorted(counts), "the same number of actions in each")
        self.n_actions: int = self.members[0].n_actions
        count = len(self.members)
        self.prior: Floats = np.full(count, 1 / count) if prior is None else as_floats("prior", prior)
        if self.prior.shape != (count,):
            raise refusal("prior.shape", self.prior.shape, f"{(count,)}, one number for each of the {self.kind}s")
        if not (self.prior > 0).all():
            index = int(np.argmin(self.prior > 0))
            raise refusal(f"prior[{index}]", float(self.prior[index]), "more than 0", "leave out what is impossible")
        if not abs(self.prior.sum() - 1) <= ROUNDING:
            raise refusal("prior", self.prior.tolist(), "numbers that sum to 1")

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} {self.kind}{'s' * (len(self) > 1)}, {self.n_actions} actions)"

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


class ModelClass(FiniteClass):
    """A finite class of world-models with a prior.

    Args:
        models: at least one; all with the same number of actions. Tabular models of one size are computed with side by
            side.
        prior: [K], positive and summing to 1; uniform by default.
        names: [K], for people; ``model 0, model 1, …`` by default.

    Attributes:
        plans: what agents with the same settings planned; all agents on the class share it.
    """

    kind, parts = "model", ("n_actions", "begin", "law", "after")

    def __init__(
        self, models: Iterable[WorldModel], prior: ArrayLike | None = None, names: Sequence[str] | None = None
    ) -> None:
        super().__init__(models, prior)
        self.models: tuple[WorldModel, ...] = self.members
        self.names = tuple(names) if names is not None else tuple(f"model {i}" for i in range(len(self.models)))
        if len(self.names) != len(self.models):
            raise refusal("names", self.names, f"{len(self.models)}, one for each model")
        self.plans: Memory[Any] = Memory(SETTINGS)

    def posterior(self, history: History = ()) -> "Posterior":
        """Return the posterior after a history.

        Raises:
            UnexplainedError: at the first step to which every model gives probability 0.
        """
        posterior = Posterior(self)
        for turn in history:
            if not (isinstance(turn, tuple | list) and len(turn) == 2):
                raise wrong_type("history", history, "a tuple of turns (action, percept)")
            posterior.observe(*turn)
        return posterior

    @cached_property
    def stack(self) -> ModelStack | None:
        """The models side by side, or None if they are not tabular models of one size."""
        return stack_models(self.models)


class MentorClass(FiniteClass):
    """A finite class of mentor-models with a prior.

    Args:
        mentors: at least one; all with the same number of actions.
        prior: [J], positive and summing to 1; uniform by default.
    """

    kind, parts = "mentor", ("n_actions", "begin", "probabilities", "choose", "after")

    def __init__(self, mentors: Iterable[MentorModel], prior: ArrayLike | None = None) -> None:
        super().__init__(mentors, prior)
        self.mentors: tuple[MentorModel, ...] = self.members

    def posterior(self) -> "MentorPosterior":
        """Return the posterior before anything happened."""
        return MentorPosterior(self)


class Weighed:
    """Base of both posteriors: the weights of a class's members, and what each member knows of the history.

    Attributes:
        log_weights: [K], up to a constant; −∞ for members that are refuted.
        summaries: [K], of the history; meaningless for members that are refuted.
        steps: number of steps observed.
    """

    summaries: list[Hashable]

    def __init__(self, members: FiniteClass) -> None:
        self.members, self.steps = members.members, 0
        self.log_weights: Floats = np.log(members.prior)
        self._weights: Floats | None = None
        self.begin()

    @property
    def weights(self) -> Floats:
        """[K], the posterior."""
        if self._weights is None:
            shares: Floats = np.exp(self.log_weights - self.log_weights.max())
            self._weights = shares / shares.sum()
        return self._weights

    def begin(self, first: int | None = None) -> None:
        """Let every member return to its beginning, where an episode begins; weights stay.

        Args:
            first: what is observed there; None if nothing is (λ).
        """
        self.summaries = [begin_member(member, first) for member in self.members]

    def observe(self, action: int | None, percept: Seen, by_mentor: bool) -> None:
        """Learn one step. If this raises, nothing has been learned."""
        raise NotImplementedError

    def copy(self) -> Self:
        """Return a posterior that has learned the same and learns separately."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)  # both may hold the same objects: they are replaced, never changed
        return copied

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def _update_weights(self, likelihoods: ArrayLike, action: int | None, seen: str) -> Floats:
        """The logarithms of the weights, [K], after something was seen that has these likelihoods, [K]."""
        with np.errstate(divide="ignore"):
            log: Floats = self.log_weights + np.log(likelihoods)
        if log.max() == -np.inf:
            taken = "unknown" if action is None else action
            raise UnexplainedError(
                f"step {self.steps + 1}, action {taken}: every model of the class gives {seen} probability 0; "
                "widen the class"
            )
        log -= log.max()
        return log

    def _learn(self, log_weights: Floats) -> None:
        self.log_weights, self._weights, self.steps = log_weights, None, self.steps + 1


class Posterior(Weighed):
    """The posterior over a class of world-models; it grows with `observe`."""

    _state: int | None

    def __init__(self, models: ModelClass) -> None:
        self.models = models
        super().__init__(models)

    def observe(self, action: int | None, percept: Seen, by_mentor: bool = False) -> None:
        """Learn one step. If this raises, nothing has been learned.

        In an episode's last step the action may be unknown, too (None: a mentor's). Then the models in which no action
        can pay that reward are refuted, and the others keep their weights. Weighing them by a guess of what the mentor
        did would need a right guess: with a wrong one ``1/w(μ|h)`` is not a supermartingale, which the agent's
        guarantees need. With this rule it never rises.

        Args:
            action: what was done; None if it is not known, in an episode's last step.
            percept: (observation, reward). In an episode's last step the observation is None, and `begin` comes next.
            by_mentor: whether the mentor acted; it makes no difference here.

        Raises:
            UnexplainedError: every model that is left gives the percept probability 0.
        """
        if action is not None:
            action = checked_index("action", action, self.models.n_actions)
        if not (isinstance(percept, tuple | list) and len(percept) == 2):
            raise wrong_type("percept", percept, "a pair (observation, reward)")
        if action is None or percept[0] is None:
            paid = as_reward(percept[1])
            self._learn(
                self._update_weights(self._reward_likelihoods(action, paid), action, f"a last reward of {paid}")
            )
            return
        percept = as_percept(percept)
        seen = f"observation {percept[0]} with reward {percept[1]}"
        log_weights = self._update_weights(self._likelihoods(action, percept), action, seen)
        if self.models.stack is not None:
            self._state = percept[0]
            self.summaries = [percept[0]] * len(self.models)
        else:
            places = zip(self.models.models, self.summaries, log_weights > -np.inf, strict=True)
            self.summaries = [model.after(at, action, percept) if left else at for model, at, left in places]
        self._learn(log_weights)

    def begin(self, first: int | None = None) -> None:
        """Let every model return to its beginning, as `Weighed.begin` does."""
        super().begin(first)
        is_common = self.models.stack is not None and len(set(self.summaries)) == 1
        self._state = cast("int", self.summaries[0]) if is_common else None

    def top_set(self, beta: float) -> tuple[int, ...]:
        """Return ``M^β`` as indices in falling posterior order."""
        return top_set(self.log_weights, self.weights, beta)

    def _reward_likelihoods(self, action: int | None, reward: float) -> Floats:
        """[K], the probability that each model gives to a reward; for an unknown action, whether it is possible."""
        if action is None:
            chances = [self._reward_likelihoods(choice, reward) for choice in range(self.models.n_actions)]
            possible: Floats = (np.max(chances, axis=0) > 0).astype(float)
            return possible
        return self._sum_likelihoods(action, lambda percept: as_reward(percept[1]) == reward)

    def _likelihoods(self, action: int, percept: PerceptKey) -> Floats:
        """[K], the probability that each model gives to a percept."""
        if self.models.stack is not None and self._state is not None:
            return self.models.stack.likelihood(self._state, action, percept)
        return self._sum_likelihoods(action, lambda possible: make_percept(*possible) == percept)

    def _sum_likelihoods(self, action: int, counts: Callable[[PerceptKey], bool]) -> Floats:
        """[K], the total probability of the percepts that count, in each model that is left."""
        likelihoods = np.zeros(len(self.models))
        for index in np.flatnonzero(self.log_weights > -np.inf):
            law = law_of(self.models.models[index], self.summaries[index], action)
            likelihoods[index] = sum(chance for percept, chance in law.items() if counts(percept))
        return likelihoods


class MentorPosterior(Weighed):
    """The posterior over a class of mentor-models; it grows with `observe`.

    Args:
        mentors: the class.
        from_everybody: learn from every action as if the mentor had taken it, not from the mentor's own actions alone.
    """

    def __init__(self, mentors: MentorClass, from_everybody: bool = False) -> None:
        self.mentors, self.from_everybody = mentors, from_everybody
        super().__init__(mentors)

    def observe(self, action: int | None, percept: Seen, by_mentor: bool) -> None:
        """Learn one step. If this raises, nothing has been learned.

        Args:
            action: what was done; None if it is not known, in an episode's last step. `begin` comes next.
            percept: (observation, reward); the observation is None in an episode's last step.
            by_mentor: whether the mentor acted.

        Raises:
            UnexplainedError: the mentor took an action to which every model that is left gives probability 0.
        """
        if not (isinstance(percept, tuple | list) and len(percept) == 2):
            raise wrong_type("percept", percept, "a pair (observation, reward)")
        pairs = list(zip(self.mentors.mentors, self.summaries, strict=True))
        log_weights, observation = self.log_weights, percept[0]
        if action is not None:
            action = checked_index("action", action, self.mentors.n_actions)
            if by_mentor or self.from_everybody:
                chances = [read_probabilities(mentor, summary)[action] for mentor, summary in pairs]
                log_weights = self._update_weights(chances, action, "the mentor's choice of it")
            if observation is not None:
                seen = (observation, percept[1])
                self.summaries = [mentor.after(summary, action, seen) for mentor, summary in pairs]
        self._learn(log_weights)
