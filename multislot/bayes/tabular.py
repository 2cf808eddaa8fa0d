"""World-models in arrays, and many of them side by side, which learn and plan together."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_diag, coo_array, csr_array, hstack, issparse

from multislot.bayes.memory import SETTINGS, Memory
from multislot.bayes.models import Law, ModelKernel, ObservedState, PerceptKey, as_floats, as_reward, check_rows
from multislot.checks import checked_index, checked_instance, refusal
from multislot.exact.kernel import CheckedKernel, Kernel
from multislot.mdp.chains import Floats
from multislot.mdp.solving import TabularMDP

BELIEF_DIGITS = 12


class TabularModel(ObservedState):
    """A Markov decision process in arrays, whose state is observed.

    Args:
        transition: [S, A, S] probabilities, dense; or sparse [S·A, S].
        reward: [S, A] rewards in [0, 1]; or [S, A, R] probabilities of ``reward_values``, drawn apart from the state.
        start: the state before the first action, if it is not observed. For a distribution over states use a
            `PartiallyObservableModel` whose observations are the states.
        reward_values: [R] different rewards in [0, 1]; only if ``reward`` is [S, A, R].

    Attributes:
        rows: sparse [S·A, S] transition probabilities, row ``state·A + action``.
        rewards: [S, A] expected rewards.
        reward_rows: sparse [S·A, R] reward probabilities.
        reward_values: [R].
    """

    checks_itself = True

    def __init__(
        self, transition: Any, reward: ArrayLike, start: int = 0, reward_values: ArrayLike | None = None
    ) -> None:
        self.rows, self.n_states, self.n_actions = _transition_rows(transition)
        check_rows("transition", self.rows, self.n_actions)
        if hasattr(start, "__len__"):
            remedy = "use PartiallyObservableModel(model, np.eye(S), start) if the first state is drawn"
            raise refusal("start", start, "a single state", remedy)
        self.start = checked_index("start", start, self.n_states)
        self.reward_rows, self.reward_values = _reward_rows(reward, reward_values, self.n_states, self.n_actions)
        check_rows("reward", self.reward_rows, self.n_actions)
        self.rewards: Floats = (self.reward_rows @ self.reward_values).reshape(self.n_states, self.n_actions)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_states} states, {self.n_actions} actions)"

    def law(self, summary: int, action: int) -> Law:
        """Return the probability of every (next state, reward)."""
        start = checked_index("state", summary, self.n_states) * self.n_actions
        row = start + checked_index("action", action, self.n_actions)
        paid = list(_entries_of(self.reward_rows, row))
        return {
            (state, float(self.reward_values[index])): chance * share
            for state, chance in _entries_of(self.rows, row)
            for index, share in paid
        }

    def as_kernel(self) -> Kernel:
        """Return the model as a one-slot kernel whose observations are (next state, reward), see `ModelKernel`."""
        return self._kernel

    def as_mdp(self) -> TabularMDP:
        """Return the model as a process with expected rewards that starts in ``start``."""
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


class PartiallyObservableModel:
    """A tabular model whose state is hidden; each step shows an observation of the state arrived in.

    Args:
        hidden: the process of hidden states; its own ``start`` is used by default.
        emission: [S, O], probability of each observation in the state arrived in.
        start: [S], distribution of the first hidden state.
    """

    checks_itself = True

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
        """Return the distribution of the first hidden state given its observation; ``start`` if that is impossible."""
        shown = self.emission[:, checked_index("first observation", observation, self.emission.shape[1])] * self._first
        return _shares(shown) if shown.any() else self._first

    def law(self, summary: tuple[float, ...], action: int) -> Law:
        """Return the probability of every (observation, reward), the hidden states summed out."""
        chances = self._joint(summary, checked_index("action", action, self.n_actions)).sum(axis=2)
        rewards = self.hidden.reward_values.tolist()
        return {(int(seen), rewards[paid]): float(chances[paid, seen]) for paid, seen in np.argwhere(chances > 0)}

    def after(self, summary: tuple[float, ...], action: int, percept: PerceptKey) -> tuple[float, ...]:
        """Return the distribution of the hidden state given the percept."""
        paid = [as_reward(reward) for reward in self.hidden.reward_values.tolist()].index(as_reward(percept[1]))
        return _shares(self._joint(summary, action)[paid, percept[0]])

    def _joint(self, summary: tuple[float, ...], action: int) -> Floats:
        """The joint probabilities of reward, observation and the state arrived in, [R, O, S]."""
        rows = np.arange(self.hidden.n_states) * self.n_actions + action
        paid = np.asarray(summary)[:, None] * self.hidden.reward_rows[rows].toarray()
        arrived: Floats = np.asarray(paid.T @ self.hidden.rows[rows])
        return arrived[:, None, :] * self.emission.T


class ModelStack:
    """K tabular models of one size, side by side.

    Args:
        models: K tabular models with the same states and actions.

    Attributes:
        rewards: [K, S, A], expected.
    """

    def __init__(self, models: Sequence[TabularModel]) -> None:
        self.models = tuple(models)
        self.n_states, self.n_actions = models[0].n_states, models[0].n_actions
        self.rewards = np.array([model.rewards for model in models])
        self._best: Memory[Floats] = Memory(SETTINGS)

    def best_action_values(self, discount: float, horizon: int) -> Floats:
        """Return [K, S, A], the best normalized values of each model alone."""

        def compute() -> Floats:
            rows = csr_array(block_diag([model.rows for model in self.models], format="csr"))
            action_values = np.zeros(self.rewards.shape)
            for _ in range(horizon):
                ahead = (rows @ action_values.max(axis=2).ravel()).reshape(self.rewards.shape)
                action_values = (1 - discount) * self.rewards + discount * ahead
            return action_values

        return self._best.once((discount, horizon), compute)

    def likelihood(self, state: int, action: int, percept: PerceptKey) -> Floats:
        """Return [K], the probability that each model gives to a percept."""
        row = state * self.n_actions + action
        reward = self._reward_index.get(percept[1])
        if reward is None or not 0 <= percept[0] < self.n_states:
            return np.zeros(len(self.models))
        arrival = _dense_row(self._transition_table, row * self.n_states + percept[0])
        return arrival * _dense_row(self._reward_table, row * len(self._reward_index) + reward)

    @cached_property
    def _reward_index(self) -> dict[float, int]:
        rewards = {as_reward(value) for model in self.models for value in model.reward_values.tolist()}
        return {reward: index for index, reward in enumerate(sorted(rewards))}

    @cached_property
    def _transition_table(self) -> csr_array:
        return _side_by_side([model.rows for model in self.models])

    @cached_property
    def _reward_table(self) -> csr_array:
        over_all_rewards = []
        for model in self.models:
            rows = coo_array(model.reward_rows)
            column = np.array([self._reward_index[as_reward(value)] for value in model.reward_values.tolist()])
            shape = (rows.shape[0], len(self._reward_index))
            over_all_rewards.append(csr_array((rows.data, (rows.row, column[rows.col])), shape=shape))
        return _side_by_side(over_all_rewards)


def stack_models(models: Sequence[object]) -> ModelStack | None:
    """Return the models side by side; None unless all are tabular and of one size."""
    tabular = [model for model in models if isinstance(model, TabularModel)]
    alike = len(tabular) == len(models) and len({(model.n_states, model.n_actions) for model in tabular}) == 1
    return ModelStack(tabular) if alike else None


def _side_by_side(matrices: Sequence[csr_array]) -> csr_array:
    """K sparse [N, M] matrices as one sparse [N·M, K]."""
    return csr_array(hstack([coo_array(matrix).reshape((-1, 1)) for matrix in matrices], format="csr"))


def _dense_row(matrix: csr_array, row: int) -> Floats:
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    dense = np.zeros(matrix.shape[1])
    dense[matrix.indices[first:last]] = matrix.data[first:last]
    return dense


def _shares(weights: Floats) -> tuple[float, ...]:
    """Weights that sum to 1, to significant digits: equal beliefs become one, and a small probability is not lost."""
    return tuple(float(f"{share:.{BELIEF_DIGITS}g}") for share in (weights / weights.sum()).tolist())


def _transition_rows(transition: Any) -> tuple[csr_array, int, int]:
    """Transition probabilities as sparse [S·A, S], with S and A."""
    if getattr(getattr(transition, "dtype", None), "kind", "") == "c":
        raise refusal("transition.dtype", "complex", "real numbers")
    is_sparse: bool = issparse(transition)
    if is_sparse:
        rows = csr_array(transition, dtype=float)
        states = rows.shape[1]
        actions = rows.shape[0] // states
    else:
        table = as_floats("transition", transition)
        if table.ndim != 3 or table.shape[0] != table.shape[2]:
            raise refusal("transition.shape", table.shape, "[S, A, S]")
        states, actions = table.shape[:2]
        rows = csr_array(table.reshape((states * actions, states)))
    if not states or not actions or rows.shape != (states * actions, states):
        raise refusal("transition.shape", rows.shape, "[S, A, S] with at least one state and action")
    rows.sum_duplicates()
    return rows, states, actions


def _reward_rows(reward: ArrayLike, values: ArrayLike | None, states: int, actions: int) -> tuple[csr_array, Floats]:
    """Reward probabilities as sparse [S·A, R], and the R rewards."""
    raw = as_floats("reward", reward)
    if values is None:
        if raw.shape != (states, actions):
            expected = f"[S, A] = {(states, actions)}, or [S, A, R] with reward_values"
            raise refusal("reward.shape", raw.shape, expected)
        _check_rewards("reward", raw)
        distinct, indices = np.unique(raw, return_inverse=True)
        shape = (states * actions, len(distinct))
        return csr_array((np.ones(raw.size), (np.arange(raw.size), indices.ravel())), shape=shape), distinct
    paid = as_floats("reward_values", values)
    if paid.ndim != 1 or raw.shape != (states, actions, len(paid)):
        raise refusal("reward.shape and reward_values.shape", (raw.shape, paid.shape), "[S, A, R] and [R]")
    _check_rewards("reward_values", paid)
    if len({as_reward(value) for value in paid.tolist()}) < len(paid):
        raise refusal("reward_values", paid.tolist(), "rewards that differ")
    return csr_array(raw.reshape(states * actions, len(paid))), paid


def _check_rewards(name: str, rewards: Floats) -> None:
    """Raise SettingError naming the first reward outside [0, 1]."""
    wrong = ~((rewards >= 0) & (rewards <= 1))
    if wrong.any():
        entry = tuple(int(index) for index in np.argwhere(wrong)[0])
        place = ", ".join(map(str, entry))
        raise refusal(f"{name}[{place}]", float(rewards[entry]), "a number in [0, 1]")


def _entries_of(matrix: csr_array, row: int) -> Iterable[tuple[int, float]]:
    """Pairs (column, number) of one sparse row that are not zero."""
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    pairs = zip(matrix.indices[first:last].tolist(), matrix.data[first:last].tolist(), strict=True)
    return (pair for pair in pairs if pair[1] != 0)
