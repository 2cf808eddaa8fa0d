"""Sources of the acting agent's knowledge of others' futures.

Alizadeh Alamdari et al. 2021 assume distributions over value functions, reward functions or options. They name as a
limitation that they do not say how to acquire them. Here they come from one of five sources:

- by hand: `Distribution`, `Table`, `Option`;
- exactly, from a tabular decision process: `exact_values`, `policy_values`, `option_values`;
- by Q-learning: `learned_values`;
- from the critic of a Stable-Baselines3 model, or of several of them as a distribution: `critic`, `critics`;
- from observed trajectories, with an ensemble of fitted values as the distribution: `fitted_values`.

The next agent need not start where the acting agent stopped: `FromStarts` averages a value function over a known
distribution of starting states, as section 3.1 asks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_array, csr_array, diags_array

from considerate.distributions import (
    Distribution,
    Number,
    Option,
    RewardFunction,
    State,
    Table,
    ValueFunction,
    as_distribution,
    value_at,
)
from considerate.training.estimates import Critic, Linear, Trajectory, critic, critics, fitted_values, learned_values
from multislot.checks import checked_callable, checked_instance, refusal
from multislot.mdp.chains import Floats
from multislot.mdp.solving import TabularMDP

__all__ = [
    "Critic",
    "Distribution",
    "FromStarts",
    "Linear",
    "Option",
    "RewardFunction",
    "Table",
    "Trajectory",
    "ValueFunction",
    "as_distribution",
    "critic",
    "critics",
    "exact_values",
    "fitted_values",
    "learned_values",
    "option_values",
    "policy_values",
]


@dataclass(frozen=True)
class FromStarts:
    """A value function for others whose starting state depends on where the acting agent ended.

    Section 3.1: V(s') may be "the expected return of future activity considered over a known distribution of starting
    states, given that the acting agent ended in s'".

    Args:
        value: the expected return from a state in which the next agent starts.
        starts: from the acting agent's end state to the distribution of starting states.
    """

    value: ValueFunction
    starts: Callable[[State], Distribution[State]]

    def __post_init__(self) -> None:
        for name, function in (("value", self.value), ("starts", self.starts)):
            checked_callable(name, function, "a function of states")

    def __call__(self, state: State) -> Number:
        """Return the expected value over the starting states, given that the acting agent ended in ``state``."""
        starts = checked_instance(f"starts({state!r})", self.starts(state), Distribution)
        return starts.expect(lambda start: value_at(self.value, start))


def exact_values(
    process: TabularMDP, discount: float = 1, states: Sequence[Any] | None = None, horizon: int | None = None
) -> Table:
    """Return the optimal value function of an agent that acts in ``process``.

    Args:
        process: the next agent's own task, with S states.
        discount: γ of that agent.
        states: [S], the name of each state in the acting agent's environment; by default its index.
        horizon: the number of steps of that agent; None for no bound.

    Raises:
        NeverEndingError: undiscounted, never ending pays.
    """
    checked_instance("process", process, TabularMDP)
    return _table(process.solve(discount, horizon).values, states)


def policy_values(
    process: TabularMDP, policy: ArrayLike, discount: float = 1, states: Sequence[Any] | None = None
) -> Table:
    """Return the value function of a fixed policy.

    Args:
        process: as for `exact_values`.
        policy: [S] action indices or [S, A] probabilities.
        discount: γ of that agent.
        states: as for `exact_values`.
    """
    checked_instance("process", process, TabularMDP)
    return _table(process.evaluate(policy, discount), states)


def option_values(
    process: TabularMDP,
    policy: ArrayLike,
    termination: ArrayLike,
    discount: float = 1,
    states: Sequence[Any] | None = None,
) -> Table:
    """Return the value of an option ⟨I, π, β⟩: V(s) = E[r + γ·(1 − β(s'))·V(s')], the value function of equation 8.

    Args:
        process: the task in which the option runs, with S states and A actions.
        policy: π, [S] action indices or [S, A] probabilities.
        termination: β, [S] probabilities of stopping on arrival in a state.
        discount: γ.
        states: as for `exact_values`.
    """
    checked_instance("process", process, TabularMDP)
    try:
        stop = np.asarray(termination, dtype=float)
    except (TypeError, ValueError, OverflowError):
        stop = np.array(np.nan)
    if stop.shape != (process.n_states,) or not ((stop >= 0) & (stop <= 1)).all():
        raise refusal("termination", termination, f"{process.n_states} probabilities, one a state")
    transitions = tuple(_add_stopping(matrix, stop) for matrix in process.transitions)
    rewards = np.vstack([process.rewards, np.zeros(process.n_actions)])
    run = TabularMDP(transitions, rewards, np.append(process.start, 0))
    followed = np.asarray(policy)
    followed = np.concatenate([followed, np.zeros((1, *followed.shape[1:]), followed.dtype)])
    return _table(run.evaluate(followed, discount)[:-1], states)


def _table(values: Floats, states: Sequence[Any] | None) -> Table:
    if states is None:
        return Table(values)
    if len(states) != len(values):
        raise refusal("states", states, f"the names of {len(values)} states")
    return Table(dict(zip(states, values.tolist(), strict=True)))


def _add_stopping(matrix: csr_array, stop: Floats) -> csr_array:
    """[S + 1, S + 1]: each arrival leads on to a last, terminal state with probability ``stop``."""
    ending = csr_array((matrix @ stop)[:, None])
    blocks: Any = [[matrix @ diags_array(1 - stop), ending], [None, csr_array((1, 1))]]
    stopped = csr_array(block_array(blocks))
    stopped.eliminate_zeros()
    return stopped
