"""Policies without memory: from the last observation alone to an action, perhaps a random one.

In the absent-minded driver (Piccione and Rubinstein 1997) two junctions look the same, and continuing with probability
2/3 is worth more than either action for certain. An agent that remembers its whole history gains nothing by chance if
the sum over all copies counts. It can gain with another α, or under a criterion, see `multislot.exact.copies.coins`.

The worth is the expected discounted sum over all copies, each of which draws its own action: a polynomial in the
probabilities of actions after each observation. It is maximized as with private coins, by
`multislot.exact.copies.optimizing`.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from multislot.checks import checked_discount, checked_mapping, checked_steps, refusal
from multislot.errors import TooLargeError, show_value
from multislot.exact.copies.coins import Unknowns, distribution
from multislot.exact.copies.joint import Chances, Worlds
from multislot.exact.copies.optimizing import Polynomial, maximize
from multislot.exact.copies.polynomials import Located
from multislot.exact.kernel import Kernel, Number, exact
from multislot.exact.mixture import Mixture


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
        lower: its worth, or a rational bound below it.
        upper: no policy without memory is worth more.
        policy: the probability of each action after each observation that is possible.
        pure_value: the worth of the best policy without chance.
        pure_policy: that policy.
    """

    lower: Fraction
    upper: Fraction
    policy: Mapping[Hashable, Mapping[Hashable, Located]]
    pure_value: Fraction
    pure_policy: Mapping[Hashable, Hashable]
    best_value: Located | None = field(repr=False)

    @property
    def value(self) -> Located:
        """The worth of the best policy: a Fraction or, if that is irrational, an `Algebraic` number.

        Raises:
            AttributeError: several probabilities were sought together, and there are only bounds.
        """
        if self.best_value is None:
            raise AttributeError(f"the value is only known to lie from lower={self.lower} to upper={self.upper}")
        return self.best_value


MOST_STEPS = 4000


def best_memoryless(
    kernel: Kernel | Mixture,
    *,
    discount: Number = 1,
    horizon: int,
    first: Hashable = None,
) -> MemorylessPlan:
    """Find the policy without memory, random or not, that is best for the sum over all copies.

    Args:
        kernel: the world, or a `Mixture` of worlds, whose prior counts; numbers that are floats are taken exactly.
        discount: γ in [0, 1].
        horizon: the number of steps.
        first: what an agent sees before its first observation.

    Raises:
        TooLargeError: the worth is too large a polynomial.
    """
    problem = Memoryless.of(kernel, discount, horizon, first)
    unknowns = Unknowns(problem.worlds.actions, dict.fromkeys(problem.idle, problem.worlds.actions[0]))
    polynomial = Polynomial.of(problem.worth(unknowns))
    best, pure = maximize(polynomial), maximize(polynomial.without_powers())
    pure_policy = {seen: next(iter(chances)) for seen, chances in unknowns.solved(pure).items()}
    return MemorylessPlan(best.lower, best.upper, unknowns.solved(best), pure.lower, pure_policy, best.value)


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
    """
    checked_mapping("policy", policy)
    problem = Memoryless.of(kernel, discount, horizon, first)

    def chances(seen: Hashable) -> Chances:
        if seen not in policy:
            raise refusal(
                "policy", policy, "a distribution over actions for every observation", f"{show_value(seen)} has none"
            )
        return distribution(policy.__getitem__, seen, problem.worlds.actions)

    return Fraction(problem.worth(chances))


@dataclass(frozen=True)
class Memoryless:
    """Some worlds for agents without memory; what an agent sees before its first observation is `first`."""

    worlds: Worlds
    discount: Fraction
    horizon: int
    first: Hashable

    @classmethod
    def of(cls, kernel: Kernel | Mixture, discount: Number, horizon: int, first: Hashable) -> "Memoryless":
        """Check the arguments of `best_memoryless`."""
        gamma = Fraction(exact(checked_discount(discount)))
        if checked_steps("horizon", horizon) > MOST_STEPS:
            raise TooLargeError(
                f"got horizon={horizon}; policies without memory are computed for {MOST_STEPS} steps at most"
            )
        return cls(Worlds(kernel), gamma, horizon, first)

    @property
    def _start(self) -> Mapping[Seat, Fraction]:
        """The expected number of agents in each seat at the beginning."""
        return {
            Seat(index, slot, state, self.first): share
            for index, (kernel, share) in enumerate(zip(self.worlds.kernels, self.worlds.prior, strict=True))
            for slot, state in kernel.start.items()
            if share
        }

    def worth(self, chances: Callable[[Hashable], Chances]) -> Any:
        """Return the worth of a policy, by a forward recursion over expected numbers of agents.

        Args:
            chances: from an observation to the probability of each action, a number or a polynomial.
        """
        worth: Any = Fraction()
        now: dict[Seat, Any] = dict(self._start)
        for step in range(self.horizon):
            after: dict[Seat, Any] = defaultdict(Fraction)
            for seat, weight in now.items():
                for action, chance in chances(seat.seen).items():
                    for probability, seats in self._ways(seat, action) if chance else ():
                        share = weight * chance * probability
                        for target, reward in seats:
                            after[target] += share
                            worth += share * (self.discount**step * reward)
            now = after
        return worth

    def _ways(self, seat: Seat, action: Hashable) -> list[tuple[Number, list[tuple[Seat, Fraction]]]]:
        """Return the possible effects of an action: a probability, and the seats that follow with their rewards."""
        world, slot, state, _ = seat
        return [
            (
                chance,
                [(Seat(world, target, a.state, a.observation), Fraction(a.reward)) for target, a in copies.items()],
            )
            for chance, copies in self.worlds.kernels[world].outcomes(slot, state, action)
        ]

    @property
    def idle(self) -> Sequence[Hashable]:
        """The observations after which the action cannot matter."""
        level, possible, matters = dict.fromkeys(self._start), dict.fromkeys([self.first]), set()
        for _ in range(self.horizon):
            ways = {seat: [self._ways(seat, action) for action in self.worlds.actions] for seat in level}
            matters |= {seat.seen for seat, of_seat in ways.items() if any(way != of_seat[0] for way in of_seat)}
            possible |= dict.fromkeys(seat.seen for seat in level)
            level = dict.fromkeys(
                target for of_seat in ways.values() for way in of_seat for _, after in way for target, _ in after
            )
        return [seen for seen in possible if seen not in matters]
