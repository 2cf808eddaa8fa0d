"""Policies without memory: from the last observation alone to an action, perhaps a random one.

Such policies are also called reactive, and their agents absent-minded; in game theory they have imperfect recall. In
the absent-minded driver (Piccione and Rubinstein 1997) two junctions look the same, and continuing with probability
2/3 is worth more than either action for certain. An agent that remembers its whole history gains nothing by chance if
the sum over all copies counts. It can gain with another α, or under a criterion, see `multislot.exact.copies.coins`.

The worth is the expected discounted sum over all copies, each of which draws its own action: a polynomial in the
probabilities of actions after each observation. It is maximized as with private coins, by
`multislot.exact.copies.optimizing`.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import compress
from typing import Any, TypeAlias

from multislot.checks import checked_discount, checked_hashable, checked_mapping, checked_steps, refusal
from multislot.errors import TooLargeError, UnknownNameError, show_value
from multislot.exact.copies.coins import Unknowns, distribution
from multislot.exact.copies.joint import Chances, Worlds
from multislot.exact.copies.optimizing import Polynomial, maximize
from multislot.exact.copies.polynomials import Located
from multislot.exact.copies.populations import MOST_COUNTED_STEPS
from multislot.exact.kernel import CheckedKernel, Kernel, Number, Outcome, exact
from multislot.exact.mixture import Mixture
from multislot.exact.mixture.weights import Particle
from multislot.exact.planning import check_copy_sets

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
        decisive: the observations after which it matters what an agent does.
    """

    lower: Fraction
    upper: Fraction
    policy: Mapping[Hashable, Mapping[Hashable, Located]]
    pure_value: Fraction
    pure_policy: Mapping[Hashable, Hashable]
    best_value: Located | None = field(repr=False)
    decisive: frozenset[Hashable] = frozenset()

    @property
    def value(self) -> Located:
        """The worth of the best policy: a Fraction or, if that is irrational, an `Algebraic` number.

        Raises:
            AttributeError: several probabilities were sought together, and there are only bounds.
        """
        if self.best_value is None:
            raise AttributeError(f"the value is only known to lie from lower={self.lower} to upper={self.upper}")
        return self.best_value


def best_memoryless(
    kernel: Kernel | Mixture,
    *,
    discount: Number = 1,
    horizon: int,
    first: Hashable = None,
    fixed: Mapping[Hashable, Hashable] | None = None,
) -> MemorylessPlan:
    """Find the policy without memory, random or not, that is best for the sum over all copies.

    Args:
        kernel: the world, or a `Mixture` of worlds, whose prior counts; numbers that are floats are taken exactly.
        discount: γ in [0, 1].
        horizon: the number of steps.
        first: what an agent sees before its first observation.
        fixed: the action after some observations; it is sought after the others.

    Raises:
        SettingError: copies that draw their actions can come into one slot.
        TooLargeError: the worth is too large a polynomial.
    """
    worlds = Worlds(kernel)
    fixed = dict(checked_mapping("fixed", {} if fixed is None else fixed))
    if unknown := [action for action in fixed.values() if action not in worlds.actions]:
        raise UnknownNameError("action", unknown[0], map(str, worlds.actions))
    unknowns = Unknowns(worlds.actions, fixed)
    decisive = set[Hashable]()
    polynomial = Polynomial.of(_worth(worlds, unknowns, discount, horizon, first, decisive))
    best, pure = maximize(polynomial), maximize(polynomial.without_powers())
    pure_policy = {seen: next(iter(chances)) for seen, chances in unknowns.solved(pure).items()}
    return MemorylessPlan(
        best.lower, best.upper, unknowns.solved(best), pure.lower, pure_policy, best.value, frozenset(decisive)
    )


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
        SettingError: copies that follow the policy can come into one slot.
    """
    checked_mapping("policy", policy)
    worlds = Worlds(kernel)

    def chances(seen: Hashable) -> Chances:
        try:
            given = policy[seen]
        except KeyError:
            raise refusal(
                "policy", policy, "a distribution over actions for every observation", f"{show_value(seen)} has none"
            ) from None
        return distribution(lambda history: given, seen, worlds.actions)

    return Fraction(_worth(worlds, chances, discount, horizon, first, set()))


def _worth(
    worlds: Worlds,
    chances: Callable[[Hashable], Chances],
    discount: Number,
    horizon: int,
    first: Hashable,
    decisive: set[Hashable],
) -> Any:
    """Return the worth of a policy, by a forward recursion over expected numbers of agents.

    Args:
        worlds: the worlds.
        chances: from an observation to the probability of each action, a number or a polynomial.
        discount: γ in [0, 1].
        horizon: the number of steps.
        first: what an agent sees before its first observation.
        decisive: gets the observations after which actions differ.
    """
    gamma = Fraction(exact(checked_discount(discount)))
    checked_hashable("first", first)
    if checked_steps("horizon", horizon) > MOST_COUNTED_STEPS:
        raise TooLargeError(
            f"got horizon={horizon}; policies without memory are computed for {MOST_COUNTED_STEPS} steps at most"
        )
    for kernel in compress(worlds.kernels, worlds.prior):
        check_copy_sets(CheckedKernel(_Followed(kernel, chances, first)), horizon, alike=False)
    worth: Any = Fraction()
    now: dict[tuple[Particle, Hashable], Any] = {
        (Particle(index, slot, state), first): share
        for index, (kernel, share) in enumerate(zip(worlds.kernels, worlds.prior, strict=True))
        for slot, state in kernel.start.items()
        if share
    }
    for step in range(horizon):
        after: dict[tuple[Particle, Hashable], Any] = defaultdict(Fraction)
        for ((world, slot, state), seen), weight in now.items():
            answer = chances(seen)
            ways = {action: worlds.kernels[world].outcomes(slot, state, action) for action in answer}
            (first_action, first_way), *others = ways.items()
            if all(way == first_way for _, way in others):
                answer = {first_action: 1}  # no unknown where the action does not matter
            else:
                decisive.add(seen)
            for action, chance in answer.items():
                for probability, arrivals in ways[action]:
                    share = weight * chance * probability
                    for target, arrival in arrivals.items():
                        after[Particle(world, target, arrival.state), arrival.observation] += share
                        worth += share * (gamma**step * Fraction(arrival.reward))
        now = after
    return worth


class _Followed:
    """A world whose hidden states hold what an agent saw last; an action that the policy never takes deletes it."""

    def __init__(self, world: CheckedKernel, chances: Callable[[Hashable], Chances], first: Hashable) -> None:
        self.world, self.chances, self.actions = world, chances, world.actions
        self.start = {slot: (state, first) for slot, state in world.start.items()}

    def outcomes(self, slot: int, place: Any, action: Hashable) -> list[Outcome]:
        """The outcomes of the world, if the policy can take the action."""
        state, seen = place
        ways = self.world.outcomes(slot, state, action) if action in self.chances(seen) else ((Fraction(1), {}),)
        return [(p, {i: to._replace(state=(to.state, to.observation)) for i, to in into.items()}) for p, into in ways]
