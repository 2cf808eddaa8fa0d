"""Exact solutions: what a considerate agent does in a task of Craft-World, for every criterion (equations 1–8).

The acting agent's reward is ``α₁·r₁`` a step and the auxiliary term γ·F at the end (Alizadeh Alamdari et al. 2021,
equations 1–5, 7, 8), so at γ = 1 an optimal policy is a cheapest way to an end state e that maximises
``α₁·own(e) + F(e)``: one shortest-path search gives own(e) for all of them, and what follows is exact arithmetic on
fractions. Equation 6 pays at every step; there the costs of the search hold the others' rewards as well.

Proposition 1 gives conditions under which an optimal policy ends (γ = 1, α₁ > 0, every reward negative before the end,
finite values, some policy ends; for equation 6 the augmented reward must be negative). They are sufficient only: where
they fail, a task is refused if never ending is in fact optimal, and solved otherwise. Everything is deterministic, so
that never ending means to go in a circle: it pays without bound if the circle gains, and is worth the way there if the
circle costs nothing.

A tie goes to the lower auxiliary term, and is named. Where a circle costs nothing in all, although its steps cost and
pay (equation 6, or a partner), some ties of ways over its steps may be missed (`tied`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from considerate.craftworld.arrays import Graph
from considerate.craftworld.definition import Task
from considerate.craftworld.grid import Position
from considerate.craftworld.rules import State
from considerate.criteria import OTHERS, AugmentedReward, Criterion, Simultaneous, augment, get_criterion
from considerate.distributions import Number
from considerate.exact.ending import check_ending, check_own_coefficient, checked_ending
from considerate.exact.task_futures import LaterReward, known_futures, step_terms
from considerate.paths.network import Network
from considerate.paths.rationals import Rationals, Wholes, as_written, simplest
from considerate.paths.tied import Counts, TiedWays
from multislot.errors import NeverEndingError, SettingError, UnknownNameError
from multislot.mdp import TabularMDP

Caring = Number | Mapping[Any, Number]
OWN_COST, PARTNER_REWARD = "own cost", "partner's reward"
"""What ways of equal worth may differ in, besides where they end."""


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "returns", {agent: simplest(number) for agent, number in self.returns.items()})
        object.__setattr__(self, "term", simplest(self.term))

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
        ties: other behaviours that are exactly as good, one for each different list of returns; all of them, except
            where a circle that costs nothing changes what is counted: see `solve`.
    """

    objective: Number
    trajectory: tuple[State, ...]
    actions: tuple[str, ...]
    ties: tuple[Outcome, ...]
    task: Task = field(repr=False)
    reward: AugmentedReward = field(repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "objective", simplest(self.objective))

    @property
    def path(self) -> tuple[Position, ...]:
        """The cells passed through."""
        return tuple(state.cell for state in self.trajectory)

    @cached_property
    def thresholds(self) -> tuple[Fraction, ...]:
        """Where behaviour changes as all others' coefficients are multiplied by one factor, from 0 on (γ = 1).

        With one coefficient for all others these are values of that coefficient.
        """
        from considerate.exact.frontiers import frontier

        if self.reward.discount != 1:
            raise SettingError(f"thresholds are those of γ = 1; this solution has γ = {self.reward.discount}")
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
    """Finds an optimal behaviour of the acting agent.

    What it finds is optimal, and no tie is named that is none. Ties are complete, and the lower auxiliary term of all
    is chosen, unless going in some circle costs nothing in all and yet changes the own cost or what others are paid
    (under equation 6, or with a partner). Then ways that take a step of such a circle are looked at only if each of
    those steps leads further from the start; other ties may be missed, and the term is the lowest of those looked at.

    Args:
        task: what it has to do.
        criterion: an equation by name (``value, worst, neg, per_agent, min, sim, options, valued_options``), or any
            `Criterion`.
        caring: α₂, the same for all others; or α by agent, where agents left out are not considered. The acting agent's
            own coefficient is α₁ (1 if it is not given). Under criteria with a coefficient for each agent (equations
            4–6), naming the acting agent says that its own future counts as well, with that same α₁, if the task has
            one (``Task.own_future``, appendix B.2). A float stands for the decimal number that it prints as.
        discount: γ. At 1 the solution is exact and ties are named.
        futures: what the acting agent takes others' futures to be, by agent or of nobody in particular, as
            `considerate.futures.as_distribution` reads them; by default what is the case.

    Raises:
        SettingError: if an argument is out of its domain or the criterion cannot use it.
        UnknownNameError: if there is no such criterion or agent.
        NeverEndingError: if the task cannot be finished, or never finishing it is optimal.
    """
    reward = augmented(task, criterion, caring, discount=discount, futures=futures)
    problem = Problem(task, reward)
    return problem.exactly() if discount == 1 else problem.by_planning(discount)


def augmented(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Caring = 1,
    *,
    discount: Number = 1,
    futures: Any = None,
) -> AugmentedReward:
    """The acting agent's reward with the others' futures as the task has them; the arguments are those of `solve`."""
    check_task(task)
    chosen = get_criterion(criterion)
    acting = task.acting.name
    if futures is None:
        own = isinstance(caring, Mapping) and acting in caring and not chosen.one_coefficient
        futures = known_futures(task, chosen, own)
    unknown = [a for a in futures if a not in (*task.agents, OTHERS)] if isinstance(futures, Mapping) else []
    if unknown:
        raise UnknownNameError("agent of whom futures are given", unknown[0], task.agents)
    alphas = {agent: as_written(alpha) for agent, alpha in caring.items()} if isinstance(caring, Mapping) else caring
    alphas = alphas if isinstance(alphas, dict) else as_written(alphas)
    return augment(chosen, acting=acting, caring=alphas, futures=futures, discount=as_written(discount))


def check_task(task: object) -> None:
    """Raises SettingError if it is no task."""
    if not isinstance(task, Task):
        raise SettingError(f"the task is {task!r}; expected a Task, such as considerate.craftworld.task('box')")


class Candidate(NamedTuple):
    """Ways to one end state that agree in what comes of them.

    Attributes:
        outcome: what comes of them.
        end: where they end, by index.
        counts: what tells them apart from other ways to that end.
        unit: the auxiliary term if all coefficients were 1.
    """

    outcome: Outcome
    end: int
    counts: Counts
    unit: Number


class Problem:
    """One task with one augmented reward."""

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
        """The auxiliary term of ending in a state, besides what each step before adds."""
        step = reward.step_term(self.task.start, None, end) if self.pays_at_the_end else 0
        return step + reward.term(end, self.task.start)

    @cached_property
    def weights(self) -> Rationals:
        """[S, A], what a cheapest way has least of: minus the augmented reward; own costs if others count last."""
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

    def exactly(self) -> Solution:
        """An optimal behaviour at γ = 1, ties to the lower auxiliary term."""
        chosen, tied = self.best()
        states, actions = self.way(chosen)
        ties = _different(chosen.outcome, [other.outcome for other in tied])
        found = self.solution_of(states, actions, ties)
        objective = self.reward.own_coefficient * found.own_return + chosen.outcome.term
        return replace(found, term=chosen.outcome.term, objective=objective)

    def best(self) -> tuple[Candidate, list[Candidate]]:
        """The candidate to choose, and all that are as good, at γ = 1.

        Raises:
            NeverEndingError: if never ending is better, or pays without bound.
        """
        check_own_coefficient(self)
        worths = {end: self._worth(end) for end in self.task.end_states}
        best = max(worths.values())
        check_ending(self, best)
        tied = self.candidates([end for end, worth in worths.items() if worth == best])
        return min(tied, key=_lower_term_first), tied

    def way(self, candidate: Candidate) -> tuple[list[int], list[int]]:
        """States and actions, by index, of one of a candidate's ways."""
        if not self._counted:
            return self.network.ways_to(np.array([candidate.end])).follow(self.start)
        return self._tied([candidate.end]).follow(candidate.end, candidate.counts)

    def outcomes(self) -> list[Outcome]:
        """The cheapest ways to each end state, by what comes of them."""
        return [candidate.outcome for candidate in self.candidates(list(self.task.end_states))]

    def candidates(self, ends: list[int]) -> list[Candidate]:
        """The cheapest ways to some end states."""
        if not self._counted:
            return [self._candidate(end, (), 0) for end in ends]
        tied = self._tied(ends)
        return [
            self._candidate(end, counts, self._unit_steps.over_denominator(unit))
            for end in ends
            for counts, unit in tied.totals[end].items()
        ]

    def _candidate(self, end: int, counts: Counts, unit: Number) -> Candidate:
        """What comes of the ways to an end that have these counts."""
        state = self.task.end_states[end]
        totals: dict[str, Number] = {
            what: array.over_denominator(count)
            for (what, array), count in zip(self._counted.items(), counts, strict=True)
        }
        own = -totals.get(OWN_COST, self._cost(end))
        returns = {self.task.acting.name: own}
        if self.task.partner is None:
            returns |= {name: value(state) for name, value in self.task.value_functions().items()}
        else:
            returns[self.task.partner.name] = totals[PARTNER_REWARD]
        term = self.term_of(self.reward, state)
        if not self.pays_at_the_end:
            term = self._worth(end) - self.reward.own_coefficient * own
        return Candidate(Outcome(returns, term, state), end, counts, unit + self.term_of(self._unit_reward, state))

    def _worth(self, end: int) -> Number:
        """What ending there is worth at best."""
        term = self.term_of(self.reward, self.task.end_states[end])
        if self.pays_at_the_end:
            return term - self.reward.own_coefficient * self._cost(end)
        return term - self._distance(end)

    def _cost(self, end: int) -> Number:
        """What the way there costs, where others count at the end."""
        return -self._distance(end) if self.reward.own_coefficient < 0 else self._distance(end)

    def _distance(self, end: int) -> Number:
        return self.weights.over_denominator(self.distances[end])

    @cached_property
    def _counted(self) -> dict[str, Rationals]:
        """What ways of equal weight may differ in."""
        counted = {} if self.pays_at_the_end else {OWN_COST: self.graph.exact_costs}
        return counted if self.task.partner is None else counted | {PARTNER_REWARD: self.task.partner_rewards}

    def _tied(self, ends: list[int]) -> TiedWays:
        """All cheapest ways to some ends, told apart by what is counted."""
        counts = tuple(array.whole(self.graph.n_states) for array in self._counted.values())
        unit = self._unit_steps.whole(self.graph.n_states)
        return TiedWays(self.network, self.start, ends, counts, unit)

    @cached_property
    def _unit_steps(self) -> Rationals:
        """[S, A], what the criterion would add to each step if every coefficient were 1."""
        if self.pays_at_the_end:
            return Rationals.zeros(self.graph.targets.shape)
        return step_terms(self.graph, self._unit_reward)

    @cached_property
    def _unit_reward(self) -> AugmentedReward:
        """The same criterion and futures with every coefficient 1."""
        futures = dict(self.reward.others.futures)
        return augment(self.reward.criterion, acting=self.task.acting.name, caring=1, futures=futures)

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
        rewards = -float(self.reward.own_coefficient) * self.graph.costs
        if self.reward.criterion.every_step:
            rewards += step_terms(self.graph, self.reward).floats
        terms = np.zeros(self.graph.n_states)
        for index, end in self.task.end_states.items():
            terms[index] = float(self.reward.term(end, self.task.start))
        rewards += np.where(self.graph.terminal[:, None], 0.0, terms[self.graph.targets])
        return TabularMDP(self.graph.transitions, rewards, self.graph.process().start)

    def solution_of(self, states: list[int], actions: list[int], ties: tuple[Outcome, ...] = ()) -> Solution:
        """What comes of a way that ends: its states and the actions between them, by index."""
        trajectory = tuple(map(self.graph.state, states))
        names = tuple(self.graph.actions[action] for action in actions)
        own = -sum(self.graph.exact_costs.exact(s, a) for s, a in zip(states[:-1], actions, strict=True))
        term: Number = sum(
            self.reward.step_term(before, name, after)
            for before, name, after in zip(trajectory[:-1], names, trajectory[1:], strict=True)
        ) + self.reward.term(trajectory[-1], self.task.start)
        returns: dict[str, Number] = {self.task.acting.name: own}
        return Solution(
            returns=returns | self._others_returns(trajectory),
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


def _lower_term_first(candidate: Candidate) -> tuple[Number, Number, Number, tuple[Number, ...]]:
    """The order in which equally good candidates are chosen."""
    returns: tuple[Number, ...] = tuple(candidate.outcome.returns.values())
    return candidate.outcome.term, candidate.unit, -returns[0], returns


def _different(chosen: Outcome, others: list[Any]) -> tuple[Outcome, ...]:
    """The first of each kind of outcome with other returns than the chosen one."""
    kinds: dict[tuple[Number, ...], Outcome] = {}
    for other in others:
        kinds.setdefault(tuple(other.returns.values()), Outcome(other.returns, other.term, other.end_state))
    kinds.pop(tuple(chosen.returns.values()), None)
    return tuple(kinds.values())
