"""Where the number of copies is known, or bounded: plans over single histories, as fast as those of one agent.

How many copies are alive after each step is bounded by the fewest and the most descendants that each slot can have. If
these are equal once the first action is known, each step's rewards count a known factor, and what all copies receive
can be added up history by history. Otherwise the bounds on the factor bound the worth from both sides.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple, TypeAlias, TypeVar

from multislot.exact.belief import Belief, History
from multislot.exact.copies.joint import Numbers, Worlds
from multislot.exact.futures import CommonAncestor
from multislot.exact.kernel import CheckedKernel, Number, checked_history
from multislot.exact.mixture import Mixture
from multislot.exact.mixture.weights import Branch
from multislot.exact.planning import Plan
from multislot.exact.stationary import reachable
from multislot.exact.values import ActionValues, WeightedFuture

FEW_STEPS = 4
"""The number of first steps in which an uncertain number of copies is looked for, before all steps are listed."""
MOST_COUNTED_STEPS = 4000
"""Over more steps the numbers of copies would take minutes, and a doubling world gigabytes."""

Reached = TypeVar("Reached", bound=Hashable)
Weight: TypeAlias = Callable[[int], Number]
"""From the number of copies alive to what a reward of each counts."""
Seat: TypeAlias = tuple[int, Hashable]
"""A slot and its hidden state."""


class Population(NamedTuple):
    """The fewest and the most copies that can be alive after a step."""

    fewest: int
    most: int


def list_levels(
    first: Iterable[Reached], after: Callable[[Reached], Iterable[Reached]], steps: int
) -> Iterator[list[Reached]]:
    """Yield what can be reached after 0, 1, … steps, in order and each once in a level."""
    level = list(dict.fromkeys(first))
    yield level
    for _ in range(steps):
        level = list(dict.fromkeys(later for earlier in level for later in after(earlier)))
        yield level


def seat_levels(world: CheckedKernel, horizon: int) -> Iterator[list[Seat]]:
    """Yield the seats in which an agent can be after 0, 1, … steps."""
    return list_levels(world.start.items(), partial(_seats, world), horizon)


def possible_populations(world: CheckedKernel, horizon: int) -> Mapping[Hashable, list[Population]]:
    """Return the bounds after each step by everyone's first action; actions are free from then on."""
    _, *levels = seat_levels(world, horizon)
    descendants = {seat: Population(1, 1) for level in levels for seat in level}
    bounds: dict[Hashable, list[Population]] = {action: [] for action in world.actions}
    for step in range(1, horizon + 1):
        for first, of_first in bounds.items():
            ways = [_bounded(world, seat, [first], descendants) for seat in world.start.items()]
            of_first.append(Population(sum(way.fewest for way in ways), sum(way.most for way in ways)))
        near = dict.fromkeys(seat for level in levels[: horizon - step] for seat in level)
        descendants = {seat: _bounded(world, seat, world.actions, descendants) for seat in near}
    return bounds


def check_finite(world: CheckedKernel) -> None:
    """Refuse a world whose agents can come into too many seats, before anything is planned without a last step.

    Raises:
        TooLargeError: there are more than `MOST_SITUATIONS` seats.
    """
    for start in world.start.items():
        reachable(start, partial(_seats, world))


def may_meet(world: CheckedKernel, horizon: int) -> bool:
    """Return whether two slots that can each be occupied at a step could be copied into one slot."""
    for seats in islice(seat_levels(world, horizon), horizon):
        sources: dict[int, int] = {}
        for seat in seats:
            for target, _ in _seats(world, seat):
                if sources.setdefault(target, seat[0]) != seat[0]:
                    return True
    return False


def _seats(world: CheckedKernel, seat: Seat) -> Iterator[Seat]:
    for action in world.actions:
        for _, arrivals in world.outcomes(*seat, action):
            yield from ((target, arrival.state) for target, arrival in arrivals.items())


def _bounded(
    world: CheckedKernel, seat: Seat, actions: Sequence[Hashable], descendants: Mapping[Seat, Population]
) -> Population:
    """Return the bounds one step earlier."""
    ways = [
        [descendants[target, arrival.state] for target, arrival in arrivals.items()]
        for action in actions
        for _, arrivals in world.outcomes(*seat, action)
    ]
    return Population(
        min(sum(child.fewest for child in way) for way in ways), max(sum(child.most for child in way) for way in ways)
    )


@dataclass(frozen=True, eq=False)
class WeighedCopies(WeightedFuture):
    """All copies' rewards, each times a factor that the world and the step determine.

    Args:
        factors: by world and step, the factor of a reward above 0 and that of one below.
    """

    factors: Sequence[Sequence[tuple[Number, Number]]]
    depends_on_time = True

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield every copy at full weight, its reward times the factor."""
        for place, weight, arrivals in belief.copy_sets(action):
            gain, loss = self.factors[place.world][(step or 1) - 1]
            for arrival in arrivals.values():
                reward = arrival.reward * (gain if arrival.reward > 0 else loss)
                yield Branch(weight, reward, arrival.observation)


@dataclass(frozen=True, eq=False)
class PopulationPlanner:
    """Plans in which only the bounds on the number of copies count; the posterior of the mixture is not used."""

    worlds: Worlds
    discount: Number
    horizon: int

    @cached_property
    def bounds(self) -> Mapping[Hashable, Sequence[Sequence[Population]]]:
        """The bounds by first action, world and step."""
        of_worlds = [possible_populations(kernel, self.horizon) for kernel in self.worlds.kernels]
        return {action: [bounds[action] for bounds in of_worlds] for action in self.worlds.actions}

    @property
    def is_certain(self) -> bool:
        """Whether the number of copies is known once the first action is, and no two can be copied into one slot."""
        if self.horizon > FEW_STEPS and not replace(self, horizon=FEW_STEPS).is_certain:
            return False  # what is uncertain early remains so; later steps can have many more seats
        apart = self.most_alive <= 1 or not any(may_meet(kernel, self.horizon) for kernel in self.worlds.kernels)
        return apart and all(fewest == most for fewest, most in self._all_bounds)

    @property
    def most_alive(self) -> int:
        """How many copies may be alive at once, after any step."""
        return max(most for _, most in self._all_bounds)

    @property
    def _all_bounds(self) -> list[Population]:
        return [bounds for worlds in self.bounds.values() for steps in worlds for bounds in steps]

    def plan(self, weight: Weight, *, hopeful: bool = False) -> "HistoriesPlan":
        """Return the plan that is best if the number of copies is, within its bounds, always the worst (or best) one.

        Args:
            weight: what a reward counts, by the number of copies alive; it rises or falls with that number.
            hopeful: whether the number is the best one.
        """
        plans = {}
        for action, worlds in self.bounds.items():
            factors = [[_factors(weight, bounds, hopeful=hopeful) for bounds in steps] for steps in worlds]
            plans[action] = Plan(counted(self.worlds.mixture), WeighedCopies(factors), self.discount, self.horizon)
        return HistoriesPlan(plans, founders(self.worlds.mixture))

    def followed(self, plan: "HistoriesPlan", weights: Sequence[Weight]) -> Numbers:
        """Return the worth of a plan for each of several weights, where the number of copies is known."""
        worth: list[Number] = [Fraction() for _ in weights]
        first = plan.policy()
        bounds = self.bounds[first]
        still: list[tuple[tuple[tuple[Hashable, Hashable], ...], Belief, Number]] = [
            ((), plan.plans[first].situations.belief(), plan.founders)
        ]
        for history, belief, amount in still:
            action = plan.policy(history)
            for place, chance, arrivals in belief.copy_sets(action):
                number = bounds[place.world][len(history)].most
                reward = amount * chance * sum(arrival.reward for arrival in arrivals.values())
                worth = [so_far + reward * weight(number) for so_far, weight in zip(worth, weights, strict=True)]
            if len(history) + 1 < self.horizon:
                for seen, (share, after) in belief.weighed(action).items():
                    still.append(((*history, (action, seen)), after, amount * share * self.discount))
        return tuple(worth)


def _factors(weight: Weight, population: Population, *, hopeful: bool) -> tuple[Number, Number]:
    """Return the factor of a gain and that of a loss; only the living are paid."""
    ends = [weight(max(population.fewest, 1)), weight(max(population.most, 1))]
    return (max(ends), min(ends)) if hopeful else (min(ends), max(ends))


def total_plan(mixture: Mixture, discount: Number, horizon: int | None) -> "HistoriesPlan":
    """Return the plan that is best for the sum over all copies."""
    plan = Plan(counted(mixture), CommonAncestor(), discount, horizon)
    return HistoriesPlan(dict.fromkeys(mixture.actions, plan), founders(mixture))


def counted(mixture: Mixture) -> Mixture:
    """Return the mixture whose weights are expected numbers of copies."""
    return Mixture(mixture.kernels, mixture.prior, "count")


def founders(mixture: Mixture) -> Number:
    """Return the expected number of agents at the beginning."""
    numbers = [len(kernel.start) for kernel in mixture.kernels]
    expected = sum(prior * number for prior, number in zip(mixture.prior, numbers, strict=True))
    return expected / sum(mixture.prior)


@dataclass(frozen=True, eq=False)
class HistoriesPlan:
    """A plan made history by history, one for each first action.

    Attributes:
        plans: the plan after each first action.
        founders: the expected number of agents at the beginning; each of them has the same plan.
    """

    plans: Mapping[Hashable, Plan]
    founders: Number

    @cached_property
    def action_values(self) -> ActionValues:
        """The worth of each first action."""
        return ActionValues({action: self.founders * plan.values()[action] for action, plan in self.plans.items()})

    def policy(self, history: History = ()) -> Hashable:
        """Return the action after a history.

        Raises:
            ImpossibleHistoryError: no slot can have this history.
        """
        pairs = checked_history(history)
        if not pairs:
            return self.action_values.best
        plan = self.plans.get(pairs[0][0]) or next(iter(self.plans.values()))
        return plan.policy(pairs)
