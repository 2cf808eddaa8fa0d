"""Finite Markov decision processes as sparse arrays, solved exactly; all tabular planning uses them.

``V(s) = max_a r(s, a) + γ Σ_s' T(s'|s, a) V(s')``, and 0 at terminal states (Alizadeh Alamdari et al. 2021, section 2).
With a horizon this is backward induction. Without one it is policy iteration, whose evaluations are sparse linear
solves; undiscounted deterministic problems with negative rewards are shortest paths and take one Dijkstra search.

With γ = 1 and no horizon, policy iteration starts from a policy that ends with probability 1, and stays among such
policies. A state from which no policy is sure to end is worth −∞ if every reward among such states is negative. If
never ending pays without bound, the problem is refused.

Departure from the paper: a terminal state is a row of zeros, not a loop without reward. So the linear system is regular
at γ = 1, too. Ties go to the first action in order.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array

from multislot.checks import checked_discount, checked_horizon, refusal
from multislot.errors import NeverEndingError, SettingError
from multislot.mdp.chains import (
    Flags,
    Floats,
    Integers,
    ends_surely,
    lead_to_end,
    reaches,
    shortest,
    total,
    undiscounted_total,
)

ROUNDING = 1e-9
TIE = 1e-12
"""Action values whose difference is at most this, relative to their sizes, count as equal.

The *size* of a value is the same sum with absolute rewards: rounding errors grow with it, and not with the value.
"""
STEP_TIE = 1e-14
"""The same for one step of policy iteration: without an end its gain counts up to 1/(1-γ) times."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The optimal values and the optimal policy at the first step.

    Attributes:
        values: [S], the largest expected return from each state; −∞ where an undiscounted problem cannot end.
        action_values: [S, A], the return of an action followed by the best ones; −∞ where the action is not available.
        policy: [S], the first best action of each state; 0 in terminal states.
    """

    values: Floats
    action_values: Floats
    policy: Integers


@dataclass(frozen=True, eq=False)
class TabularMDP:
    """A finite Markov decision process ``⟨S, A, T, r⟩`` with a distribution of initial states.

    Args:
        transitions: one [S, S] matrix for each action; a row sums to 1, or to 0 where the action is not available. A
            state in which no action is available is terminal.
        rewards: [S, A], expected reward of an action; ignored where the action is not available.
        start: [S], probabilities of the first state.
    """

    transitions: tuple[csr_array, ...]
    rewards: Floats
    start: Floats

    def __post_init__(self) -> None:
        try:
            matrices = tuple(csr_array(matrix).astype(float) for matrix in self.transitions)  # copies
            rewards, start = np.asarray(self.rewards, dtype=float), np.asarray(self.start, dtype=float)
        except (TypeError, ValueError, OverflowError) as wrong:
            raise SettingError(f"transitions, rewards and start are not arrays of numbers: {wrong}") from wrong
        object.__setattr__(self, "transitions", matrices)
        object.__setattr__(self, "rewards", rewards)
        object.__setattr__(self, "start", start)
        states, actions = len(start), len(matrices)
        if start.ndim != 1 or not states or not actions:
            raise refusal("transitions", matrices, "at least one state and one action")
        if rewards.shape != (states, actions):
            raise refusal("rewards.shape", rewards.shape, f"[S, A] = {(states, actions)}")
        for action, matrix in enumerate(matrices):
            if matrix.shape != (states, states):
                raise refusal(f"transitions[{action}].shape", matrix.shape, f"[S, S] = {(states, states)}")
            matrix.eliminate_zeros()
        _check_distributions(self)

    @property
    def n_states(self) -> int:
        """Number of states S."""
        return len(self.start)

    @property
    def n_actions(self) -> int:
        """Number of actions A."""
        return len(self.transitions)

    @cached_property
    def available(self) -> Flags:
        """[S, A], whether an action can be taken in a state."""
        return np.column_stack([matrix.sum(axis=1) > 0.5 for matrix in self.transitions])

    @cached_property
    def terminal(self) -> Flags:
        """[S], the states in which no action is available."""
        return cast("Flags", ~self.available.any(axis=1))

    def solve(self, discount: float, horizon: int | None = None) -> Optimum:
        """Return the optimum, exact up to floating point.

        Args:
            discount: γ in [0, 1].
            horizon: number of steps still to come; None for endlessly many.

        Raises:
            NeverEndingError: γ = 1 without a horizon, and never ending pays without bound or has no defined value.
        """
        discount = float(checked_discount(discount))
        horizon = checked_horizon(horizon)
        if horizon is not None:
            values, sizes = self._induce_backward(discount, horizon - 1)
        elif discount < 1:
            values, sizes = _iterate_policies(self, discount, np.argmax(self.available, axis=1))
        else:
            values, sizes = self._solve_undiscounted()
        ahead, sizes = self._look_ahead(values, sizes, discount)
        near = self.available & _are_best(ahead, sizes, TIE)
        plan = Optimum(self._best_of(ahead), ahead, np.argmax(near, axis=1).astype(np.int64))
        if horizon is not None or discount < 1:
            return plan
        if not (~reaches(self._follow(plan.policy)[0], self.terminal) & np.isfinite(plan.values)).any():
            return plan
        # Some first best actions might never end: take others that are as good.
        near &= np.isfinite(ahead)
        return replace(plan, policy=lead_to_end(self.transitions, self.available, self.terminal, near))

    def evaluate(self, policy: ArrayLike, discount: float, horizon: int | None = None) -> Floats:
        """Return the expected return of a policy from every state, [S].

        Args:
            policy: [S] action indices or [S, A] probabilities; ignored in terminal states.
            discount: γ in [0, 1].
            horizon: number of steps still to come; None for endlessly many. A policy that may never end is then worth
                ±∞ at γ = 1, by the sign of its endless rewards.
        """
        discount = float(checked_discount(discount))
        horizon = checked_horizon(horizon)
        matrix, rewards = self._follow(policy)
        if horizon is not None:
            values = np.zeros(self.n_states)
            for _ in range(horizon):
                later, values = values, rewards + discount * (matrix @ values)
                if (values == later).all():
                    break
            return values
        if discount < 1:
            return total(matrix, rewards, discount)
        sizes = replace(self, rewards=np.abs(self.rewards))._follow(policy)[1]
        return undiscounted_total(matrix, np.where(np.abs(rewards) <= TIE * sizes, 0.0, rewards), self.terminal)

    def action_values(self, values: Floats, discount: float) -> Floats:
        """Look one step ahead: return ``r(s, a) + γ Σ T(s'|s, a) values(s')``, [S, A]; −∞ where not available."""
        ahead = np.column_stack([_expect(matrix, values) for matrix in self.transitions])
        return np.where(self.available, self.rewards + discount * ahead, -np.inf)

    def _look_ahead(self, values: Floats, sizes: Floats, discount: float) -> tuple[Floats, Floats]:
        """The action values, [S, A], and their sizes, 0 where an action is not available."""
        ahead = np.column_stack([matrix @ sizes for matrix in self.transitions])
        return self.action_values(values, discount), np.where(self.available, abs(self.rewards) + discount * ahead, 0.0)

    def _best_of(self, action_values: Floats) -> Floats:
        return np.where(self.terminal, 0.0, action_values.max(axis=1))

    def _induce_backward(self, discount: float, horizon: int) -> tuple[Floats, Floats]:
        """The best values with a number of steps still to come, and their sizes, [S] each."""
        values = sizes = np.zeros(self.n_states)
        for _ in range(horizon):
            later = values
            ahead, of_actions = self._look_ahead(values, sizes, discount)
            values, sizes = self._best_of(ahead), of_actions[np.arange(self.n_states), np.argmax(ahead, axis=1)]
            if (values == later).all():  # nothing changes any more, to the last bit
                break
        return values, sizes

    def _solve_undiscounted(self) -> tuple[Floats, Floats]:
        """The best values at γ = 1 among policies that end with probability 1, and their sizes, [S] each."""
        proper, usable = ends_surely(self.transitions, self.available, self.terminal)
        trapped = ~proper & (self.available & (self.rewards >= 0)).any(axis=1)
        if trapped.any():
            raise NeverEndingError(
                f"undiscounted, no policy from state {int(np.argmax(trapped))} is sure to end, and a step there "
                "costs nothing or gains; give a discount below 1 or a horizon"
            )
        paid = self.rewards[self.available]
        if np.all(paid < 0) and all(np.all(matrix.data == 1) for matrix in self.transitions):
            costs = shortest(self.transitions, self.rewards, self.available, self.terminal)
            return -costs, np.where(np.isinf(costs), 0.0, costs)
        first = lead_to_end(self.transitions, self.available, self.terminal, usable)
        kept = tuple(diags_array(col) @ matrix for col, matrix in zip(usable.T * 1.0, self.transitions, strict=True))
        restricted = TabularMDP(kept, self.rewards, self.start)  # states without a usable action are terminal
        values, sizes = _iterate_policies(restricted, 1.0, first)
        return np.where(proper, values, -np.inf), sizes

    def _follow(self, policy: ArrayLike) -> tuple[csr_array, Floats]:
        """The transition matrix [S, S] and the expected rewards [S] of a policy, as `evaluate` takes it."""
        probabilities = _as_probabilities(self, policy)
        matrix = csr_array((self.n_states, self.n_states))
        for action, transition in enumerate(self.transitions):
            matrix = matrix + diags_array(probabilities[:, action]) @ transition
        paid = np.where(probabilities > 0, self.rewards, 0.0)
        return csr_array(matrix), np.einsum("sa,sa->s", probabilities, paid)


def _check_distributions(process: TabularMDP) -> None:
    """Raise SettingError if something that should be a distribution is not, or a reward is not finite."""
    for action, matrix in enumerate(process.transitions):
        sums = np.asarray(matrix.sum(axis=1))
        wrong = (np.abs(sums - 1) > ROUNDING) & (sums != 0)
        if not np.isfinite(matrix.data).all() or (matrix.data < 0).any() or wrong.any():
            state = int(np.argmax(wrong))
            raise refusal(
                f"transitions[{action}][{state}].sum()",
                sums[state],
                "probabilities that sum to 1",
                "leave the row empty where the action is not available",
            )
    if not (process.start >= 0).all() or abs(process.start.sum() - 1) > ROUNDING:
        raise refusal("start.sum()", process.start.sum(), "probabilities that sum to 1")
    if not np.isfinite(process.rewards[process.available]).all():
        raise refusal("rewards", process.rewards, "finite numbers where an action is available")


def _are_best(action_values: Floats, sizes: Floats, tie: float) -> Flags:
    """Which actions are as good as the best one, up to `tie` of the sizes, [S, A]."""
    first = np.argmax(action_values, axis=1)[:, None]
    slack = tie * (sizes + np.take_along_axis(sizes, first, axis=1))
    return action_values >= np.take_along_axis(action_values, first, axis=1) - slack


def _expect(matrix: csr_array, values: Floats) -> Floats:
    """``matrix @ values`` for values that may be −∞; an entry of 0 is not stored, so 0·∞ does not occur."""
    if np.isfinite(values).all():
        return cast("Floats", matrix @ values)
    lost = matrix @ np.isneginf(values).astype(float) > 0
    return np.where(lost, -np.inf, matrix @ np.where(np.isneginf(values), 0.0, values))


def _iterate_policies(process: TabularMDP, discount: float, policy: Integers) -> tuple[Floats, Floats]:
    """The values to which policy iteration comes from a policy, and their sizes; an action changes if it gains."""
    rows, most = np.arange(process.n_states), np.full(process.n_states, -np.inf)
    while True:
        matrix, rewards = process._follow(policy)
        if discount == 1 and (never := ~reaches(matrix, process.terminal)).any():
            raise NeverEndingError(
                f"undiscounted, never ending pays without bound from state {int(np.argmax(never))}; "
                "give a discount below 1 or a horizon"
            )
        values, sizes = total(matrix, rewards, discount), total(matrix, np.abs(rewards), discount)
        ahead, of_actions = process._look_ahead(values, sizes, discount)
        better = ~_are_best(ahead, of_actions, STEP_TIE)[rows, policy]
        if not better.any() or (values <= most).all():  # the second only if rounding makes a circle
            return np.where(process.terminal, 0.0, values), sizes
        policy, most = np.where(better, np.argmax(ahead, axis=1), policy), np.maximum(values, most)


def _as_probabilities(process: TabularMDP, policy: ArrayLike) -> Floats:
    """A policy as [S, A] probabilities, 0 in terminal states."""
    states, actions = process.n_states, process.n_actions
    try:
        table = np.asarray(policy)
    except ValueError as wrong:  # rows of different lengths, or too many axes
        raise refusal("policy", policy, f"[S] action indices or [S, A] probabilities, S = {states}") from wrong
    if table.shape == (states,) and np.issubdtype(table.dtype, np.integer):
        if ((table < 0) | (table >= actions)).any():
            raise refusal("policy", table.tolist(), f"actions in 0..{actions - 1}")
        table = np.eye(actions)[table]
    if table.shape != (states, actions):
        raise refusal("policy.shape", table.shape, f"[S] action indices or [S, A] probabilities, S = {states}")
    live = ~process.terminal
    probabilities = np.where(live[:, None], table.astype(float), 0.0)
    if (probabilities < 0).any() or (np.abs(probabilities[live].sum(axis=1) - 1) > ROUNDING).any():
        raise refusal("policy", table.tolist(), "probabilities that sum to 1 in every state")
    if (probabilities[~process.available] > 0).any():
        state = int(np.argmax(((probabilities > 0) & ~process.available).any(axis=1)))
        raise refusal(f"policy[{state}]", table[state].tolist(), "only actions that are available in the state")
    return probabilities
