"""The presumptuous philosopher: is a theory likelier because it says that there are many of us?

Two theories fit all observations equally well. By one there are n observers like us, by the other N, many more. The
philosopher needs no experiment: being an observer at all, she finds the populous theory N/n times as likely (Bostrom
2002). That is self-indication (`count`). Self-sampling (`exists`) leaves the odds even. A coupon on the populous theory
makes it a matter of decision: chosen from the beginning, it is worth a half to those who count the average over all
observers and N/(n + N) to those who count their sum. So the presumption is in what is cared for (Armstrong 2011). Told
which observer one is, the two schools part once more; see ``doomsday``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from multislot.drawing.pictures import lettered
from multislot.exact import DecisionMap
from scenarios.anthropics import coupons
from scenarios.anthropics.coupon_pictures import by_ratio, rules
from scenarios.anthropics.coupons import Coupon
from scenarios.anthropics.experiment import LearningCase, Puzzle, Results
from scenarios.anthropics.pictures import decision_map, learners
from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many observers each theory has, and what the coupon costs."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 400
    n: Annotated[int, Field(ge=1, le=12, title="n", description="observers by the small theory")] = 1
    N: Annotated[int, Field(ge=2, le=12, title="N", description="observers by the populous theory")] = 4
    x: Annotated[Fraction, Field(ge=0, le=1, title="x", description="price of the coupon")] = Fraction(13, 20)


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


POPULATIONS = ((1, 2), (2, 5), (3, 40), (1, 200))
MORAL = (
    "Self-indication bets on the populous theory at odds of N to n, self-sampling at even odds. From the beginning\n"
    "there is no quarrel: the sum over all observers bets at N to n, their average at even odds. Counting both, by\n"
    "credence and by coupons, bets at N² to n² and is never right: that is the presumption that loses money."
)


def coupon(settings: Settings) -> Coupon:
    """The coupon of these settings."""
    return Coupon(settings.n, settings.N, settings.x)


def decisions(settings: Settings, alphas: Sequence[Fraction], prices: Sequence[Fraction]) -> DecisionMap:
    """Whether it is bought from the beginning."""
    return coupons.mapped(coupon(settings), alphas, prices)


def formula(settings: Settings, caring: Fraction, price: Fraction) -> bool:
    """The same in closed form: ``x < (1 + α(N − 1)) / (2 + α(N + n − 2))``."""
    few, many = (1 + caring * (number - 1) for number in (settings.n, settings.N))
    return price < many / (few + many)


def rows(settings: Settings) -> list[Row]:
    """Everything exact."""
    asked, condition = coupon(settings), f"n={settings.n}, N={settings.N}"
    return [
        *coupons.from_the_beginning(asked, condition),
        *coupons.upon_waking(asked, condition),
        *coupons.agreeing(asked, condition),
        *coupons.by_ratio(told=False),
        coupons.control_of_the_grid(POPULATIONS, told=False),
    ]


def grid(settings: Settings) -> Iterator[tuple[Fraction, Fraction]]:
    """Worths by the engine and in closed form."""
    return coupons.grid(False, POPULATIONS)


def learning_cases(settings: Settings) -> Sequence[LearningCase]:
    """One survivor's memory, with and without caring."""
    return [coupons.learners(coupon(settings), settings.rounds, caring=caring) for caring in (Fraction(0), Fraction(1))]


PUZZLE = Puzzle(decisions, formula, "x", Fraction(1), rows, grid, learning_cases)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL


SHOWN = ("exists", "count")


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    lines = rules(coupon(settings), SHOWN)
    panels = [
        (
            "bought from the beginning; lines: rules upon waking",
            decision_map(PUZZLE, settings, results, "price x", lines),
        ),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("by how many more there may be", by_ratio(results, told=False, chosen=SHOWN)),
    ]
    title = f"presumptuous-philosopher:  n={settings.n}, N={settings.N}, x={settings.x}"
    return {"presumptuous-philosopher": lettered(title, panels)}
