"""Policies without memory: from the last observation alone to an action, perhaps a random one.

An agent that remembers its whole history gains nothing by chance. Without memory that is not so: in the absent-minded
driver (Piccione and Rubinstein 1997) two junctions look the same, and continuing with probability 2/3 is worth more
than either action for sure.

The worth is the expected discounted sum over all copies, each of which draws its own action. It is linear in what is
done after an observation that no line of descent meets twice, so there a certain action is best. After one that recurs
the worth is a polynomial in the probability of an action, and its maximum is found exactly.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from multislot.checks import checked_discount, checked_steps, number, refusal
from multislot.errors import SettingError, TooLargeError
from multislot.exact.copies.polynomials import Interval, Located, bounds, maximum
from multislot.exact.kernel import CheckedKernel, InFractions, Kernel, Number, Outcome, exact
from multislot.exact.mixture import Mixture

MOST_POLICIES = 10_000
WIDTH = Fraction(1, 10**12)


class Seat(NamedTuple):
    """An agent without memory: its world, slot, hidden state and last observation."""

    world: int
    slot: int
    state: Hashable
    seen: Hashable


Mixed: TypeAlias = Mapping[Hashable, Mapping[Hashable, Fraction]]
"""From the last observation to the probability of each action."""


@dataclass(frozen=True)
class MemorylessPlan:
    """The best policy without memory.

    Attributes:
        value: its worth; a Fraction where the best probability is rational, otherwise an interval.
        policy: the probability of each action after each observation that can be met.
        pure_value: the worth of the best policy without chance.
        pure_policy: that policy.
    """

    value: Located
    policy: Mapping[Hashable, Mapping[Hashable, Located]]
    pure_value: Fraction
    pure_policy: Mapping[Hashable, Hashable]


def best_memoryless(
    kernel: Kernel | Mixture,
    *,
    discount: Number = 1,
    horizon: int,
    first: Hashable = None,
    width: Fraction = WIDTH,
) -> MemorylessPlan:
    """Return the policy without memory, random or not, that is best for the sum over all copies.

    Args:
        kernel: the world, or a `Mixture` of worlds, whose prior counts; numbers that are floats are taken exactly.
        discount: γ in [0, 1].
        horizon: the number of steps.
        first: what an agent sees before its first observation.
        width: how wide the intervals of an irrational probability, and of its worth, may be.

    Raises:
        SettingError: an argument is out of its domain, or more than one observation recurs, or one that recurs leaves
            a choice between more than two actions: then the worth is a polynomial in several probabilities.
        TooLargeError: more than `MOST_POLICIES` policies without chance would have to be tried.
    """
    number("width", width, above=0)
    problem = Memoryless(kernel, Fraction(exact(checked_discount(discount))), checked_steps("horizon", horizon), first)
    pure_value, pure_policy = problem.best_certain()
    recurring = problem.recurring
    if not recurring:
        return MemorylessPlan(pure_value, mixed(pure_policy), pure_value, pure_policy)
    if len(recurring) > 1 or len(problem.actions) > 2:
        raise SettingError(
            f"got a kernel in which {sorted(map(str, recurring))} recur, with {len(problem.actions)} actions; expected "
            "at most one observation that recurs and two actions, so that one probability is sought"
        )
    value, policy = problem.best_random(recurring[0], width)
    return MemorylessPlan(value, policy, pure_value, pure_policy)


def memoryless_worth(
    kernel: Kernel | Mixture, policy: Mixed, *, discount: Number = 1, horizon: int, first: Hashable = None
) -> Fraction:
    """Return the expected discounted sum of what all copies receive, each drawing its own actions.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        policy: from the last observation to the probability of each action.
        discount: γ in [0, 1].
        horizon: the number of steps.
        first: what an agent sees before its first observation.

    Raises:
        SettingError: an argument is out of its domain, or the policy lacks an observation.
    """
    return Memoryless(
        kernel, Fraction(exact(checked_discount(discount))), checked_steps("horizon", horizon), first
    ).worth(policy)


@dataclass(frozen=True)
class Memoryless:
    """A kernel or mixture for agents without memory.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        discount: γ.
        horizon: the number of steps.
        first: what an agent sees before its first observation.
    """

    kernel: Kernel | Mixture
    discount: Fraction
    horizon: int
    first: Hashable

    @cached_property
    def _mixture(self) -> Mixture:
        return self.kernel if isinstance(self.kernel, Mixture) else Mixture((self.kernel,))

    @cached_property
    def _worlds(self) -> Sequence[CheckedKernel]:
        return [CheckedKernel(InFractions(CheckedKernel(kernel))) for kernel in self._mixture.kernels]

    @property
    def actions(self) -> Sequence[Hashable]:
        """The actions, in order."""
        return self._mixture.actions

    @cached_property
    def start(self) -> Mapping[Seat, Fraction]:
        """The expected number of agents in each seat at the beginning."""
        prior = [Fraction(weight) for weight in self._mixture.prior]
        return {
            Seat(index, slot, state, self.first): prior[index] / sum(prior)
            for index, world in enumerate(self._worlds)
            for slot, state in world.start.items()
            if prior[index]
        }

    def outcomes(self, seat: Seat, action: Hashable) -> tuple[Outcome, ...]:
        """Return what may come of an action in a seat."""
        return self._worlds[seat.world].outcomes(seat.slot, seat.state, action)

    def worth(self, policy: Mixed) -> Fraction:
        """Return the worth of a policy, by a forward recursion over expected numbers of agents."""
        worth, now = Fraction(), dict(self.start)
        for step in range(self.horizon):
            after: dict[Seat, Fraction] = defaultdict(Fraction)
            for seat, weight in now.items():
                if seat.seen not in policy:
                    raise refusal(
                        "policy", policy, "a distribution over actions for every observation", f"{seat.seen!r} has none"
                    )
                for action, chance in policy[seat.seen].items():
                    for probability, seats in self._led(seat, action) if chance else ():
                        share = weight * chance * probability
                        for target, reward in seats:
                            after[target] += share
                            worth += self.discount**step * share * reward
            now = after
        return worth

    def _led(self, seat: Seat, action: Hashable) -> Iterator[tuple[Fraction, list[tuple[Seat, Fraction]]]]:
        for probability, arrivals in self.outcomes(seat, action):
            seats = [
                (Seat(seat.world, target, found.state, found.observation), Fraction(found.reward))
                for target, found in arrivals.items()
            ]
            yield Fraction(probability), seats

    @cached_property
    def levels(self) -> Sequence[frozenset[Seat]]:
        """The seats in which somebody may have to act at each step."""
        levels = [frozenset(self.start)]
        for _ in range(self.horizon - 1):
            levels.append(frozenset(after for seat in levels[-1] for after in self._after(seat)))
        return levels

    def _after(self, seat: Seat) -> Iterator[Seat]:
        for action in self.actions:
            for _, seats in self._led(seat, action):
                yield from (target for target, _ in seats)

    @cached_property
    def observations(self) -> Sequence[Hashable]:
        """All observations after which somebody may have to act, in order of appearance and then of their names."""
        return list(dict.fromkeys(seen for level in self.levels for seen in sorted({s.seen for s in level}, key=str)))

    @cached_property
    def choices(self) -> Sequence[Hashable]:
        """The observations after which the action can matter."""
        matters = {seat.seen for level in self.levels for seat in level if self._matters(seat)}
        return [seen for seen in self.observations if seen in matters]

    def _matters(self, seat: Seat) -> bool:
        return len({str(self.outcomes(seat, action)) for action in self.actions}) > 1

    @cached_property
    def recurring(self) -> Sequence[Hashable]:
        """The observations that leave a choice and that one line of descent may meet twice."""
        return [seen for seen in self.choices if self._recurs(seen)]

    def _recurs(self, seen: Hashable) -> bool:
        met: set[Seat] = set()
        for level in self.levels:
            if any(seat.seen == seen for seat in met):
                return True
            now = met | {seat for seat in level if seat.seen == seen}
            met = {after for seat in now for after in self._after(seat)}
        return False

    def certain(self, free: Hashable = ()) -> Iterator[dict[Hashable, Hashable]]:
        """Yield every policy without chance, first actions first; it leaves out `free` if that is an observation.

        Raises:
            TooLargeError: there are more than `MOST_POLICIES`.
        """
        chosen = [seen for seen in self.choices if seen != free]
        if len(self.actions) ** len(chosen) > MOST_POLICIES:
            raise TooLargeError(
                f"{len(chosen)} observations leave a choice, so more than {MOST_POLICIES} policies would be tried; "
                "give a shorter horizon, or a kernel with fewer observations"
            )
        rest = {seen: self.actions[0] for seen in self.observations if seen not in self.choices}
        for acts in product(self.actions, repeat=len(chosen)):
            yield rest | dict(zip(chosen, acts, strict=True))

    def best_certain(self) -> tuple[Fraction, dict[Hashable, Hashable]]:
        """Return the worth of the best policy without chance, and that policy; ties go to the first."""
        return max(((self.worth(mixed(policy)), policy) for policy in self.certain()), key=itemgetter(0))

    def best_random(self, free: Hashable, width: Fraction) -> tuple[Located, dict[Hashable, dict[Hashable, Located]]]:
        """Return the worth of the best policy that may be random after one observation, and that policy."""
        first, second = self.actions
        found: list[tuple[Located, Located, dict[Hashable, Hashable]]] = []
        for policy in self.certain(free):
            chance, worth = maximum(self._points(policy, free), width)
            found.append((worth, chance, policy))
        worth, chance, policy = max(found, key=lambda one: bounds(one[0]).lower)
        lower, upper = bounds(chance)
        others: Located = 1 - lower if lower == upper else Interval(1 - upper, 1 - lower)
        return worth, {**mixed(policy), free: {first: others, second: chance}}  # type: ignore[dict-item]

    def _points(self, policy: Mapping[Hashable, Hashable], free: Hashable) -> list[tuple[Fraction, Fraction]]:
        """Return probabilities of the second action and the worth at each, enough to determine the polynomial."""
        chances = [Fraction(k, self.horizon) for k in range(self.horizon + 1)]
        first, second = self.actions
        return [
            (chance, self.worth({**mixed(policy), free: {first: 1 - chance, second: chance}})) for chance in chances
        ]


def mixed(policy: Mapping[Hashable, Hashable]) -> dict[Hashable, dict[Hashable, Fraction]]:
    """Return a policy without chance as probabilities."""
    return {seen: {action: Fraction(1)} for seen, action in policy.items()}
