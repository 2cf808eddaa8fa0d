"""``presumptuous-philosopher``: prices and credences as functions of N/n, and what learners come to do."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from multislot.exact import DecisionMap
from scenarios.anthropics import coupons
from scenarios.anthropics.coupons import Coupon
from scenarios.anthropics.experiment import Puzzle, Results, Taught
from scenarios.anthropics.presumptuous_philosopher.settings import Settings
from scenarios.lab.table import Measured

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


def rows(settings: Settings) -> list[Measured]:
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


def taught(settings: Settings) -> Sequence[Taught]:
    """One survivor's memory, with and without caring."""
    return [coupons.learners(coupon(settings), settings.rounds, caring=caring) for caring in (Fraction(0), Fraction(1))]


PUZZLE = Puzzle(decisions, formula, "x", Fraction(1), rows, grid, taught)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL
