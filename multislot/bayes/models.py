"""World-models: what gives a probability to the next observation and reward (Cohen and Hutter 2020).

A model is read through a *summary* of the history, which holds all that its next law depends on: the state of a
tabular model, the belief over hidden states of a partially observable one, the whole history of any other. Rewards lie
in [0, 1]. A percept is a pair (observation, reward); a history is a tuple of (action, percept) pairs, oldest first, and
begins with an action: nothing is observed before it (Orseau 2014, Def. 4, the empty observation λ).

Departure from the paper: its models are programs, countably many; here they are finite objects, finitely many.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse, vstack

from multislot.errors import SettingError
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel
from multislot.mdp import TabularMDP

Floats = NDArray[np.float64]
Percept = tuple[int, float]
History = tuple[tuple[int, Percept], ...]
Law = Mapping[Percept, float]

SLOT = 1
ROUNDING = 1e-9
REWARD_DIGITS = 9
BELIEF_DIGITS = 12


def percept_of(observation: int, reward: float) -> Percept:
    """Returns the percept in the form in which percepts are compared: rewards agree if they do to nine digits."""
    return int(observation), as_reward(reward)


def as_reward(reward: float) -> float:
    """Returns a reward in the form in which rewards are compared."""
    return round(float(reward), REWARD_DIGITS)


def check_action(action: int, n_actions: int) -> int:
    """Returns an action as a plain number.

    Raises:
        SettingError: if it is not one of the actions.
    """
    known = range(n_actions)
    if action not in known:
        raise SettingError(f"action is {action!r}, expected one of 0..{n_actions - 1}")
    return known.index(action)


def as_floats(name: str, given: Any) -> Floats:
    """Returns numbers as an array.

    Raises:
        SettingError: if they are none, or their rows differ in length.
    """
    try:
        numbers: Floats = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise SettingError(f"{name} is no dense array of numbers: {wrong}") from wrong
    return numbers


class WorldModel(Protocol):
    """Anything that gives the law of the next percept; write these and a class of models can hold it."""

    @property
    def n_actions(self) -> int:
        """Number of actions A."""

    def begin(self) -> Hashable:
        """Returns the summary of the empty history."""

    def law(self, summary: Any, action: int) -> Law:
        """Returns the probability of every percept that can follow; they sum to 1."""

    def after(self, summary: Any, action: int, percept: Percept) -> Hashable:
        """Returns the summary one step later; asked only of percepts that can follow."""


class TabularModel:
    """A Markov decision process in arrays, whose state is observed.

    Args:
        transition: [S, A, S] probabilities, dense or a three-dimensional sparse array; or sparse [S·A, S]; or a
            sequence of A sparse [S, S] matrices.
        reward: [S, A] rewards in [0, 1]; or [S, A, R] probabilities of ``reward_values``, drawn apart from the state.
        start: the state before the first action; it is not observed. A distribution over states would leave a belief,
            not a state: that is a `PartiallyObservableModel` whose observations are the states.
        reward_values: [R] different rewards in [0, 1]; given if and only if ``reward`` is [S, A, R].

    Attributes:
        rows: sparse [S·A, S] transition probabilities, row ``state·A + action``.
        rewards: [S, A] expected rewards.
        reward_rows: sparse [S·A, R] reward probabilities.
        reward_values: [R].

    Raises:
        SettingError: naming the offending entry.
    """

    def __init__(
        self, transition: Any, reward: ArrayLike, start: int = 0, reward_values: ArrayLike | None = None
    ) -> None:
        self.rows, self.n_states, self.n_actions = _transition_rows(transition)
        _check_rows("transition", self.rows, self.n_actions)
        self.start = self._first_state(start)
        self.reward_rows, self.reward_values = _reward_rows(reward, reward_values, self.n_states, self.n_actions)
        _check_rows("reward", self.reward_rows, self.n_actions)
        self.rewards: Floats = (self.reward_rows @ self.reward_values).reshape(self.n_states, self.n_actions)

    def _first_state(self, start: Any) -> int:
        """The first state, checked."""
        if np.ndim(start):
            raise SettingError(
                f"start is a distribution over {np.size(start)} states, expected a single one; "
                "use PartiallyObservableModel(model, np.eye(S), start) where the first state is drawn"
            )
        if start not in range(self.n_states):
            raise SettingError(f"start is {start}, expected a state in 0..{self.n_states - 1}")
        return int(start)

    def begin(self) -> int:
        """Returns the first state."""
        return self.start

    def law(self, summary: int, action: int) -> Law:
        """Returns the probability of every (next state, reward).

        Raises:
            SettingError: if there is no such state or action.
        """
        if not 0 <= summary < self.n_states:
            raise SettingError(f"state is {summary!r}, expected one of 0..{self.n_states - 1}")
        row = summary * self.n_actions + check_action(action, self.n_actions)
        paid = list(_entries(self.reward_rows, row))
        return {
            (state, float(self.reward_values[index])): chance * share
            for state, chance in _entries(self.rows, row)
            for index, share in paid
        }

    def after(self, summary: int, action: int, percept: Percept) -> int:
        """Returns the observed state."""
        return percept[0]

    def as_kernel(self) -> Kernel:
        """Returns the model as a one-slot kernel whose observations are (next state, reward), see `ModelKernel`."""
        return self._kernel

    def as_mdp(self) -> TabularMDP:
        """Returns the model as a process of expected rewards that starts in ``start``."""
        return self._process

    @cached_property
    def _kernel(self) -> CheckedKernel:
        return CheckedKernel(ModelKernel(self))  # once, since every plan asks anew

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

    Attributes:
        actions: 0..A−1.
        start: ``{1: summary of the empty history}``.
    """

    def __init__(self, model: WorldModel) -> None:
        self.model = model
        self.actions = tuple(range(model.n_actions))
        self.start = {SLOT: model.begin()}

    def outcomes(self, slot: int, state: Any, action: Any) -> Iterable[tuple[float, dict[int, Arrival]]]:
        """Yields ``(probability, {slot: Arrival(next summary, percept, reward)})``."""
        for percept, chance in self.model.law(state, action).items():
            after = self.model.after(state, action, percept)
            yield chance, {slot: Arrival(after, percept_of(*percept), percept[1])}


def kernel_of(model: WorldModel) -> Kernel:
    """Returns a world-model as a kernel."""
    return model.as_kernel() if isinstance(model, TabularModel) else ModelKernel(model)


class PartiallyObservableModel:
    """A tabular model whose state is hidden behind an observation of the state arrived in.

    Args:
        hidden: the process of hidden states; its own ``start`` is used where ``start`` is left out.
        emission: [S, O], probability of each observation in the state arrived in.
        start: [S], distribution of the first hidden state.

    Raises:
        SettingError: naming the offending entry.
    """

    def __init__(self, hidden: TabularModel, emission: ArrayLike, start: ArrayLike | None = None) -> None:
        self.hidden = hidden
        self.n_actions = hidden.n_actions
        self.emission = np.asarray(emission, dtype=float)
        if self.emission.ndim != 2 or len(self.emission) != hidden.n_states:
            raise SettingError(f"emission has shape {self.emission.shape}, expected [S, O] with S = {hidden.n_states}")
        _check_rows("emission", csr_array(self.emission), 1)
        first = np.eye(hidden.n_states)[hidden.start] if start is None else np.asarray(start, dtype=float)
        if first.shape != (hidden.n_states,):
            raise SettingError(f"start has shape {first.shape}, expected [S] = {(hidden.n_states,)}")
        _check_rows("start", csr_array(first[None, :]), 1)
        self._first = tuple(first.tolist())

    def begin(self) -> tuple[float, ...]:
        """Returns the distribution of the first hidden state."""
        return self._first

    def law(self, summary: tuple[float, ...], action: int) -> Law:
        """Returns the probability of every (observation, reward), the hidden states summed out.

        Raises:
            SettingError: if there is no such action.
        """
        check_action(action, self.n_actions)
        chances: dict[Percept, float] = {}
        for reward, arrivals in self._arrivals(summary, action):
            for observation, chance in enumerate((arrivals @ self.emission).tolist()):
                if chance > 0:
                    chances[observation, reward] = chances.get((observation, reward), 0.0) + chance
        return chances

    def after(self, summary: tuple[float, ...], action: int, percept: Percept) -> tuple[float, ...]:
        """Returns the distribution of the hidden state given the percept."""
        arrived = np.zeros(self.hidden.n_states)
        for reward, arrivals in self._arrivals(summary, action):
            if percept_of(0, reward) == percept_of(0, percept[1]):
                arrived += arrivals * self.emission[:, percept[0]]
        return tuple(np.round(arrived / arrived.sum(), BELIEF_DIGITS).tolist())

    def _arrivals(self, summary: tuple[float, ...], action: int) -> Iterable[tuple[float, Floats]]:
        """Yields each reward with the joint probabilities [S] of it and of the state arrived in."""
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
        self.probabilities, self.n_actions = probabilities, n_actions

    def begin(self) -> History:
        """Returns the empty history."""
        return ()

    def law(self, summary: History, action: int) -> Law:
        """Returns what ``probabilities`` gives.

        Raises:
            SettingError: if that is not a distribution, or a reward is outside [0, 1].
        """
        chances = {percept: float(chance) for percept, chance in self.probabilities(summary, action).items()}
        where = f"after {summary}, action {action}"
        for percept, chance in chances.items():
            if not chance >= 0:
                raise SettingError(
                    f"{where}: the probability of {percept} is {chance}, expected a number of at least 0"
                )
            if not 0 <= percept[1] <= 1:
                raise SettingError(f"{where}: the reward of {percept} is outside [0, 1]")
        if not abs(sum(chances.values()) - 1) <= ROUNDING:
            raise SettingError(f"{where}: the probabilities sum to {sum(chances.values())}, expected 1")
        return {percept: chance for percept, chance in chances.items() if chance > 0}

    def after(self, summary: History, action: int, percept: Percept) -> History:
        """Returns the history with one more turn."""
        return (*summary, (action, percept))


def _entries(matrix: csr_array, row: int) -> Iterable[tuple[int, float]]:
    """Pairs (column, number) of one sparse row that are not zero."""
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    pairs = zip(matrix.indices[first:last].tolist(), matrix.data[first:last].tolist(), strict=True)
    return (pair for pair in pairs if pair[1] != 0)


def _transition_rows(transition: Any) -> tuple[csr_array, int, int]:
    """Transition probabilities as sparse [S·A, S], with S and A."""
    sparse = issparse(transition)
    given: Any = transition
    if sparse and given.ndim == 2:
        rows = csr_array(given, dtype=float)
        states = rows.shape[1]
        actions = rows.shape[0] // states
    elif isinstance(transition, Sequence) and len(transition) and all(issparse(matrix) for matrix in transition):
        states, actions = transition[0].shape[0], len(transition)
        if any(matrix.shape != (states, states) for matrix in transition):
            raise SettingError(
                "transition is a sequence of matrices of different shapes, expected [S, S] for every action"
            )
        order = np.arange(states * actions).reshape(actions, states).T.ravel()
        rows = csr_array(csr_array(vstack(transition), dtype=float)[order])
    else:
        table: Any = given if sparse else as_floats("transition", given)
        if len(table.shape) != 3 or table.shape[0] != table.shape[2]:
            raise SettingError(f"transition has shape {table.shape}, expected [S, A, S]")
        states, actions = table.shape[:2]
        rows = csr_array(table.reshape((states * actions, states)), dtype=float)
    if not states or not actions or rows.shape != (states * actions, states):
        raise SettingError(f"transition has shape {rows.shape}, expected [S, A, S] with at least one state and action")
    rows.sum_duplicates()
    return rows, states, actions


def _reward_rows(reward: ArrayLike, values: ArrayLike | None, states: int, actions: int) -> tuple[csr_array, Floats]:
    """Reward probabilities as sparse [S·A, R], and the R rewards."""
    given = as_floats("reward", reward)
    if values is None:
        if given.shape != (states, actions):
            raise SettingError(
                f"reward has shape {given.shape}, expected [S, A] = {(states, actions)}, "
                "or [S, A, R] with reward_values"
            )
        _check_rewards("reward", given)
        distinct, indices = np.unique(given, return_inverse=True)
        shape = (states * actions, len(distinct))
        return csr_array((np.ones(given.size), (np.arange(given.size), indices.ravel())), shape=shape), distinct
    known = np.asarray(values, dtype=float)
    if known.ndim != 1 or given.shape != (states, actions, len(known)):
        raise SettingError(
            f"reward has shape {given.shape} and reward_values {known.shape}, expected [S, A, R] and [R]"
        )
    _check_rewards("reward_values", known)
    if len({percept_of(0, value) for value in known}) < len(known):
        raise SettingError("reward_values holds the same reward twice")
    return csr_array(given.reshape(states * actions, len(known))), known


def _check_rewards(name: str, rewards: Floats) -> None:
    """Raises SettingError naming the first reward outside [0, 1]."""
    wrong = ~((rewards >= 0) & (rewards <= 1))
    if wrong.any():
        entry = tuple(int(index) for index in np.argwhere(wrong)[0])
        place = ", ".join(map(str, entry))
        raise SettingError(f"{name}[{place}] is {rewards[entry]}, expected a number in [0, 1]")


def _check_rows(name: str, rows: csr_array, actions: int) -> None:
    """Raises SettingError naming the first row that is not a distribution; row ``state·actions + action``."""

    def place(row: int) -> str:
        return f"{row // actions}, {row % actions}" if actions > 1 or name in ("transition", "reward") else str(row)

    wrong = ~(rows.data >= 0)
    if wrong.any():
        entry = int(np.argmax(wrong))
        row = int(np.searchsorted(rows.indptr, entry, side="right")) - 1
        raise SettingError(f"{name}[{place(row)}, {rows.indices[entry]}] is {rows.data[entry]}, expected at least 0")
    sums = np.asarray(rows.sum(axis=1))
    wrong = ~(np.abs(sums - 1) <= ROUNDING)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise SettingError(f"{name}[{place(row)}] sums to {sums[row]}, expected 1")
