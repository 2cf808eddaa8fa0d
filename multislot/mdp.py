"""Finite Markov decision processes as sparse arrays, solved exactly: everything tabular stands on this.

``V(s) = max_a r(s, a) + γ Σ_s' T(s'|s, a) V(s')``, and 0 at terminal states (Alizadeh Alamdari et al. 2021, section 2).
With a horizon this is backward induction. Without one it is policy iteration, whose evaluations are sparse linear
solves; undiscounted deterministic problems with negative rewards are shortest paths and take one Dijkstra search.

Undiscounted (γ = 1) without a horizon, a value exists only where something can end: policy iteration starts from a
policy that ends with probability 1 and stays among such policies; a state from which none ends is worth −∞ when
every reward among such states is negative; where never ending pays without bound the problem is refused.

Departure from the paper: a terminal state is an all-zero row (nothing follows) rather than a rewardless loop, so that
a linear solve is regular at γ = 1. Ties go to the first action in order.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, diags_array

from multislot.chains import (
    Flags,
    Floats,
    Integers,
    ends_surely,
    never_ends,
    shortest,
    total,
    towards_the_end,
    undiscounted_total,
)
from multislot.errors import NeverEndingError, SettingError

ROUNDING = 1e-9
SMALLEST_GAIN = 1e-13


@dataclass(frozen=True, eq=False)
class Plan:
    """An optimal plan, seen from the first step.

    Attributes:
        values: [S], the best expected return from each state; −∞ where an undiscounted problem cannot end.
        action_values: [S, A], the return of an action followed by the plan; −∞ where the action is not available.
        policy: [S], the first best action of each state; 0 in terminal states.
    """

    values: Floats
    action_values: Floats
    policy: Integers


@dataclass(frozen=True, eq=False)
class TabularMDP:
    """A finite Markov decision process ``⟨S, A, T, r⟩`` with a distribution of initial states.

    Args:
        transitions: one [S, S] matrix an action; a row sums to 1, or to 0 where the action is not available. A state
            in which no action is available is terminal.
        rewards: [S, A], expected reward of an action; not read where the action is not available.
        start: [S], probabilities of the first state.

    Raises:
        SettingError: if shapes disagree, a number is not finite, or rows or ``start`` are not distributions.
    """

    transitions: tuple[csr_array, ...]
    rewards: Floats
    start: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "transitions", tuple(csr_array(matrix).astype(float) for matrix in self.transitions))
        object.__setattr__(self, "rewards", np.asarray(self.rewards, dtype=float))
        object.__setattr__(self, "start", np.asarray(self.start, dtype=float))
        _check_shapes(self)
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
        """[S], the states in which nothing can be done any more."""
        return cast("Flags", ~self.available.any(axis=1))

    def solve(self, discount: float, horizon: int | None = None, tolerance: float = 1e-12) -> Plan:
        """Finds the best plan, exact up to floating point.

        Args:
            discount: γ in [0, 1].
            horizon: number of steps; None for no bound.
            tolerance: how much more than rounding an action must gain to replace another, relative to the values.

        Raises:
            SettingError: if an argument is out of its domain.
            NeverEndingError: if γ = 1, without a horizon, and never ending pays without bound or has no defined value.
        """
        _check_planning(discount, horizon)
        if horizon is not None:
            return self._plan(self._backward(discount, horizon, tolerance), tolerance)
        if discount < 1:
            values = _iterate_policies(self, discount, np.argmax(self.available, axis=1), tolerance)
        else:
            values = self._undiscounted(tolerance)
        plan = self._plan(self.action_values(values, discount), tolerance)
        return plan if discount < 1 else self._ending(plan, tolerance)

    def evaluate(self, policy: ArrayLike, discount: float, horizon: int | None = None) -> Floats:
        """Expected return of a policy from every state, [S].

        Args:
            policy: [S] action indices or [S, A] probabilities; not read in terminal states.
            discount: γ in [0, 1].
            horizon: number of steps; None for no bound. A policy that may never end is then worth ±∞ at γ = 1, by the
                sign of what it is paid for ever.

        Raises:
            SettingError: if the policy is not one of this process.
            NeverEndingError: if γ = 1 and what is paid for ever has no sign.
        """
        _check_planning(discount, horizon)
        matrix, rewards = self._follow(_as_probabilities(self, policy))
        if horizon is not None:
            values = np.zeros(self.n_states)
            for _ in range(horizon):
                values = rewards + discount * (matrix @ values)
            return values
        if discount < 1:
            return total(matrix, rewards, discount)
        return undiscounted_total(matrix, rewards, self.terminal)

    def action_values(self, values: Floats, discount: float) -> Floats:
        """One step of lookahead: ``r(s, a) + γ Σ T(s'|s, a) values(s')``, [S, A]; −∞ where not available."""
        ahead = np.column_stack([_expect(matrix, values) for matrix in self.transitions])
        return np.where(self.available, self.rewards + discount * ahead, -np.inf)

    def _plan(self, action_values: Floats, tolerance: float) -> Plan:
        """Reads values and first best actions off the action values."""
        best = np.where(self.terminal, 0.0, action_values.max(axis=1))
        near = self.available & (action_values >= best[:, None] - _slack(best, tolerance))
        return Plan(best, action_values, np.argmax(near, axis=1).astype(np.int64))

    def _ending(self, plan: Plan, tolerance: float) -> Plan:
        """The plan, with a policy of equally good actions that ends where the first best actions never would."""
        matrix, _ = self._follow(_as_probabilities(self, plan.policy))
        if not (never_ends(matrix, self.terminal) & np.isfinite(plan.values)).any():
            return plan
        best = plan.action_values >= plan.values[:, None] - _slack(plan.values, tolerance)
        best &= np.isfinite(plan.action_values)
        return replace(plan, policy=towards_the_end(self.transitions, self.available, self.terminal, best))

    def _backward(self, discount: float, horizon: int, tolerance: float) -> Floats:
        """Action values with ``horizon`` steps left, by backward induction."""
        values = np.zeros(self.n_states)
        for _ in range(horizon - 1):
            values = self._plan(self.action_values(values, discount), tolerance).values
        return self.action_values(values, discount)

    def _undiscounted(self, tolerance: float) -> Floats:
        """Best values at γ = 1 among policies that end with probability 1."""
        proper, usable = ends_surely(self.transitions, self.available, self.terminal)
        self._check_trapped(~proper)
        paid = self.rewards[self.available]
        if np.all(paid < 0) and all(np.all(matrix.data == 1) for matrix in self.transitions):
            return -shortest(self.transitions, self.rewards, self.available, self.terminal)
        first = towards_the_end(self.transitions, self.available, self.terminal, usable)
        values = _iterate_policies(_restrict(self, usable), 1.0, first, tolerance)
        return np.where(proper, values, -np.inf)

    def _check_trapped(self, trapped: Flags) -> None:
        """Refuses an undiscounted problem in which not being able to end is not simply worth −∞."""
        free = trapped & (self.available & (self.rewards >= 0)).any(axis=1)
        if free.any():
            raise NeverEndingError(
                f"undiscounted, nothing done from state {int(np.argmax(free))} is sure to end, and a step there is "
                "free or gains; give a discount below 1 or a horizon"
            )

    def _follow(self, probabilities: Floats) -> tuple[csr_array, Floats]:
        """Transition matrix [S, S] and expected reward [S] of a policy given as [S, A] probabilities."""
        matrix = csr_array((self.n_states, self.n_states))
        for action, transition in enumerate(self.transitions):
            matrix = matrix + diags_array(probabilities[:, action]) @ transition
        paid = np.where(probabilities > 0, self.rewards, 0.0)
        return csr_array(matrix), np.einsum("sa,sa->s", probabilities, paid)


def _check_shapes(process: TabularMDP) -> None:
    """Raises SettingError if the arrays do not describe one process."""
    states, actions = len(process.start), len(process.transitions)
    if process.start.ndim != 1 or not states or not actions:
        raise SettingError("a process needs at least one state and one action")
    if process.rewards.shape != (states, actions):
        raise SettingError(f"rewards have shape {process.rewards.shape}, expected [S, A] = {(states, actions)}")
    for action, matrix in enumerate(process.transitions):
        if matrix.shape != (states, states):
            raise SettingError(f"transitions of action {action} have shape {matrix.shape}, expected {(states, states)}")


def _check_distributions(process: TabularMDP) -> None:
    """Raises SettingError if something that should be a distribution is not, or a reward is not finite."""
    for action, matrix in enumerate(process.transitions):
        sums = np.asarray(matrix.sum(axis=1))
        wrong = (np.abs(sums - 1) > ROUNDING) & (sums != 0)
        if not np.isfinite(matrix.data).all() or (matrix.data < 0).any() or wrong.any():
            state = int(np.argmax(wrong))
            raise SettingError(
                f"action {action}: the row of state {state} sums to {sums[state]}, expected probabilities that sum "
                "to 1 (or an empty row where the action is not available)"
            )
    if not (process.start >= 0).all() or abs(process.start.sum() - 1) > ROUNDING:
        raise SettingError(f"start sums to {process.start.sum()}, expected probabilities that sum to 1")
    if not np.isfinite(process.rewards[process.available]).all():
        raise SettingError("rewards of available actions must be finite")


def _check_planning(discount: float, horizon: int | None) -> None:
    """Raises SettingError if the discount or the horizon is out of its domain."""
    if not 0 <= discount <= 1:
        raise SettingError(f"discount is {discount}, expected a number in [0, 1]")
    if horizon is not None and horizon < 1:
        raise SettingError(f"horizon is {horizon}, expected at least one step, or None for no bound")


def _slack(values: Floats, tolerance: float) -> float:
    """How far two action values may lie apart and still count as equal."""
    return tolerance * float(np.abs(values[np.isfinite(values)]).max(initial=1.0))


def _expect(matrix: csr_array, values: Floats) -> Floats:
    """``matrix @ values`` where values may be −∞ (a probability 0 is absent from the matrix, so no 0·∞ arises)."""
    if np.isfinite(values).all():
        return cast("Floats", matrix @ values)
    lost = matrix @ np.isneginf(values).astype(float) > 0
    return np.where(lost, -np.inf, matrix @ np.where(np.isneginf(values), 0.0, values))


def _iterate_policies(process: TabularMDP, discount: float, policy: Integers, tolerance: float) -> Floats:
    """Policy iteration from a given policy: evaluate exactly, change only what gains more than rounding.

    Raises:
        NeverEndingError: if an improvement never ends at γ = 1: it then gains without bound.
    """
    rows = np.arange(process.n_states)
    while True:
        matrix, rewards = process._follow(_as_probabilities(process, policy))
        if discount == 1 and (never := never_ends(matrix, process.terminal)).any():
            raise NeverEndingError(
                f"undiscounted, never ending pays without bound from state {int(np.argmax(never))}; "
                "give a discount below 1 or a horizon"
            )
        values = total(matrix, rewards, discount)
        ahead = process.action_values(values, discount)
        gain = np.zeros_like(values)
        np.subtract(ahead.max(axis=1), ahead[rows, policy], out=gain, where=~process.terminal)
        better = gain > _slack(values, max(tolerance, SMALLEST_GAIN))
        if not better.any():
            return np.where(process.terminal, 0.0, values)
        policy = np.where(better, np.argmax(ahead, axis=1), policy)


def _as_probabilities(process: TabularMDP, policy: ArrayLike) -> Floats:
    """A policy as [S, A] probabilities, zero in terminal states.

    Raises:
        SettingError: if it has another shape, is not a distribution, or takes an action that is not available.
    """
    given = np.asarray(policy)
    states, actions = process.n_states, process.n_actions
    if given.shape == (states,) and np.issubdtype(given.dtype, np.integer):
        if ((given < 0) | (given >= actions)).any():
            raise SettingError(f"a policy's actions must lie in 0..{actions - 1}")
        given = np.eye(actions)[given]
    if given.shape != (states, actions):
        raise SettingError(f"a policy has shape {given.shape}, expected [S] action indices or [S, A] probabilities")
    live = ~process.terminal
    probabilities = np.where(live[:, None], given.astype(float), 0.0)
    if (probabilities < 0).any() or (np.abs(probabilities[live].sum(axis=1) - 1) > ROUNDING).any():
        raise SettingError("a policy's probabilities must be at least 0 and sum to 1 in every state")
    if (probabilities[~process.available] > 0).any():
        state = int(np.argmax(((probabilities > 0) & ~process.available).any(axis=1)))
        raise SettingError(f"the policy takes an action in state {state} that is not available there")
    return probabilities


def _restrict(process: TabularMDP, usable: Flags) -> TabularMDP:
    """The same process with only the ``usable`` actions; states left without one become terminal."""
    kept = [
        csr_array(diags_array(usable[:, action].astype(float)) @ matrix)
        for action, matrix in enumerate(process.transitions)
    ]
    for matrix in kept:
        matrix.eliminate_zeros()
    return TabularMDP(tuple(kept), process.rewards, process.start)
