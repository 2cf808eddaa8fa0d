"""Doomsday: told that you were born early, should you expect that few will follow?

Two theories are equally likely: n humans will ever live, or N, many more. You learn your birth rank, and it is among
the first n. Self-sampling from all humans finds that likelier if there are few of them, so that doom is probably soon,
at odds of N to n (Leslie 1996, after Carter). Self-indication had favored the many before, by the same factor, and
ends at even odds. It matters which humans one is thought to be drawn from: among those who have exactly this birth rank
there is one in either world, and nothing is learned. So three rules, each with its reference class, are set next to the
decision from the beginning (Armstrong 2011): whoever counts the sum over all humans bets at even odds, whoever counts
their average bets on doom. That holds because here all humans live at the same time: the average is over those alive.
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
from scenarios.anthropics.coupons import AWAKE, RULES, Coupon
from scenarios.anthropics.experiment import LearningCase, Puzzle, Results
from scenarios.anthropics.learning import EVERYONE, ONE_SURVIVOR
from scenarios.anthropics.pictures import decision_map, learners
from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many will ever live, and what a coupon on many costs."""

    n: Annotated[int, Field(ge=1, le=12, title="n", description="humans if doom is soon")] = 1
    N: Annotated[int, Field(ge=2, le=12, title="N", description="humans if it is not")] = 3
    x: Annotated[Fraction, Field(ge=0, le=1, title="x", description="price of a coupon that pays 1 if many live")] = (
        Fraction(3, 8)
    )


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


POPULATIONS = ((1, 2), (2, 5), (3, 9))
MORAL = (
    "Told a birth rank, self-sampling from all humans moves towards doom, self-indication moves back to even odds,\n"
    "and sampling from those of exactly this rank never moves. From the beginning the sum bets at even odds, the\n"
    "average over the living on doom, since all live at once: one early human's bet weighs less in a larger crowd.\n"
    "If humans were born one after the other, this average would bet at even odds, too. Learners who are told apart\n"
    "decide by whose memory goes on, whatever their α: what others win is credited to the others' observations."
)


def coupon(settings: Settings) -> Coupon:
    """The coupon of these settings."""
    return Coupon(settings.n, settings.N, settings.x, told=True)


def decisions(settings: Settings, alphas: Sequence[Fraction], prices: Sequence[Fraction]) -> DecisionMap:
    """Whether the first copy buys, by a policy chosen from the beginning."""
    return coupons.mapped(coupon(settings), alphas, prices)


def formula(settings: Settings, caring: Fraction, price: Fraction) -> bool:
    """The same in closed form: ``x < w_α(N) / (w_α(N) + w_α(n))``."""
    return price < coupon(settings).threshold(caring)


def rows(settings: Settings) -> list[Row]:
    """Everything exact."""
    asked, condition = coupon(settings), f"n={settings.n}, N={settings.N}, told"
    return [
        *coupons.from_the_beginning(asked, condition),
        *_what_is_learned(asked, f"n={settings.n}, N={settings.N}"),
        *coupons.upon_waking(asked, condition),
        *coupons.agreeing(asked, condition),
        *coupons.by_ratio(told=True),
        coupons.control_of_the_grid(POPULATIONS, told=True),
    ]


def _what_is_learned(asked: Coupon, condition: str) -> Iterator[Row]:
    """The credence in many humans before one is told anything; after it is among the rows upon waking."""
    for rule in RULES:
        yield Row(
            "credence in the larger world before being told",
            f"{rule}, {condition}, told",
            asked.credence(rule, (AWAKE,)),
            paper=asked.credence_by_formula(rule, told=False),
            case=rule,
            source="the rule's own definition",
        )


def grid(settings: Settings) -> Iterator[tuple[Fraction, Fraction]]:
    """Worths by the engine and in closed form."""
    return coupons.grid(True, POPULATIONS)


def learning_cases(settings: Settings) -> Sequence[LearningCase]:
    """Two memories; with the second, caring makes no difference."""
    asked, rounds = coupon(settings), settings.rounds
    return [
        coupons.learners(asked, rounds, memory=ONE_SURVIVOR),
        coupons.learners(asked, rounds, memory=EVERYONE),
        coupons.learners(asked, rounds, memory=EVERYONE, caring=Fraction(1)),
    ]


PUZZLE = Puzzle(decisions, formula, "x", Fraction(1), rows, grid, learning_cases)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    lines = rules(coupon(settings))
    panels = [
        ("bought by the first, from the beginning", decision_map(PUZZLE, settings, results, "price x", lines)),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("by how many more there may be", by_ratio(results, told=True)),
    ]
    return {"doomsday": lettered(f"doomsday:  n={settings.n}, N={settings.N}, x={settings.x}", panels)}
