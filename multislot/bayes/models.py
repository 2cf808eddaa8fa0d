"""World-models: the probability of the next observation and reward (Cohen and Hutter 2020).

A model is read through a *summary* of the history, which holds all that its next law depends on: the state of a
tabular model, the belief over hidden states of a partially observable one, the whole history of any other. Rewards lie
in [0, 1]. Models know a percept as the pair (observation, reward), in the form in which percepts are compared
(`PerceptKey`). A history is a tuple of (action, percept) pairs, oldest first. It begins with an action: nothing is
observed before it (Orseau 2014, Def. 4, the empty observation λ). Where a world does show something before the first
action, it is given, not predicted: it does not tell models apart, and those that have a method ``begin_at`` begin
there.

Departure from the paper: its models are programs, countably many; here they are finite objects, finitely many.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from multislot.bayes.arrays import (
    ROUNDING,
    Floats,
    as_floats,
    as_reward,
    check_rows,
    entries_of,
    reward_rows,
    transition_rows,
)
from multislot.checks import (
    checked_callable,
    checked_hashable,
    checked_index,
    checked_instance,
    number,
    refusal,
    whole,
)
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel
from multislot.mdp.solving import TabularMDP

PerceptKey = tuple[int, float]
History = tuple[tuple[int, PerceptKey], ...]
Law = Mapping[PerceptKey, float]

SLOT = 1
BELIEF_DIGITS = 12


def percept_of(observation: int, reward: float) -> PerceptKey:
    """Return the percept in the form in which percepts are compared: rewards agree if they do to nine digits."""
    return int(observation), as_reward(reward)


def as_percept(pair: Any) -> PerceptKey:
    """A pair as a percept, in the form in which percepts are compared."""
    try:
        observation, reward = pair
        return percept_of(observation, reward)
    except (TypeError, ValueError):
        raise refusal("percept", pair, "a pair (observation, reward) of numbers") from None


def checked_summary(whose: object, summary: Any) -> Hashable:
    """Return a summary; it must be hashable, since plans are kept by it."""
    hashable: Hashable = checked_hashable(f"{type(whose).__name__}'s summary", summary)
    return hashable


class WorldModel(Protocol):
    """Anything that gives the law of the next percept; write these and a class of models can hold it.

    It may have ``begin_at(observation)``, too: the summary where that is observed before the first action. It may have
    ``as_kernel()``, a kernel of one slot over its summaries and percepts, if plans are not valued by ``law``.
    """

    @property
    def n_actions(self) -> int:
        """Number of actions A."""

    def begin(self) -> Hashable:
        """Return the summary of the empty history."""

    def law(self, summary: Any, action: int) -> Law:
        """Return the probability of every percept that can follow; they sum to 1."""

    def after(self, summary: Any, action: int, percept: PerceptKey) -> Hashable:
        """Return the summary one step later; asked only of percepts that can follow."""


class TabularModel:
    """A Markov decision process in arrays, whose state is observed.

    Args:
        transition: [S, A, S] probabilities, dense or a three-dimensional sparse array; or sparse [S·A, S]; or a
            sequence of A sparse [S, S] matrices.
        reward: [S, A] rewards in [0, 1]; or [S, A, R] probabilities of ``reward_values``, drawn apart from the state.
        start: the state before the first action, where it is not observed. A distribution over states would leave a
            belief, not a state: that is a `PartiallyObservableModel` whose observations are the states.
        reward_values: [R] different rewards in [0, 1]; given if and only if ``reward`` is [S, A, R].

    Attributes:
        rows: sparse [S·A, S] transition probabilities, row ``state·A + action``.
        rewards: [S, A] expected rewards.
        reward_rows: sparse [S·A, R] reward probabilities.
        reward_values: [R].
    """

    def __init__(
        self, transition: Any, reward: ArrayLike, start: int = 0, reward_values: ArrayLike | None = None
    ) -> None:
        self.rows, self.n_states, self.n_actions = transition_rows(transition)
        check_rows("transition", self.rows, self.n_actions)
        if np.ndim(start):
            remedy = "use PartiallyObservableModel(model, np.eye(S), start) where the first state is drawn"
            raise refusal("start", start, "a single state", remedy)
        self.start = checked_index("start", start, self.n_states)
        self.reward_rows, self.reward_values = reward_rows(reward, reward_values, self.n_states, self.n_actions)
        check_rows("reward", self.reward_rows, self.n_actions)
        self.rewards: Floats = (self.reward_rows @ self.reward_values).reshape(self.n_states, self.n_actions)

    def begin(self) -> int:
        """Return the first state."""
        return self.start

    def begin_at(self, observation: int) -> int:
        """Return the first state where it is observed."""
        return checked_index("first observation", observation, self.n_states)

    def law(self, summary: int, action: int) -> Law:
        """Return the probability of every (next state, reward)."""
        if not 0 <= summary < self.n_states:
            raise refusal("state", summary, f"one of 0..{self.n_states - 1}")
        row = summary * self.n_actions + checked_index("action", action, self.n_actions)
        paid = list(entries_of(self.reward_rows, row))
        return {
            (state, float(self.reward_values[index])): chance * share
            for state, chance in entries_of(self.rows, row)
            for index, share in paid
        }

    def after(self, summary: int, action: int, percept: PerceptKey) -> int:
        """Return the observed state."""
        return percept[0]

    def as_kernel(self) -> Kernel:
        """Return the model as a one-slot kernel whose observations are (next state, reward), see `ModelKernel`."""
        return self._kernel

    def as_mdp(self) -> TabularMDP:
        """Return the model as a process of expected rewards that starts in ``start``."""
        return self._process

    @cached_property
    def _kernel(self) -> CheckedKernel:
        return CheckedKernel(ModelKernel(self))  # made once, since every plan asks for it

    @cached_property
    def _process(self) -> TabularMDP:
        matrices = tuple(csr_array(self.rows[action :: self.n_actions]) for action in range(self.n_actions))
        start = np.zeros(self.n_states)
        start[self.start] = 1.0
        return TabularMDP(matrices, self.rewards, start)


class ModelKernel:
    """A world-model as a kernel: one agent in slot 1 that always stays there (Orseau 2014, Def. 9).

    Hidden states are the model's summaries; observations are percepts (observation, reward), as `percept_of` has them.

    Args:
        model: any world-model.
        law: gives the probabilities instead of the model's own ``law``, for plans that are valued otherwise.

    Attributes:
        actions: 0..A−1.
        start: ``{1: summary of the empty history}``.
    """

    def __init__(self, model: WorldModel, law: Callable[[Any, int], Law] | None = None) -> None:
        self.model, self.law = model, law or partial(law_of, model)
        self.actions = tuple(range(model.n_actions))
        self.start = {SLOT: begun(model, None)}

    def outcomes(self, slot: int, state: Any, action: Any) -> Iterable[tuple[float, dict[int, Arrival]]]:
        """Yield ``(probability, {slot: Arrival(next summary, percept, reward)})``."""
        for percept, chance in self.law(state, action).items():
            after = following(self.model, state, action, percept)
            yield chance, {slot: Arrival(after, percept_of(*percept), percept[1])}


def begun(model: Any, first: int | None) -> Hashable:
    """Return the summary of a model or mentor where an episode begins.

    Args:
        model: a world-model, a mentor or a mentor-model.
        first: what is observed before the first action; None where nothing is (λ).
    """
    beginning = model.begin_at(first) if first is not None and hasattr(model, "begin_at") else model.begin()
    return checked_summary(model, beginning)


def following(model: Any, summary: Any, action: int, percept: PerceptKey) -> Hashable:
    """Return the summary of a model or mentor one step later."""
    return checked_summary(model, model.after(summary, action, percept))


def kernel_of(model: WorldModel) -> Kernel:
    """Return a world-model as a kernel of one slot: its own ``as_kernel()`` if it has one."""
    own: Callable[[], Kernel] | None = getattr(model, "as_kernel", None)
    return ModelKernel(model) if own is None else own()


class PartiallyObservableModel:
    """A tabular model whose state is hidden behind an observation of the state arrived in.

    Args:
        hidden: the process of hidden states; its own ``start`` is used where ``start`` is left out.
        emission: [S, O], probability of each observation in the state arrived in.
        start: [S], distribution of the first hidden state.
    """

    def __init__(self, hidden: TabularModel, emission: ArrayLike, start: ArrayLike | None = None) -> None:
        self.hidden = checked_instance("hidden", hidden, TabularModel)
        self.n_actions = hidden.n_actions
        self.emission = as_floats("emission", emission)
        if self.emission.ndim != 2 or len(self.emission) != hidden.n_states:
            raise refusal("emission.shape", self.emission.shape, f"[S, O] with S = {hidden.n_states}")
        check_rows("emission", csr_array(self.emission))
        first = np.eye(hidden.n_states)[hidden.start] if start is None else as_floats("start", start)
        if first.shape != (hidden.n_states,):
            raise refusal("start.shape", first.shape, f"[S] = {(hidden.n_states,)}")
        check_rows("start", csr_array(first[None, :]))
        self._first = tuple(first.tolist())

    def begin(self) -> tuple[float, ...]:
        """Return the distribution of the first hidden state."""
        return self._first

    def begin_at(self, observation: int) -> tuple[float, ...]:
        """Return the distribution of the first hidden state given what is observed there.

        Where no first state shows that, ``start`` is left as it is.
        """
        shown = self.emission[:, checked_index("first observation", observation, self.emission.shape[1])] * self._first
        return tuple(np.round(shown / shown.sum(), BELIEF_DIGITS).tolist()) if shown.any() else self._first

    def law(self, summary: tuple[float, ...], action: int) -> Law:
        """Return the probability of every (observation, reward), the hidden states summed out."""
        action = checked_index("action", action, self.n_actions)
        chances: dict[PerceptKey, float] = {}
        for reward, arrivals in self._arrivals(summary, action):
            for observation, chance in enumerate((arrivals @ self.emission).tolist()):
                if chance > 0:
                    chances[observation, reward] = chances.get((observation, reward), 0.0) + chance
        return chances

    def after(self, summary: tuple[float, ...], action: int, percept: PerceptKey) -> tuple[float, ...]:
        """Return the distribution of the hidden state given the percept."""
        arrived = np.zeros(self.hidden.n_states)
        for reward, arrivals in self._arrivals(summary, action):
            if percept_of(0, reward) == percept_of(0, percept[1]):
                arrived += arrivals * self.emission[:, percept[0]]
        return tuple(np.round(arrived / arrived.sum(), BELIEF_DIGITS).tolist())

    def _arrivals(self, summary: tuple[float, ...], action: int) -> Iterable[tuple[float, Floats]]:
        """Yield each reward with the joint probabilities [S] of it and of the state arrived in."""
        rows = np.arange(self.hidden.n_states) * self.n_actions + action
        joint = np.asarray(summary)[:, None] * self.hidden.reward_rows[rows].toarray()
        arrivals = joint.T @ self.hidden.rows[rows]
        for reward, arrived in zip(self.hidden.reward_values.tolist(), np.asarray(arrivals), strict=True):
            if arrived.any():
                yield reward, arrived


class HistoryModel:
    """Any object that gives probabilities for a history and an action, as a world-model.

    Args:
        probabilities: ``probabilities(history, action)`` gives a mapping (observation, reward) → probability.
        n_actions: number of actions.
    """

    def __init__(self, probabilities: Callable[[History, int], Law], n_actions: int) -> None:
        self.probabilities = checked_callable("probabilities", probabilities)
        self.n_actions = whole("n_actions", n_actions)

    def begin(self) -> History:
        """Return the empty history."""
        return ()

    def law(self, summary: History, action: int) -> Law:
        """The law that ``probabilities`` gives, checked."""
        return _checked_law(self.probabilities(summary, action), f"after {summary}, action {action}")

    def after(self, summary: History, action: int, percept: PerceptKey) -> History:
        """Return the history with one more turn."""
        return (*summary, (action, percept))


OURS = (TabularModel, PartiallyObservableModel, HistoryModel)


def law_of(model: WorldModel, summary: Any, action: int) -> Law:
    """Return a model's law, checked if the model is of a kind that does not check it itself."""
    law = model.law(summary, action)
    if isinstance(model, OURS):
        return law
    return _checked_law(law, f"{type(model).__name__}.law({summary!r}, {action})")


def _checked_law(law: Law, where: str) -> Law:
    """Return a law, checked, without percepts of probability 0."""
    if not isinstance(law, Mapping):
        raise refusal(f"law {where}", law, "a mapping (observation, reward) → probability")
    for percept, chance in law.items():
        if not 0 <= as_percept(percept)[1] <= 1:
            raise refusal(f"percept {where}", percept, "a reward in [0, 1]")
        number(f"probability of {percept} {where}", chance, 0)
    if not abs(sum(law.values()) - 1) <= ROUNDING:
        raise refusal(f"sum of the probabilities {where}", sum(law.values()), "1")
    return {percept: float(chance) for percept, chance in law.items() if chance > 0}
