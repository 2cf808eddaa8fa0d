"""Exact solutions: what a considerate agent does in a task of Craft-World, for every criterion (equations 1–8).

`considerate.exact.problem` explains how a solution is found. A tie goes to the lower auxiliary term, and is reported.
If the costs and rewards of a cycle add up to 0 (under equation 6, or with a partner), some ties of paths over its steps
may be missing (`considerate.exact.paths.tied`).
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from considerate.craftworld.definition import Task
from considerate.craftworld.grid import Position
from considerate.craftworld.rules import State
from considerate.criteria import AugmentedReward, Criterion
from considerate.distributions import Number
from considerate.exact.frontiers import frontier
from considerate.exact.paths.rationals import simplest
from considerate.exact.problem import Behavior, Caring, Problem, augmented
from multislot.checks import refusal
from multislot.errors import NeverEndingError, SettingError
from multislot.mdp.solving import TabularMDP


@dataclass(frozen=True)
class Solution(Behavior):
    """An optimal behavior.

    Attributes:
        objective: the maximized total, ``α₁·own + term``; below γ = 1 the discounted one.
        trajectory: the states on the path, first and last included.
        actions: the actions between them, by name.
        ties: other behaviors that are exactly as good, one for each different list of returns; `solve` says when the
            list may be incomplete.
    """

    objective: Number
    trajectory: tuple[State, ...]
    actions: tuple[str, ...]
    ties: tuple[Behavior, ...]
    task: Task = field(repr=False)
    reward: AugmentedReward = field(repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "objective", simplest(self.objective))

    @property
    def path(self) -> tuple[Position, ...]:
        """The cells on the path."""
        return tuple(state.cell for state in self.trajectory)

    @cached_property
    def thresholds(self) -> tuple[Fraction, ...]:
        """The factors, from 0 on, of all others' coefficients at which behavior changes (γ = 1).

        With one coefficient for all others these are values of that coefficient.
        """
        if self.reward.discount != 1:
            raise SettingError(f"got discount={self.reward.discount}; thresholds are those of γ = 1")
        others = self.reward.others
        caring = {a: alpha for a, alpha in others.caring.items() if a in others.futures and a != others.acting}
        if len(set(caring.values())) == 1:
            caring = dict.fromkeys(caring, 1)
        caring[others.acting] = self.reward.own_coefficient
        return frontier(self.task, self.reward.criterion, caring=caring, futures=dict(others.futures)).thresholds


def solve(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Caring = 1,
    *,
    discount: Number = 1,
    futures: Any = None,
) -> Solution:
    """Find an optimal behavior of the acting agent.

    The solution is optimal, and every reported tie is exact (with terms in floats, up to rounding). All ties are
    reported, and the one with the lowest auxiliary term is chosen, with one exception: a cycle of total cost 0 changes
    the own cost or the others' rewards (under equation 6, or with a partner). Then paths that take a step of such a
    cycle are considered only if each of those steps leads further from the start. Other ties may be missing, and the
    term is the lowest of the paths considered.

    Args:
        task: the acting agent's task.
        criterion: an equation by name (``value, worst, neg, per_agent, min, sim, options, valued_options``), or any
            `Criterion`.
        caring: α₂, the same for all others; or α by agent. Agents without an entry are not considered. The entry of the
            acting agent is α₁ (by default 1). Under criteria with a coefficient for each agent (equations 4–6), such an
            entry also means that its own future counts, with the same α₁, if the task has one (``Task.own_future``,
            appendix B.2). A float stands for the decimal number that it prints as.
        discount: γ. At 1 the solution is exact and ties are reported.
        futures: what the acting agent believes of the others' futures, by agent, or one for all others, as
            `considerate.futures.as_distribution` reads them; by default the true futures.

    Raises:
        NeverEndingError: the task cannot be finished, or never finishing it is optimal.
    """
    problem = Problem(task, augmented(task, criterion, caring, discount=discount, futures=futures))
    if discount == 1:
        chosen, tied = problem.best()
        solution = solution_of(problem, *problem.path(chosen))
        objective = problem.reward.own_coefficient * solution.own_return + chosen.behavior.term
        ties: dict[tuple[Number, ...], Behavior] = {}
        for other in tied:
            ties.setdefault(tuple(other.behavior.returns.values()), other.behavior)
        ties.pop(tuple(solution.returns.values()), None)
        return replace(solution, term=chosen.behavior.term, objective=objective, ties=tuple(ties.values()))
    try:
        process = problem.process()
    except OverflowError:
        raise refusal("caring", caring, "coefficients whose terms fit a float", "discount=1 is exact") from None
    return follow(problem, process, float(discount))


def follow(problem: Problem, process: TabularMDP, discount: float) -> Solution:
    """Follow an optimal policy of any rewards [S, A] from the start; at γ = 1 the best of the policies that end."""
    plan = process.solve(discount)
    path = problem.graph.follow(plan.policy, problem.start)
    if path is None:
        raise NeverEndingError(f"at γ = {discount} never ending is optimal; give a larger γ or care less")
    solution = solution_of(problem, *path)
    return solution if discount == 1 else replace(solution, objective=float(plan.values[problem.start]))


def solution_of(problem: Problem, states: list[int], actions: list[int]) -> Solution:
    """Make the solution of a path that ends, given by the indices of its states and of the actions between them."""
    behavior = problem.behavior_of(states, actions)
    return Solution(
        returns=behavior.returns,
        term=behavior.term,
        end_state=behavior.end_state,
        objective=problem.reward.own_coefficient * behavior.own_return + behavior.term,
        trajectory=tuple(map(problem.graph.state, states)),
        actions=tuple(problem.graph.actions[action] for action in actions),
        ties=(),
        task=problem.task,
        reward=problem.reward,
    )
