"""Sleeping Beauty: a fair coin, one awakening or several, and the price at which to bet on the coin.

Beauty is put to sleep, and a fair coin is tossed. After heads she is woken once. After tails n copies of her are woken,
who cannot tell each other apart. Each may buy a coupon that pays 1 if the coin fell tails. How much is it worth?

Halfers say that waking tells her nothing: 1/2 (Lewis 2001). Thirders say that an awakening is more likely to be one of
many: n/(n+1) (Elga 2000). These papers have no prices. What a bet pays under each belief is in Hitchcock 2004 and
Briggs 2010. Our rule `exists` is full non-indexical conditioning (Neal 2006). Our rule `sequential` agrees with what
Lewis says once Beauty is told that it is Monday. Halpern 2004 and Meacham 2008 compare such rules.

Armstrong's anthropic decision theory (2011) needs no belief: the policy is chosen before the coin is tossed.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from multislot import exact
from scenarios.anthropics import coupons
from scenarios.anthropics.coupons import AWAKE, BUY, REFUSE, RULES, Coupon, CouponPuzzle, Outcomes
from scenarios.anthropics.learning import EVERYONE, FULL_SIZE, AnthropicSettings
from scenarios.lab.experiment import LearningCase
from scenarios.lab.table import Row, formula_row


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many awakenings, and what the coupon costs."""

    n: Annotated[int, Field(ge=2, le=12, description="awakenings after tails")] = 2
    x: Annotated[Fraction, Field(ge=0, le=1, description="price of the coupon")] = Fraction(7, 12)
    x_2: Annotated[Fraction, Field(ge=0, le=1, description="a higher price, for the learners who all remember")] = (
        Fraction(11, 15)
    )
    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 800


FULL = replace(Settings(), **FULL_SIZE)


POPULATIONS = ((1, 2), (1, 3), (1, 5))
APART = "copies that explore apart do not find out that they act alike"
MORAL = (
    "If Beauty wakes n times after tails, she pays up to 1/2 for a coupon that pays 1 after tails if she counts her\n"
    "copies' average gain, and up to n/(n+1) if she counts their sum. To find a price from a belief about the coin,\n"
    "Beauty must also say how many copies' coupons she counts. Learners that remember only what one copy saw come to\n"
    "believe in tails with probability 1/2. Learners that remember what every copy saw come to believe in tails with\n"
    "a higher probability, as thirders do. Learners that care for the other copies count the coupons of all copies."
)


def coupon(settings: Settings) -> Coupon:
    """The coupon of these settings: one copy after heads, n after tails."""
    return Coupon(1, settings.n, settings.x)


@dataclass(frozen=True)
class Days:
    """The older version: one agent is woken so many days in a row, sees the same each day, and may buy a coupon.

    There is one Beauty at a time, so every α gives the same worth: the sum over her awakenings. A policy that reads the
    whole history could tell the days apart; hers may not, so it is a policy without memory. The state is the day.
    """

    awakenings: int
    pays: Fraction
    price: Fraction
    actions: Sequence[str] = (REFUSE, BUY)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: 0})

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Outcomes:
        """The next day, and the pay for what was bought on this one."""
        paid = self.pays - self.price if action == BUY and 0 < state <= self.awakenings else 0
        return [(1, {slot: exact.Arrival(state + 1, "awake" if state < self.awakenings else "over", paid)})]


def days(n: int, price: Fraction) -> exact.Mixture:
    """The two worlds of the coin: one awakening after heads, n after tails."""
    half = Fraction(1, 2)
    return exact.Mixture((Days(1, Fraction(0), price), Days(n, Fraction(1), price)), (half, half))


def worth_with_memory(n: int, price: Fraction) -> Fraction:
    """What the best policy is worth if Beauty remembers her awakenings."""
    return Fraction(exact.plan_for_copies(days(n, price), discount=1, horizon=n + 1).value)


def more_rows(settings: Settings) -> Iterator[Row]:
    """Yield where the policy changes with α, the coin inside one world, and awakenings one after the other."""
    condition = f"n={settings.n}"
    thresholds = exact.frontier_for_copies(coupon(settings).mixture(), discount=1, horizon=2).thresholds
    alpha = (2 * settings.x - 1) / ((1 - settings.x) * (settings.n - 1)) if settings.x < 1 else Fraction(2)
    yield Row(
        "α above which it is bought",
        f"{condition}, x={settings.x}",
        thresholds[0] if thresholds else "none",
        paper=alpha if 0 < alpha < 1 else "none",
        source="(2x − 1) / ((1 − x)(n − 1))",
    )
    yield from _coin_inside(coupon(settings), condition)
    yield from _one_after_the_other(settings.n, condition)


def _coin_inside(asked: Coupon, condition: str) -> Iterator[Row]:
    """With the coin inside one world every rule counts copies; what is chosen from the beginning stays the same."""
    inside = asked.inside()
    for rule in RULES:
        belief = exact.Situations(exact.Mixture((inside,), (), rule)).belief((AWAKE,))
        tails = sum((weight for place, weight in belief.weights.items() if place.state[0] == "tails"), Fraction())  # type: ignore[index]
        quantity = f"credence in the larger world, {rule}, coin inside one kernel"
        formula = Fraction(asked.many, asked.many + 1)
        source = "inside a kernel chance is followed by expected numbers of copies, whatever the rule between worlds"
        yield formula_row(quantity, "", condition, tails, formula, source)
    for caring in (Fraction(0), Fraction(1)):
        outside, within = (
            exact.plan_for_copies(world, caring=caring, discount=1, horizon=2).value
            for world in (asked.mixture(), inside)
        )
        quantity = "worth of the best policy, coin inside one kernel"
        source = "the same as with the coin between two kernels"
        asked_at = f"α={caring}, {condition}, x={asked.price}"
        yield formula_row(quantity, "", asked_at, Fraction(within), Fraction(outside), source)


def _one_after_the_other(n: int, condition: str) -> Iterator[Row]:
    """The version with days and without memory, and what memory would change."""
    policy: Mapping[Hashable, Mapping[Hashable, Fraction]] = {
        None: {REFUSE: Fraction(1)},
        "awake": {BUY: Fraction(1)},
        "over": {REFUSE: Fraction(1)},
    }
    ours = coupons.price_where_equal(lambda x: exact.memoryless_worth(days(n, x), policy, horizon=n + 1))
    quantity = "price below which it is bought, awakenings one after the other"
    source = "one agent at a time: the sum over its awakenings, so the price of copies at α = 1"
    yield formula_row(quantity, "", f"any α, {condition}", ours, Fraction(n, n + 1), source)
    x = Fraction(3, 5)
    quantity = "worth of the best policy, awakenings remembered"
    formula = max(Fraction(0), (1 - 2 * x) / 2) + (n - 1) * (1 - x) / 2
    source = "½ max(0, 1 − 2x) + ½ (n − 1)(1 − x): from the second day on the coin is known"
    yield formula_row(quantity, "", f"any α, {condition}, x={x}", worth_with_memory(n, x), formula, source)


def learning_cases(settings: Settings) -> list[LearningCase]:
    """Two memories, with and without caring; a higher price; and copies that explore apart."""
    low, rounds, all_alike = coupon(settings), settings.rounds, Fraction(1)
    high = replace(low, price=settings.x_2)
    alone, alike = coupons.learners(low, rounds), coupons.learners(low, rounds, caring=all_alike)
    # the control fails as it must only at prices at which acting alike makes a difference
    is_applicable = alike.accepts != alone.accepts and alike.is_clear and alone.is_clear
    return [
        alone,
        alike,
        coupons.learners(low, rounds, memory=EVERYONE),
        *(coupons.learners(high, rounds, memory=EVERYONE, caring=Fraction(caring)) for caring in (0, 1)),
        *([coupons.learners(low, rounds, caring=all_alike, control=APART)] if is_applicable else []),
    ]


SHOWN = ("exists", "count")
PUZZLE = CouponPuzzle("sleeping-beauty", coupon, POPULATIONS, learning_cases, more_rows, shown=SHOWN)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table
figures = PUZZLE.figures
