"""Doomsday: told that you were born early, should you expect that few people will follow?

Two theories are equally likely. By one, n people will ever live; by the other N, many more. You learn your birth
number, and it is among the first n.

Self-sampling from all people says that such an early number is more likely if there are few people. So doom is probably
soon, at odds of N to n (Leslie 1996, after Carter). Self-indication says that your existence favors the theory with
many people, by the same factor; together with your number, the odds are even again. Self-sampling from those who have
exactly this number finds one person by either theory, so you learn nothing.

The scenario compares these rules with a plan that is made at the beginning (Armstrong 2011).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.coupons import AWAKE, DEFINITION, RULES, Coupon, CouponPuzzle, learners
from scenarios.anthropics.learning import EVERYONE, FULL_SIZE, AnthropicSettings
from scenarios.lab.table import Row, formula_row


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many will ever live, and what a coupon on many costs."""

    n: Annotated[int, Field(ge=1, le=12, description="humans if doom is soon")] = 1
    N: Annotated[int, Field(ge=2, le=12, description="humans if it is not")] = 3
    x: Annotated[Fraction, Field(ge=0, le=1, description="price of a coupon that pays 1 if many live")] = Fraction(3, 8)


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


POPULATIONS = ((1, 2), (2, 5), (3, 9))
MORAL = (
    "Whoever reasons as if drawn at random from all people concludes from an early birth number that doom is likely.\n"
    "Whoever takes their own existence as evidence for many people finds doom as likely as not. Whoever reasons as if\n"
    "drawn only from those with the same birth number learns nothing from this number. A plan for the sum of all\n"
    "people's gains bets as if doom were as likely as not. A plan for the average gain of the living bets on doom,\n"
    "because one person's bet changes the average less if many others live at the same time. If people lived one\n"
    "after the other, a plan for their average gain would bet as if doom were as likely as not. A learner that knows\n"
    "its birth number comes to pay a price that depends on whose memory it inherits."
)


def coupon(settings: Settings) -> Coupon:
    return Coupon(settings.n, settings.N, settings.x, told=True)


def more_rows(settings: Settings) -> Iterator[Row]:
    """Yield the credence in many humans before one is told anything."""
    asked, common = coupon(settings), f"n={settings.n}, N={settings.N}, told"
    for rule in RULES:
        credence, formula = asked.credence(rule, (AWAKE,)), asked.credence_by_formula(rule, told=False)
        yield formula_row("credence in the larger world before being told", rule, common, credence, formula, DEFINITION)


PUZZLE = CouponPuzzle(
    "doomsday",
    coupon,
    POPULATIONS,
    learning_cases=lambda settings: [
        learners(coupon(settings), settings.rounds),
        learners(coupon(settings), settings.rounds, memory=EVERYONE),
        learners(coupon(settings), settings.rounds, memory=EVERYONE, caring=Fraction(1)),
    ],
    more_rows=more_rows,
    by_ratio=True,
    title="bought by the first, from the beginning",
)
cells, run_cell, table, figures = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table, PUZZLE.figures
