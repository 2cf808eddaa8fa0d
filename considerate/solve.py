"""Exact solutions: what a considerate agent does in a task of Craft-World, for every criterion (equations 1–8).

The acting agent's reward is ``α₁·r₁`` a step and the auxiliary term γ·F at the end (Alizadeh Alamdari et al. 2021,
equations 1–5, 7, 8), so at γ = 1 an optimal policy is a cheapest way to an end state e that maximises
``α₁·own(e) + F(e)``: one shortest-path search gives own(e) for all of them, and what follows is exact arithmetic on
fractions. Equation 6 pays at every step; there the costs of the search hold the others' rewards as well.

Proposition 1 gives conditions under which an optimal policy ends (γ = 1, α₁ > 0, every reward negative before the end,
finite values, some policy ends; for equation 6 the augmented reward must be negative). They are sufficient only: where
they fail, a task is refused if never ending is in fact optimal, and solved otherwise.

A tie goes to the lower auxiliary term, and is named.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import Any

import numpy as np

from considerate.craftworld.arrays import ENDED, Graph, exact
from considerate.craftworld.definition import Task
from considerate.craftworld.grid import Cell
from considerate.craftworld.rules import Number, State
from considerate.criteria import (
    AugmentedReward,
    Criterion,
    Options,
    Simultaneous,
    ValuedOptions,
    augment,
    get_criterion,
)
from considerate.ending import checked_ending
from multislot.chains import Floats
from multislot.errors import NeverEndingError, SettingError
from multislot.mdp import TabularMDP

Caring = Number | Mapping[Any, Number]
LARGEST_DENOMINATOR = 10**6
"""Weights are floats of fractions; a fraction of a larger denominator could not be told from its neighbours."""
EXACT_BELOW = 2**53
"""Whole numbers below it are exact as floats, and so are their sums."""
TIE_SCALE = 2**17
"""Weights are multiplied by this so that a tie can be broken by one unit for each unit of the others' reward."""


@dataclass(frozen=True)
class Outcome:
    """One way to behave, by what comes of it.

    Attributes:
        returns: each agent's undiscounted own return without caring terms, the acting agent first.
        term: what the criterion adds to the acting agent's return.
        end_state: where the acting agent stops, and what is then true.
    """

    returns: dict[str, Number]
    term: Number
    end_state: State

    @property
    def own_return(self) -> Number:
        """The acting agent's own return."""
        return next(iter(self.returns.values()))


@dataclass(frozen=True)
class Solution(Outcome):
    """An optimal behaviour.

    Attributes:
        objective: what is maximised: ``α₁·own + term``.
        trajectory: the states passed through, first and last included.
        actions: the actions between them, by name.
        ties: other behaviours that are exactly as good, one for each different list of returns.
    """

    objective: Number
    trajectory: tuple[State, ...]
    actions: tuple[str, ...]
    ties: tuple[Outcome, ...]
    task: Task = field(repr=False)
    reward: AugmentedReward = field(repr=False)

    @property
    def path(self) -> tuple[Cell, ...]:
        """The cells passed through."""
        return tuple(state.cell for state in self.trajectory)

    @cached_property
    def thresholds(self) -> tuple[Fraction, ...]:
        """Where behaviour changes as all others' coefficients are multiplied by one factor, from 0 on (γ = 1).

        With one coefficient for all others these are values of that coefficient.
        """
        from considerate.frontier import frontier

        if self.reward.discount != 1:
            raise SettingError(f"thresholds are those of γ = 1; this solution has γ = {self.reward.discount}")
        others = self.reward.others
        caring = {agent: alpha for agent, alpha in others.caring.items() if agent in others.futures}
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
    futures: Mapping[Any, Any] | None = None,
) -> Solution:
    """Finds an optimal behaviour of the acting agent.

    Args:
        task: what it has to do.
        criterion: an equation by name (``value, worst, neg, per_agent, min, sim, options, valued_options``), or any
            `Criterion`.
        caring: α₂, the same for all others; or α by agent, where agents left out are not considered and the acting
            agent's own is α₁ (1 if it is not given). A float stands for the decimal number that it prints as.
        discount: γ. At 1 the solution is exact and ties are named.
        futures: what the acting agent takes the others' futures to be; by default what is the case.

    Raises:
        SettingError: if an argument is out of its domain or the criterion cannot use it.
        UnknownNameError: if there is no such criterion or agent.
        NeverEndingError: if the task cannot be finished, or never finishing it is optimal.
    """
    reward = augmented(task, criterion, caring, discount=discount, futures=futures)
    problem = Problem(task, reward)
    if discount != 1:
        return problem.by_planning(discount)
    if not problem.pays_at_the_end:
        return problem.by_shortest_path() if problem.always_costs else problem.by_planning(1)
    if (task.graph.costs[~task.graph.terminal] <= 0).any():
        return problem.by_planning(1)
    return problem.by_end_state()


def augmented(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Caring = 1,
    *,
    discount: Number = 1,
    futures: Mapping[Any, Any] | None = None,
) -> AugmentedReward:
    """The acting agent's reward with the others' futures as the task has them; the arguments are those of `solve`."""
    chosen = get_criterion(criterion)
    if futures is None:
        futures = known_futures(task, chosen)
    alphas = {agent: as_written(alpha) for agent, alpha in caring.items()} if isinstance(caring, Mapping) else caring
    alphas = alphas if isinstance(alphas, dict) else as_written(alphas)
    return augment(chosen, acting=task.acting.name, caring=alphas, futures=futures, discount=as_written(discount))


def known_futures(task: Task, criterion: Criterion) -> dict[str, Any]:
    """Each other agent's future as the task has it: a value function, a reward function or an option.

    A reward function of those who come later pays their whole return in the step in which the acting agent ends.
    """
    if isinstance(criterion, Options | ValuedOptions):
        return dict(task.options())
    values = task.value_functions()
    if not criterion.every_step:
        return dict(values)
    if task.partner is not None:
        return {task.partner.name: PartnerReward(task)}
    return {agent: LaterReward(value) for agent, value in values.items()}


@dataclass(frozen=True)
class LaterReward:
    """Someone's whole return, as its reward of the step in which the acting agent ends (section 3.3)."""

    value: Callable[[State], Number]

    def __call__(self, before: State, action: object, after: State) -> Number:
        """Returns the reward of a step."""
        return self.value(after) if after.things[ENDED] else 0


@dataclass(frozen=True)
class PartnerReward:
    """The partner's reward of a step; of the step in which the acting agent ends, with all that is still to come."""

    task: Task

    def __call__(self, before: State, action: object, after: State) -> Number:
        """Returns the reward of a step."""
        return 0 if self.task.partner is None else self.task.partner.reward(before, after)

    @cached_property
    def array(self) -> Floats:
        """[S, A], the reward of every step."""
        return step_array(self.task.graph, self)


def as_written(number: Number) -> Number:
    """A float as the decimal number that it prints as; anything else as it is."""
    return Fraction(str(number)) if isinstance(number, float) and np.isfinite(number) else number


class Problem:
    """One task with one augmented reward."""

    def __init__(self, task: Task, reward: AugmentedReward) -> None:
        self.task, self.reward = task, reward
        self.graph: Graph = task.graph
        self.start = int(self.graph.starts[0])
        if not task.end_states:
            raise NeverEndingError(f"task {task.name!r} cannot be finished: no end can be reached from its start")

    @property
    def pays_at_the_end(self) -> bool:
        """Whether the auxiliary term depends on the end state alone."""
        later = all(isinstance(item, LaterReward) for f in self.reward.others.futures.values() for item in f.items)
        return not self.reward.criterion.every_step or later

    def term_of(self, reward: AugmentedReward, end: State) -> Number:
        """The auxiliary term of ending in a state, where it depends on that alone."""
        if reward.criterion.every_step:
            return reward.step_term(self.task.start, None, end)
        return reward.term(end, self.task.start)

    def outcomes(self) -> list[Outcome]:
        """The best way to each end state, by what comes of it."""
        costs = self.graph.distances_from(self.start)
        values = self.task.value_functions()
        return [
            Outcome(
                returns={self.task.acting.name: -exact(costs[index])} | {name: v(end) for name, v in values.items()},
                term=self.term_of(self.reward, end),
                end_state=end,
            )
            for index, end in self.task.end_states.items()
        ]

    def by_end_state(self) -> Solution:
        """The end state that is best, and a cheapest way there (γ = 1, every step costs)."""
        check_own_coefficient(self.reward)
        outcomes = self.outcomes()
        objectives = [self._objective(outcome) for outcome in outcomes]
        if self.reward.own_coefficient == 0 and max(objectives) < 0:
            raise NeverEndingError(
                f"α₁ is 0, so never ending costs nothing, and the best end is worth {max(objectives)}: never ending is "
                "optimal; give α₁ above 0"
            )
        best = [o for o, objective in zip(outcomes, objectives, strict=True) if objective == max(objectives)]
        unit = self._unit_reward()
        chosen = min(best, key=lambda o: (o.term, self.term_of(unit, o.end_state), -o.own_return))
        return self._towards(chosen.end_state, _different(chosen, best))

    @cached_property
    def weights(self) -> Floats:
        """[S, A], minus the augmented reward of each step (equation 6), as floats."""
        return float(self.reward.own_coefficient) * self.graph.costs - step_terms(self.graph, self.reward)

    @property
    def always_costs(self) -> bool:
        """Whether the augmented reward is negative at every step (Proposition 1 for equation 6)."""
        return bool((self.weights[~self.graph.terminal] > 0).all())

    def by_shortest_path(self) -> Solution:
        """A cheapest way in the augmented costs (γ = 1, equation 6), ties to the lower auxiliary term."""
        lower, higher = self._cheapest(1), self._cheapest(-1)
        tied = lower.objective == higher.objective
        return replace(lower, ties=_different(lower, [higher]) if tied else ())

    def _cheapest(self, preference: int) -> Solution:
        """A cheapest way; among equals the one of least (1) or most (−1) reward of the others.

        Weights are made integers, and a tie is broken by a part of one unit that no whole way can fill.
        """
        unit = step_terms(self.graph, self._unit_reward())
        scaled = np.rint(self.weights * whole_scale(self.weights)) * TIE_SCALE + preference * unit
        left = self.graph.distances_to(self.graph.ends(), scaled)
        if left[self.start] >= EXACT_BELOW:
            raise _no_common_denominator()
        return self.solution_of(*self.graph.path(self.start, left, scaled))

    def by_planning(self, discount: Number) -> Solution:
        """An optimal policy of the augmented decision process, followed from the start; ties are not named."""
        return self.follow(self.process(), float(discount))

    def follow(self, process: TabularMDP, discount: float) -> Solution:
        """An optimal policy of any rewards on the task's states and actions, followed from the start."""
        plan = (checked_ending(process) if discount == 1 else process).solve(discount)
        states, actions = [self.start], list[int]()
        while not self.graph.terminal[states[-1]]:
            actions.append(int(plan.policy[states[-1]]))
            states.append(int(self.graph.targets[states[-1], actions[-1]]))
            if len(states) > self.graph.n_states:
                raise NeverEndingError(f"at γ = {discount} never ending is optimal; give a larger γ or care less")
        solution = self.solution_of(states, actions)
        return solution if discount == 1 else replace(solution, objective=float(plan.values[self.start]))

    def process(self) -> TabularMDP:
        """The augmented decision process: reward ``α₁·r₁`` plus the auxiliary term where it is paid."""
        if self.reward.criterion.every_step:
            return TabularMDP(self.graph.transitions, -self.weights, self.graph.process().start)
        terms = np.zeros(self.graph.n_states)
        for index, end in self.task.end_states.items():
            terms[index] = float(self.reward.term(end, self.task.start))
        rewards = -float(self.reward.own_coefficient) * self.graph.costs
        rewards += np.where(self.graph.terminal[:, None], 0.0, terms[self.graph.targets])
        return TabularMDP(self.graph.transitions, rewards, self.graph.process().start)

    def _objective(self, outcome: Outcome) -> Number:
        return self.reward.own_coefficient * outcome.own_return + outcome.term

    def _unit_reward(self) -> AugmentedReward:
        """The same criterion and futures with every coefficient 1."""
        futures = dict(self.reward.others.futures)
        return augment(self.reward.criterion, acting=self.task.acting.name, caring=1, futures=futures)

    def _towards(self, end: State, ties: tuple[Outcome, ...]) -> Solution:
        """A cheapest way to one end state."""
        index = next(index for index, state in self.task.end_states.items() if state == end)
        left = self.graph.distances_to(np.array([index]))
        return self.solution_of(*self.graph.path(self.start, left), ties)

    def solution_of(self, states: list[int], actions: list[int], ties: tuple[Outcome, ...] = ()) -> Solution:
        """What comes of a way that ends: its states and the actions between them, by index."""
        trajectory = tuple(map(self.graph.state, states))
        names = tuple(self.graph.actions[action] for action in actions)
        own = -sum(self.graph.exact_cost(s, a) for s, a in zip(states[:-1], actions, strict=True))
        term: Number = sum(
            self.reward.step_term(before, name, after)
            for before, name, after in zip(trajectory[:-1], names, trajectory[1:], strict=True)
        ) + self.reward.term(trajectory[-1], self.task.start)
        others = self._others_returns(trajectory)
        return Solution(
            returns={self.task.acting.name: own} | others,
            term=term,
            end_state=trajectory[-1],
            objective=self.reward.own_coefficient * own + term,
            trajectory=trajectory,
            actions=names,
            ties=ties,
            task=self.task,
            reward=self.reward,
        )

    def _others_returns(self, trajectory: tuple[State, ...]) -> dict[str, Number]:
        """Each other agent's own return, all of it."""
        partner = self.task.partner
        if partner is None:
            return {name: value(trajectory[-1]) for name, value in self.task.value_functions().items()}
        return {partner.name: sum(partner.reward(before, after) for before, after in pairwise(trajectory))}


def whole_scale(weights: Floats) -> int:
    """Return the least number that makes every weight whole, whatever fraction it comes from (α, probability, cost).

    Args:
        weights: any shape; each a fraction whose denominator is at most 10⁶.

    Raises:
        SettingError: a weight is no such fraction.
    """
    values = np.unique(weights[np.isfinite(weights)])
    fractions = [Fraction(value).limit_denominator(LARGEST_DENOMINATOR) for value in values.tolist()]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    nearest = np.array([float(fraction) for fraction in fractions])
    are_fractions = bool((np.abs(values - nearest) <= 1e-14 * (1 + np.abs(values))).all())
    if not are_fractions:
        raise _no_common_denominator()
    return scale


def _no_common_denominator() -> SettingError:
    return SettingError(
        "coefficients, probabilities, costs and losses have no small common denominator, so that ways could not be "
        "compared exactly; give fractions with smaller denominators"
    )


def step_terms(graph: Graph, reward: AugmentedReward) -> Floats:
    """[S, A], what a criterion that pays at every step adds to each."""
    others = reward.others
    if not isinstance(reward.criterion, Simultaneous):
        return step_array(graph, reward.step_term)
    total = np.zeros_like(graph.costs)
    for agent, future in others.futures.items():
        for probability, function in future.support():
            steps = function.array if isinstance(function, PartnerReward) else step_array(graph, function)
            total += float(others.caring[agent] * probability) * steps
    return total


def step_array(graph: Graph, function: Callable[[State, str, State], Number]) -> Floats:
    """[S, A], a function of (state, action, next state) at every step; 0 in terminal states."""
    states = [graph.state(index) for index in range(graph.n_states)]
    found = np.zeros_like(graph.costs)
    for source in np.flatnonzero(~graph.terminal):
        for action, target in enumerate(graph.targets[source]):
            found[source, action] = float(function(states[source], graph.actions[action], states[target]))
    return found


def check_own_coefficient(reward: AugmentedReward) -> None:
    """Raises NeverEndingError if α₁ < 0: where every step costs, it is then paid for every step, for ever."""
    if reward.own_coefficient < 0:
        raise NeverEndingError(
            f"α₁ is {reward.own_coefficient}, below 0, and every step costs: never ending pays without bound"
        )


def _different(chosen: Outcome, others: list[Any]) -> tuple[Outcome, ...]:
    """The first of each kind of outcome with other returns than the chosen one."""
    kinds: dict[tuple[Number, ...], Outcome] = {}
    for other in others:
        kinds.setdefault(tuple(other.returns.values()), Outcome(other.returns, other.term, other.end_state))
    kinds.pop(tuple(chosen.returns.values()), None)
    return tuple(kinds.values())
