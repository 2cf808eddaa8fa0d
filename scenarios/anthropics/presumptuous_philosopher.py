"""The presumptuous philosopher: is a theory likelier because it says that there are many of us?

Two theories fit all observations equally well. By one there are n observers like us, by the other N, many more. The
philosopher says that no experiment is needed: since she is an observer at all, the theory with many observers is N/n
times as likely (Bostrom 2002). This is self-indication (`count`). Self-sampling (`exists`) leaves the odds even.

The scenario turns the question into a decision: what is a coupon worth that pays 1 if there are many observers? That
depends on whose gains are counted (Armstrong 2011): the average of the observers' gains, or their sum. In ``doomsday``
the observers are told which of them they are.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.coupons import Coupon, CouponPuzzle, learners
from scenarios.anthropics.learning import FULL_SIZE, AnthropicSettings


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many observers each theory has, and what the coupon costs."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 400
    n: Annotated[int, Field(ge=1, le=12, description="observers by the small theory")] = 1
    N: Annotated[int, Field(ge=2, le=12, description="observers by the populous theory")] = 4
    x: Annotated[Fraction, Field(ge=0, le=1, description="price of the coupon")] = Fraction(13, 20)


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


POPULATIONS = ((1, 2), (2, 5), (3, 40), (1, 200))
MORAL = (
    "One theory says that N people live, the other that only n live. Whoever takes their own existence as evidence\n"
    "for many people bets at odds of N to n that N people live, and not n. Whoever does not take their own existence\n"
    "as evidence bets on both theories at even odds. A plan made before anybody lives bets at N to n if it counts the\n"
    "sum of all people's gains, and at even odds if it counts their average. Whoever counts the people twice, in the\n"
    "belief and in the number of bets, bets at odds of N² to n², and loses money."
)


def coupon(settings: Settings) -> Coupon:
    return Coupon(settings.n, settings.N, settings.x)


SHOWN = ("exists", "count")
PUZZLE = CouponPuzzle(
    "presumptuous-philosopher",
    coupon,
    POPULATIONS,
    learning_cases=lambda settings: [
        learners(coupon(settings), settings.rounds, caring=Fraction(caring)) for caring in (0, 1)
    ],
    by_ratio=True,
    shown=SHOWN,
)
cells, run_cell, table, figures = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table, PUZZLE.figures
