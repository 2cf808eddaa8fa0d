"""Tasks: a map, the facts at the start, the agent that acts, and those who come after it.

The acting agent walks until it finishes; then the others find what it has left (`Task.left`) and get their return from
that (Alizadeh Alamdari et al. 2021, section 3). Others are of three kinds: a `Visitor` takes the cheapest path that is
still open to it, an `Owner` loses something for certain facts that walkers bring about, and a `Holder` has an option
that can start or not. With a `Partner` both act at the same time (section 4.3).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np

from considerate.craftworld.arrays import Graph, Meanwhile, Walker, explore
from considerate.craftworld.grid import Grid
from considerate.craftworld.partner import KEY, Partner
from considerate.craftworld.rules import Amount, ConditionEntry, FactsEntry, State, Things
from considerate.distributions import Number, Option
from considerate.exact.paths.rationals import Rationals
from multislot.checks import checked_instance, checked_seed, known_name, share, whole
from multislot.engine.stream import EndlessStream
from multislot.errors import NeverEndingError, SettingError

BYSTANDERS = "bystanders"
"""Under this key the infos of environments have the returns so far of those who are affected and do not act."""


@dataclass(frozen=True)
class Visitor:
    """An agent that enters afterwards, does its own task at the least cost, and cares for nobody.

    Args:
        walker: where it starts and by which rules.
        impossible: its return if its task is impossible.
    """

    walker: Walker
    impossible: Number

    @property
    def name(self) -> str:
        """The agent."""
        return self.walker.name


@dataclass(frozen=True)
class Owner:
    """An agent that does not act, and loses something whenever a walker makes a certain fact true.

    Walkers that find the fact true do not make it true. If the handover alone makes it true, the owner loses once, and
    nothing if it has no walkers.

    Args:
        name: the agent.
        fact: the fact that costs the owner something.
        loss: what the owner loses for each walker that makes it true.
        walkers: those of the others whose walks count, in addition to the acting agent.
    """

    name: str
    fact: str
    loss: Amount
    walkers: tuple[str, ...] = ()
    kind: Literal["owner"] = "owner"

    def own_return(self, acting: Things, left: Things, walked: Iterable[Things]) -> Number:
        """Return minus what the owner has lost.

        Args:
            acting: the facts of the acting agent.
            left: the facts that its walkers find; none before the acting agent has left.
            walked: the facts of its walkers.
        """
        if left[self.fact]:
            return -self.loss if acting[self.fact] or self.walkers else 0
        return -self.loss * sum(bool(things[self.fact]) for things in (acting, *walked))


@dataclass(frozen=True)
class Holder:
    """An agent with an option that has an initiation set; its return is 1 if the option can start, otherwise 0.

    Args:
        name: the agent.
        initiation: the condition under which it can start.
    """

    name: str
    initiation: ConditionEntry
    kind: Literal["holder"] = "holder"


Other: TypeAlias = Visitor | Owner | Holder
ValueFunction: TypeAlias = Callable[[State], Number]


@dataclass(frozen=True)
class LeavingChange:
    """A change of facts as the acting agent leaves."""

    needs: ConditionEntry
    sets: FactsEntry


@dataclass(frozen=True)
class Handover:
    """The facts that the next agents find of those that the acting agent leaves behind.

    Args:
        public: the facts that stay as they are; all other facts leave with the agent.
        changes: every change whose condition holds applies, in order.
    """

    public: tuple[str, ...] = ()
    changes: tuple[LeavingChange, ...] = ()

    def __call__(self, things: Things) -> Things:
        """Return the facts that the next agents find."""
        left = things.only(self.public)
        for change in self.changes:
            if change.needs.holds(things):
                left = left.put(change.sets)
        return left


@dataclass(frozen=True)
class Task:
    """A task of Craft-World.

    Args:
        name: of the task.
        title: a description in one line.
        grid: the map.
        facts: the facts when the acting agent enters.
        acting: the acting agent.
        others: those who come after it.
        handover: the facts that they find.
        step_cost: what a step costs.
        partner: the second agent, if both act at the same time; there are then no others.
        own_future: the acting agent when it enters again afterwards. Criteria use it if its coefficient is given
            (`considerate.solve`), and so do comparators.
        source: where it was published.
        impossible: the acting agent's return if it enters again and cannot finish; an `own_future` has its own number.
    """

    name: str
    title: str
    grid: Grid
    facts: Things
    acting: Walker
    others: tuple[Other, ...] = ()
    handover: Handover = Handover()
    step_cost: Number = 1
    partner: Partner | None = None
    own_future: Visitor | None = None
    source: str = ""
    impossible: Number = -1000

    def __post_init__(self) -> None:
        if self.partner is None:
            return
        checked_instance("partner", self.partner, Partner)
        if self.others:
            raise SettingError("a task has others who come after, or a partner who acts at the same time, not both")
        walker = self.partner.walker
        if (walker.changes, walker.barriers) != (self.acting.changes, self.acting.barriers):
            raise SettingError(f"{self.partner.name!r} follows other rules than {self.acting.name!r}; give it the same")
        places = sorted({cell for rule in self.acting.changes if KEY in rule.sets for cell in rule.at})
        if set(self.facts) != {KEY} or self.facts[KEY] not in places:
            raise SettingError(
                f"got facts={self.facts!r} in a task with a partner; expected only the key, at one of {places}, where "
                "a rule can put it"
            )
        self.partner.check(self.facts[KEY])

    @property
    def agents(self) -> tuple[str, ...]:
        """Everyone, the acting agent first."""
        partner = () if self.partner is None else (self.partner.name,)
        return (self.acting.name, *(other.name for other in self.others), *partner)

    @property
    def start(self) -> State:
        """The state in which the acting agent enters."""
        things = self.facts if self.partner is None else self.partner.enters(self.facts)
        return State(self.acting.start, things)

    @cached_property
    def graph(self) -> Graph:
        """The acting agent's walk as arrays."""
        meanwhile = None if self.partner is None else self.partner.moves
        return explore(self.grid, self.acting, [self.start.things], self.step_cost, meanwhile)

    @cached_property
    def end_states(self) -> dict[int, State]:
        """The states in which the acting agent may end, by index in `graph`."""
        return {int(index): self.graph.state(int(index)) for index in self.graph.ends()}

    def left(self, state: State) -> Things:
        """The facts that others find when the acting agent has stopped in a state."""
        return self.handover(state.things)

    @cached_property
    def partner_rewards(self) -> Rationals:
        """[S, A], the partner's reward of every step; a step in which the acting agent ends includes all later ones."""
        partner = self.partner
        return self.graph.evaluate(lambda before, _, after: 0 if partner is None else partner.reward(before, after))

    def value_functions(self, own: bool = False) -> dict[str, ValueFunction]:
        """Return each other agent's own return, by the state where the acting agent stops; see `Partner.value`.

        With ``own`` the acting agent's own return if it enters again comes first, if the task has an `own_future`.
        """
        values: dict[str, ValueFunction] = {}
        if own and self.own_future is not None:
            values[self.acting.name] = partial(self._return_of, self.own_future)
        if self.partner is not None:
            return values | {self.partner.name: self.partner.value}
        return values | {other.name: partial(self._return_of, other) for other in self.others}

    def options(self) -> dict[str, Option]:
        """Return each other agent's task as an option: it can start where the task is possible."""
        values = self.value_functions()
        return {other.name: Option(partial(self.possible, other), value=values[other.name]) for other in self.others}

    def possible(self, other: Other, state: State) -> bool:
        """Whether another agent can do its task after the acting agent has stopped in a state."""
        if isinstance(other, Holder):
            return other.initiation.holds(self.left(state))
        if isinstance(other, Visitor):
            return self._visits_from(other, state).can_end(self.left(state))
        return True

    def other(self, name: str) -> Other:
        """One of the others, by name; raise UnknownNameError."""
        others = {other.name: other for other in self.others}
        known_name("agent after the acting one", name, others)
        return others[name]

    def futures_of(self, name: str, *, steps: int = 100_000, epsilon: float = 0.2, seed: int = 0) -> "LearnedValue":
        """Learn the value function of one of those who come later, by Q-learning (appendix C of the paper).

        `considerate.solve` and `considerate.frontier` take it as one of their ``futures``.

        Args:
            name: the agent, one that walks.
            steps: how many steps it learns for. Episodes start in turn from each set of facts that it may find and
                from which it can finish.
            epsilon: chance of exploring.
            seed: of all random numbers.
        """
        visitors = [other.name for other in self.others if isinstance(other, Visitor)]
        visits = self.visits(self._visitor(name))
        founder = 2 + visitors.index(name)
        return LearnedValue(
            self, visits.learned_returns(whole("steps", steps), share("epsilon", epsilon), seed, founder)
        )

    def visits(self, visitor: Visitor) -> "Visits":
        """Return a visitor's walks from each set of facts that it may find."""
        if visitor.name not in self._visits:
            left = dict.fromkeys([self.left(self.start), *map(self.left, self.end_states.values())])
            self._visits[visitor.name] = Visits(self, visitor, tuple(left))
        return self._visits[visitor.name]

    def _visits_from(self, visitor: Visitor, state: State) -> "Visits":
        """A visitor's walks from the facts of a state; at a limit they may be others than those of all end states."""
        visits, things = self.visits(visitor), self.left(state)
        if things in visits.starts or things not in self._any_left:
            return visits
        if (visitor.name, things) not in self._visits:
            self._visits[visitor.name, things] = Visits(self, visitor, (things,))
        return self._visits[visitor.name, things]

    @cached_property
    def _any_left(self) -> frozenset[Things]:
        """The facts that others would find wherever the acting agent stops."""
        return frozenset(map(self.handover, self.graph.things))

    @cached_property
    def _visits(self) -> dict[Hashable, "Visits"]:
        return {}

    def _return_of(self, other: Other, state: State) -> Number:
        if isinstance(other, Visitor):
            return self._visits_from(other, state).own_return(self.left(state))
        if isinstance(other, Holder):
            return int(other.initiation.holds(self.left(state)))
        walks = [self._visits_from(self._visitor(name), state).walk(self.left(state)) for name in other.walkers]
        ends = [states[-1].things for states, _ in filter(None, walks)]
        return other.own_return(state.things, self.left(state), ends)

    def _visitor(self, name: str) -> Visitor:
        other = self.other(name)
        if not isinstance(other, Visitor):
            raise SettingError(f"agent {name!r} does not walk; name an agent that does")
        return other


@dataclass(frozen=True)
class LearnedValue:
    """A visitor's return under its learned policy, by the facts that it finds."""

    task: Task
    returns: Mapping[Things, Number]

    def __call__(self, state: State) -> Number:
        """Its return after the acting agent has stopped in a state."""
        left = self.task.left(state)
        if left not in self.returns:
            raise SettingError(f"nothing was learned for {left!r}, which no end of {self.task.name!r} leaves")
        return self.returns[left]


class Visits:
    """One visitor's cheapest walks from each set of facts that it may find.

    Args:
        task: the task.
        visitor: the agent.
        left: the sets of facts.
        meanwhile: what others do after each of its steps; by default nothing.

    Raises:
        NeverEndingError: a cycle pays the visitor, so it would never end.
    """

    def __init__(
        self, task: Task, visitor: Visitor, left: tuple[Things, ...], meanwhile: Meanwhile | None = None
    ) -> None:
        self.visitor = visitor
        self.graph = explore(task.grid, visitor.walker, left, task.step_cost, meanwhile)
        self.starts = {things: int(start) for things, start in zip(left, self.graph.starts, strict=True)}
        try:
            self.paths = self.graph.walks.paths_to(self.graph.ends())
        except NeverEndingError as error:
            raise NeverEndingError(f"agent {visitor.name!r}: {error}") from None
        self._learned: dict[tuple[int, float, int, int], Mapping[Things, Number]] = {}

    def can_end(self, things: Things) -> bool:
        """Whether its task is possible."""
        return bool(self.paths.left[self._start(things)] != np.inf)

    def own_return(self, things: Things) -> Number:
        """Return the visitor's own return: minus the cost of its cheapest walk, or its `impossible` without a walk."""
        if not self.can_end(things):
            return self.visitor.impossible
        return self.graph.exact_costs.over_denominator(-self.paths.left[self._start(things)])

    def walk(self, things: Things) -> tuple[tuple[State, ...], tuple[str, ...]] | None:
        """Return states and actions of its cheapest walk; None if its task is impossible."""
        if not self.can_end(things):
            return None
        states, actions = self.paths.follow(self._start(things))
        return tuple(map(self.graph.state, states)), tuple(self.graph.actions[action] for action in actions)

    def learned_returns(self, steps: int, epsilon: float, seed: int, founder: int) -> Mapping[Things, Number]:
        """Learn a policy and compute its return for each set of facts; results are kept.

        The number ``founder`` selects one of the seed's streams of random numbers.
        """
        key = (steps, epsilon, checked_seed(seed), founder)
        if key in self._learned:
            return self._learned[key]
        returns: dict[Things, Number] = dict.fromkeys(self.starts, self.visitor.impossible)
        starts = np.array([start for things, start in self.starts.items() if self.can_end(things)])
        if len(starts):
            stream = EndlessStream(seed, founder)
            policy = self.graph.learn_values(-self.graph.costs, starts, steps, epsilon, stream).argmax(axis=1)
            for things, start in self.starts.items():
                path = self.graph.follow(policy, start)
                if path is not None:
                    exact = self.graph.exact_costs.exact
                    returns[things] = -sum(exact(*step) for step in zip(path[0][:-1], path[1], strict=True))
        self._learned[key] = returns
        return returns

    def _start(self, things: Things) -> int:
        if things not in self.starts:
            raise SettingError(f"nothing that the acting agent does leaves {things!r} to agent {self.visitor.name!r}")
        return self.starts[things]
