"""The three worlds, with a bet on the next observation; the rules; and equation (2) by brute force.

Nothing in `best_of_all_policies` uses the engine: it knows each world by the weight that a value gives to the next
observation, and each of its histories is decided by itself.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from multislot.exact import Arrival, Kernel, Mixture, Plan, UniversalKernel
from multislot.exact.kernel import Outcome

PASS, BET = "pass", "bet"
WORLDS = ("universal", "always 0", "coin")
PRIOR = Fraction(1, len(WORLDS))
HALF = Fraction(1, 2)

Zeros: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Rule:
    """A posterior, and the value that follows it: only ``own`` depends on the value."""

    posterior: str
    value: str = "cpy"

    @property
    def name(self) -> str:
        """What it is called: ``own, static``."""
        return {"own": f"own, {'static' if self.value == 'sta' else 'copy-centered'}"}.get(
            self.posterior, self.posterior
        )

    @property
    def keeps_the_weight(self) -> bool:
        """Whether section 5 holds by formula: the universal world is as likely as the one that always shows 0."""
        return self.posterior in ("count", "exists", "printed") or self.value == "sta"

    @property
    def coin_learns(self) -> bool:
        """Whether the coin loses weight to the world that always shows 0: prior weights never move."""
        return self.posterior != "printed"

    def universal_weight(self, steps: int) -> Fraction:
        """Return the weight of the universal world after so many zeros, by formula."""
        kept, coin = Fraction(1), HALF**steps if self.coin_learns else Fraction(1)
        universal = kept if self.keeps_the_weight else coin
        return universal / (universal + kept + coin)


RULES = (Rule("count"), Rule("exists"), Rule("sequential"), Rule("own"), Rule("own", "sta"), Rule("printed"))


@dataclass(frozen=True)
class Steady:
    """A world with one agent that is never copied.

    Args:
        ones: the chance of observing 1.
    """

    ones: Fraction

    @property
    def actions(self) -> Sequence[int]:
        """What is done makes no difference."""
        return range(2)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: "there"}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterator[Outcome]:
        """Yield the observations that may come."""
        for seen, chance in ((0, 1 - self.ones), (1, self.ones)):
            if chance:
                yield chance, {slot: Arrival(state, seen, seen)}


@dataclass(frozen=True)
class Betting:
    """A world of observations 0 and 1 in which the agent may bet on 0 at every step.

    Args:
        world: the world; its action 0 is taken.
        stake: what a lost bet costs; a won one pays 1.
    """

    world: Kernel
    stake: Fraction

    @property
    def actions(self) -> Sequence[str]:
        """To pass, and to bet."""
        return (PASS, BET)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """The world's start."""
        return self.world.start

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterator[Outcome]:
        """Yield the world's outcomes with what the bet pays."""
        for chance, arrivals in self.world.outcomes(slot, state, 0):
            paid = {seen: (1, -self.stake)[seen] if action == BET else 0 for seen in (0, 1)}
            yield (
                chance,
                {
                    to: Arrival(one.state, one.observation, paid[int(str(one.observation))])
                    for to, one in arrivals.items()
                },
            )


def betting_class(rule: Rule, stake: Fraction) -> Mixture:
    """Return the three worlds, equally likely, with a bet at every step."""
    worlds: tuple[Kernel, ...] = (UniversalKernel(), Steady(Fraction(0)), Steady(HALF))
    return Mixture([Betting(world, stake) for world in worlds], posterior=rule.posterior)


def betting_plan(rule: Rule, stake: Fraction, steps: int) -> Plan:
    """Return the plan of an agent that follows a rule, for so many steps."""
    return Plan(betting_class(rule, stake), rule.value, 1, steps)  # type: ignore[arg-type]


def chance_of_zero(world: str, value: str) -> Fraction:
    """Return the weight that a value gives to observing 0 next in a world."""
    if world == "universal":
        return Fraction(1) if value == "sta" else HALF
    return Fraction(1) if world == "always 0" else HALF


def worth_in_equation_2(bets: Mapping[Zeros, bool], value: str, stake: Fraction, steps: int) -> Fraction:
    """Return ``Σ_ν w_ν V_ν^π`` of a policy: whether it bets after each sequence of observations."""
    total = Fraction()
    for world, seen in product(WORLDS, histories(steps)):
        zero = chance_of_zero(world, value)
        reached = PRIOR
        for one in seen:
            reached *= 1 - zero if one else zero
        total += reached * (zero - stake * (1 - zero)) if bets[seen] else 0
    return total


def histories(steps: int) -> list[Zeros]:
    """Return every sequence of observations after which there is a bet to be made."""
    return [seen for length in range(steps) for seen in product((0, 1), repeat=length)]


def best_of_all_policies(value: str, stake: Fraction, steps: int) -> Fraction:
    """Return the largest worth in equation (2); it is a sum over histories, so each is decided by itself."""
    worths = [
        worth_in_equation_2({other: other == seen for other in histories(steps)}, value, stake, steps)
        for seen in histories(steps)
    ]
    return sum((max(worth, Fraction()) for worth in worths), Fraction())


def bets_of(plan: Plan, steps: int) -> dict[Zeros, bool]:
    """Return whether a plan bets, after each sequence of observations; what it did before is what it does."""
    found: dict[Zeros, bool] = {}
    for seen in histories(steps):
        done = [BET if found[seen[:index]] else PASS for index in range(len(seen))]
        found[seen] = plan.policy(tuple(zip(done, seen, strict=True))) == BET
    return found
