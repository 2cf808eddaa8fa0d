"""A task with one augmented reward: which behaviors are optimal, by one exact search.

The acting agent's reward is ``α₁·r₁`` a step and the auxiliary term γ·F at the end (Alizadeh Alamdari et al. 2021,
equations 1–5, 7, 8). So at γ = 1 an optimal policy is a cheapest path to an end state e that maximizes
``α₁·own(e) + F(e)``. One shortest-path search gives own(e) for all end states; the rest is exact arithmetic on
fractions. Equation 6 pays at every step, so there the costs of the search include the others' rewards.

By default the agent knows the others' true futures: each other agent's value function, reward function or option, as
the task has it (`known_futures`).

An optimal policy need not end: see `considerate.exact.proposition_1`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import isclose
from numbers import Rational
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from considerate.craftworld.arrays import ENDED, Graph
from considerate.craftworld.definition import Task
from considerate.craftworld.rules import State
from considerate.criteria import (
    OTHERS,
    AugmentedReward,
    Criterion,
    Options,
    Simultaneous,
    ValuedOptions,
    augment,
    get_criterion,
)
from considerate.distributions import Number, ValueFunction, value_at
from considerate.exact.paths.network import Network
from considerate.exact.paths.rationals import Rationals, Wholes, as_written, simplest
from considerate.exact.paths.tied import Counts, TiedPaths
from considerate.exact.proposition_1 import check_ending, worth_of_never_ending
from multislot.checks import checked_float, checked_instance, checked_mapping
from multislot.errors import NeverEndingError, SettingError, UnknownNameError
from multislot.mdp.solving import TIE, TabularMDP

Caring: TypeAlias = Number | Mapping[Any, Number]
OWN_COST, PARTNER_REWARD = "own cost", "partner's reward"
"""The totals in which paths of equal worth to the same end may differ."""


@dataclass(frozen=True)
class Behavior:
    """One way to behave, by its results.

    Attributes:
        returns: each agent's undiscounted own return without caring terms, the acting agent first.
        term: what the criterion adds to the acting agent's return.
        end_state: the acting agent's last cell, and the facts then.
    """

    returns: dict[str, Number]
    term: Number
    end_state: State

    def __post_init__(self) -> None:
        checked_mapping("returns", self.returns)
        object.__setattr__(self, "returns", {agent: simplest(number) for agent, number in self.returns.items()})
        object.__setattr__(self, "term", simplest(self.term))

    @property
    def own_return(self) -> Number:
        """The acting agent's own return."""
        return next(iter(self.returns.values()))


class Candidate(NamedTuple):
    """Paths to one end state with the same results.

    Attributes:
        behavior: their results.
        end: where they end, by index.
        counts: the totals that distinguish them from other paths to that end.
        unit: the auxiliary term if all coefficients were 1.
    """

    behavior: Behavior
    end: int
    counts: Counts
    unit: Number


def augmented(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Caring = 1,
    *,
    discount: Number = 1,
    futures: Any = None,
) -> AugmentedReward:
    """Make the acting agent's augmented reward; arguments as for `solve`."""
    check_task(task)
    chosen = get_criterion(criterion)
    acting = task.acting.name
    if futures is None:
        own = isinstance(caring, Mapping) and acting in caring and not chosen.one_coefficient
        futures = known_futures(task, chosen, own)
    unknown = [a for a in futures if a not in (*task.agents, OTHERS)] if isinstance(futures, Mapping) else []
    if unknown:
        raise UnknownNameError("agent with a future", unknown[0], task.agents)
    alphas: Any = {agent: as_written(caring[agent]) for agent in caring} if isinstance(caring, Mapping) else caring
    return augment(chosen, acting=acting, caring=as_written(alphas), futures=futures, discount=as_written(discount))


def check_task(task: object) -> Task:
    """Return a task; raise SettingError if it is not a task."""
    return checked_instance("task", task, Task, "give a task, such as considerate.craftworld.task('box')")


def known_futures(
    task: Task, criterion: Criterion, own: bool = False, learned: Mapping[str, ValueFunction] | None = None
) -> dict[str, Any]:
    """Return each agent's future as the task has it: a value function, a reward function or an option.

    A reward function of those who come later pays their whole return in the step in which the acting agent ends.

    Args:
        task: the task.
        criterion: which kind of future it needs.
        own: whether to include the acting agent's own future, if the task has one.
        learned: value functions to use instead of the true ones, by agent.
    """
    values = {**task.value_functions(own), **(learned or {})}
    if isinstance(criterion, Options | ValuedOptions):
        if task.partner is not None:
            raise SettingError(
                f"{type(criterion).__name__} needs options that others may begin afterwards; in task {task.name!r} "
                f"{task.partner.name!r} acts at the same time: use the criterion 'sim' or one of value functions"
            )
        return {name: replace(option, value=values[name]) for name, option in task.options().items()}
    if not criterion.every_step:
        return dict(values)
    rewards: dict[str, Any] = {agent: LaterReward(value) for agent, value in values.items()}
    if task.partner is not None:
        rewards[task.partner.name] = PartnerReward(task)
    return rewards


@dataclass(frozen=True)
class LaterReward:
    """An agent's whole return as its reward of the step in which the acting agent ends (section 3.3).

    The return is not discounted further at γ < 1, although its steps come later. Later steps, which a wrapper may still
    evaluate, pay 0.
    """

    value: Callable[[State], Number]

    def __call__(self, before: State, action: object, after: State) -> Number:
        """Return the reward of a step."""
        return self.value(after) if after.things[ENDED] and not before.things[ENDED] else 0


@dataclass(frozen=True)
class PartnerReward:
    """The partner's reward of a step; the step in which the acting agent ends includes all later rewards."""

    task: Task

    def __call__(self, before: State, action: object, after: State) -> Number:
        """Return the reward of a step."""
        return 0 if self.task.partner is None else self.task.partner.reward(before, after)


def step_terms(graph: Graph, reward: AugmentedReward) -> Rationals:
    """Compute [S, A], the criterion's term of each step; a reward function with several weights is evaluated once."""
    if not isinstance(reward.criterion, Simultaneous):
        return step_values(graph, reward.step_term)
    total = Rationals.zeros(graph.targets.shape)
    values: dict[int, Rationals] = {}
    for weight, function in reward.others.weighted:
        if id(function) not in values:
            values[id(function)] = step_values(graph, function)
        total += values[id(function)].times(weight)
    return total


def step_values(graph: Graph, function: Callable[[State, str, State], Number]) -> Rationals:
    """Evaluate a function of (state, action, next state) at every step, [S, A]; 0 in terminal states."""
    if isinstance(function, PartnerReward) and function.task.graph is graph:
        return function.task.partner_rewards
    return graph.evaluate(lambda *step: value_at(function, *step))


class Problem:
    """One task with one augmented reward.

    Raises:
        NeverEndingError: the task cannot be finished.
    """

    def __init__(self, task: Task, reward: AugmentedReward) -> None:
        self.task, self.reward = task, reward
        self.graph: Graph = task.graph
        self.start = int(self.graph.starts[0])
        if not task.end_states:
            raise NeverEndingError(f"task {task.name!r} cannot be finished: no end can be reached from its start")

    @cached_property
    def pays_at_the_end(self) -> bool:
        """Whether the auxiliary term depends on the end state alone."""
        if not self.reward.criterion.every_step:
            return True
        items = (item for future in self.reward.others.futures.values() for item in future.items)
        return isinstance(self.reward.criterion, Simultaneous) and all(isinstance(item, LaterReward) for item in items)

    def term_of(self, reward: AugmentedReward, end: State) -> Number:
        """Return the auxiliary term of ending in a state, without the terms of earlier steps."""
        step = reward.step_term(self.task.start, None, end) if self.pays_at_the_end else 0
        return step + reward.term(end, self.task.start)

    @cached_property
    def weights(self) -> Rationals:
        """[S, A], the costs that a path minimizes: minus the augmented reward, or own costs if others count last."""
        own, costs = self.reward.own_coefficient, self.graph.exact_costs
        if self.pays_at_the_end:
            return costs.times(-1) if own < 0 else costs
        return costs.times(own) + step_terms(self.graph, self.reward).times(-1)

    @cached_property
    def network(self) -> Network:
        """The task's steps with these weights."""
        return self.graph.network(self.weights)

    @cached_property
    def distances(self) -> Wholes:
        """[S], least total of the weights from the start, as whole numbers."""
        return self.network.distances_from(self.start)

    @property
    def _scale(self) -> Number:
        """The worth of a unit of distance: |α₁|; 1 if others do not count last, since the weights then include α₁."""
        own = self.reward.own_coefficient if self.pays_at_the_end else 1
        return max(own, -own)

    @cached_property
    def worth_of_never_ending(self) -> Number | None:
        """The worth of the best path to a cycle of cost 0; None if every cycle costs."""
        return worth_of_never_ending(self._scale, self.network, self.weights, self.distances)

    def best(self) -> tuple[Candidate, list[Candidate]]:
        """Return the candidate to choose at γ = 1, and all that are equally good; a tie goes to the lower term.

        Raises:
            NeverEndingError: never ending is better, or pays without bound.
        """
        own = self.reward.own_coefficient
        if self.pays_at_the_end and own < 0 and (self.graph.costs[~self.graph.terminal] > 0).all():
            raise NeverEndingError(f"got α₁={own}, below 0, where every step costs: never ending pays without bound")
        worths = {end: self._worth(end) for end in self.task.end_states}
        best = max(worths.values())
        check_ending(self._scale, self.worth_of_never_ending, best)

        def is_tied(end: int) -> bool:
            cost = self._scale * self._distance(end)
            exact = isinstance(best - worths[end], Rational)
            return worths[end] == best if exact else isclose(worths[end] + cost, best + cost, rel_tol=TIE)

        tied = self.candidates(list(filter(is_tied, worths)))

        def order(candidate: Candidate) -> tuple[Any, ...]:
            returns = tuple(candidate.behavior.returns.values())
            return candidate.behavior.term, candidate.unit, -returns[0], returns

        return min(tied, key=order), tied

    def path(self, candidate: Candidate) -> tuple[list[int], list[int]]:
        """Return states and actions, by index, of one of a candidate's paths."""
        if not self._counted:
            return self.network.paths_to(np.array([candidate.end])).follow(self.start)
        return self._tied([candidate.end]).follow(candidate.end, candidate.counts)

    def behaviors(self) -> list[Behavior]:
        """Return the results of the cheapest paths to each end state."""
        return [candidate.behavior for candidate in self.candidates(list(self.task.end_states))]

    def candidates(self, ends: list[int]) -> list[Candidate]:
        """Return the cheapest paths to some end states, by their results."""
        if not self._counted:
            return [self._candidate(end, (), 0) for end in ends]
        tied = self._tied(ends)
        return [
            self._candidate(end, counts, self._unit_steps.over_denominator(unit))
            for end in ends
            for counts, unit in tied.totals[end].items()
        ]

    def _candidate(self, end: int, counts: Counts, unit: Number) -> Candidate:
        state = self.task.end_states[end]
        totals: dict[str, Number] = {
            what: array.over_denominator(count)
            for (what, array), count in zip(self._counted.items(), counts, strict=True)
        }
        own = -totals.get(OWN_COST, self._cost(end))
        returns = self._returns(own, totals.get(PARTNER_REWARD, 0), state)
        term = self.term_of(self.reward, state)
        if not self.pays_at_the_end:
            term = self._worth(end) - self.reward.own_coefficient * own
        return Candidate(Behavior(returns, term, state), end, counts, unit + self.term_of(self._unit_reward, state))

    def _worth(self, end: int) -> Number:
        """The greatest worth of ending there."""
        return self.term_of(self.reward, self.task.end_states[end]) - self._scale * self._distance(end)

    def _cost(self, end: int) -> Number:
        """The cost of the path to an end, where others count at the end."""
        return -self._distance(end) if self.reward.own_coefficient < 0 else self._distance(end)

    def _distance(self, end: int) -> Number:
        return self.weights.over_denominator(self.distances[end])

    @cached_property
    def _counted(self) -> dict[str, Rationals]:
        """The totals in which paths of equal weight may differ, by name: [S, A] each."""
        counted = {} if self.pays_at_the_end else {OWN_COST: self.graph.exact_costs}
        return counted if self.task.partner is None else counted | {PARTNER_REWARD: self.task.partner_rewards}

    def _tied(self, ends: list[int]) -> TiedPaths:
        counts = tuple(array.whole(self.graph.n_states) for array in self._counted.values())
        unit = self._unit_steps.whole(self.graph.n_states)
        return TiedPaths(self.network, self.start, ends, counts, unit)

    @cached_property
    def _unit_steps(self) -> Rationals:
        """[S, A], the criterion's term of each step if every coefficient were 1."""
        if self.pays_at_the_end:
            return Rationals.zeros(self.graph.targets.shape)
        return step_terms(self.graph, self._unit_reward)

    @cached_property
    def _unit_reward(self) -> AugmentedReward:
        """The same criterion and futures with every coefficient 1."""
        futures = dict(self.reward.others.futures)
        return augment(self.reward.criterion, acting=self.task.acting.name, caring=1, futures=futures)

    def process(self) -> TabularMDP:
        """Return the augmented decision process: reward ``α₁·r₁`` plus the auxiliary term where it is paid."""
        rewards = -checked_float("own_coefficient", self.reward.own_coefficient) * self.graph.costs
        if self.reward.criterion.every_step:
            rewards += step_terms(self.graph, self.reward).floats
        terms = np.zeros(self.graph.n_states)
        for index, end in self.task.end_states.items():
            terms[index] = checked_float("the caring term", self.reward.term(end, self.task.start))
        rewards += np.where(self.graph.terminal[:, None], 0.0, terms[self.graph.targets])
        return self.graph.process(rewards)

    def behavior_of(self, states: list[int], actions: list[int]) -> Behavior:
        """Return the results of a path that ends: its states and the actions between them, by index."""
        trajectory = tuple(map(self.graph.state, states))
        own = -sum(self.graph.exact_costs.exact(s, a) for s, a in zip(states[:-1], actions, strict=True))
        term: Number = sum(
            self.reward.step_term(before, self.graph.actions[action], after)
            for before, action, after in zip(trajectory[:-1], actions, trajectory[1:], strict=True)
        ) + self.reward.term(trajectory[-1], self.task.start)
        partner = self.task.partner
        paid = 0 if partner is None else sum(partner.reward(*step) for step in pairwise(trajectory))
        return Behavior(self._returns(own, paid, trajectory[-1]), term, trajectory[-1])

    def _returns(self, own: Number, partner: Number, end: State) -> dict[str, Number]:
        """Everyone's return, given that of the acting agent and of the partner, if there is one."""
        if self.task.partner is not None:
            return {self.task.acting.name: own, self.task.partner.name: partner}
        return {self.task.acting.name: own} | {name: value(end) for name, value in self.task.value_functions().items()}
