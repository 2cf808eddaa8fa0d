"""Panels of the puzzles about coupons: rules upon waking as lines of the map, losses, and prices by N/n."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from multislot.drawing.pictures import Panel
from multislot.drawing.styling import BELOW
from scenarios.anthropics.coupons import COUPONS, HALF, RULES, Coupon
from scenarios.anthropics.experiment import Results, exact_rows
from scenarios.anthropics.pictures import ALPHA_COLOURS, RULE_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = dict(zip(COUPONS, ("--", "-."), strict=True))
LARGEST_RATIO = 100


def rules(coupon: Coupon, chosen: tuple[str, ...] = RULES) -> dict[str, tuple[Fraction, str, str]]:
    """Return the prices below which rules buy upon waking, each with its colour and style; equal ones together."""
    return {
        _together(names): (price, RULE_COLOURS[names[0][0]], STYLES[names[0][1]])
        for price, names in _by_price(coupon, chosen).items()
    }


def _by_price(coupon: Coupon, chosen: tuple[str, ...]) -> dict[Fraction, list[tuple[str, str]]]:
    found: dict[Fraction, list[tuple[str, str]]] = defaultdict(list)
    for name in product(chosen, COUPONS):
        found[coupon.price_on_waking_by_formula(*name)].append(name)
    return found


def _together(names: list[tuple[str, str]]) -> str:
    """Return rules in words; a rule that does the same with both coupons once."""
    counted = {rule: [one for other, one in names if other == rule] for rule, _ in names}
    return " = ".join(rule if len(some) == len(COUPONS) else f"{rule}, {some[0]}" for rule, some in counted.items())


def losses(results: Results) -> Panel:
    """Return a panel of the most that deciding upon waking can lose, by rule, for the average and for the sum."""

    def draw(axes: "Axes") -> None:
        found = {
            caring: {
                row.case: float(Fraction(str(row.ours)))
                for row in exact_rows(results)
                if row.quantity.endswith(f"lose, α={caring}")
            }
            for caring in (Fraction(0), Fraction(1))
        }
        names = list(found[Fraction(0)])
        for offset, (caring, lost) in zip((-0.2, 0.2), found.items(), strict=True):
            places = np.arange(len(names)) + offset
            axes.barh(places, [lost[name] for name in names], 0.38, color=ALPHA_COLOURS[caring], label=f"α={caring}")
            for place, name in zip(places, names, strict=True):
                axes.text(lost[name] + 0.004, place, f"{lost[name]:.3g}", va="center", fontsize="small")
        axes.set_yticks(range(len(names)), [name.replace(", ", "\n") for name in names])
        axes.set(xlabel="most that is lost, at the worst price", ylim=(len(names) - 0.5, -0.5))
        axes.margins(x=0.15)
        axes.legend(ncols=2, **BELOW)

    return draw


def by_ratio(results: Results, told: bool, chosen: tuple[str, ...] = RULES) -> Panel:
    """Return a panel of prices as functions of N/n, at n = 1: lines in closed form, dots by the engine."""

    def draw(axes: "Axes") -> None:
        ratios = np.unique(np.round(np.geomspace(1, LARGEST_RATIO, 40)).astype(int))
        coupons = [Coupon(1, int(ratio), HALF, told) for ratio in ratios]
        for names in _by_price(coupons[-1], chosen).values():
            prices = [float(one.price_on_waking_by_formula(*names[0])) for one in coupons]
            colour, style = RULE_COLOURS[names[0][0]], STYLES[names[0][1]]
            axes.plot(ratios, prices, style, color=colour, linewidth=1.5, label=_together(names))
        for caring in (Fraction(0), Fraction(1)):
            colour, name = ALPHA_COLOURS[caring], f"from the beginning, α={caring}"
            prices = [float(one.threshold(caring)) for one in coupons]
            axes.plot(ratios, prices, color=colour, linewidth=5, alpha=0.45, label=name, zorder=0)
        for row in exact_rows(results):
            if row.quantity.endswith("by N/n"):
                caring, ratio = (Fraction(part.partition("=")[2]) for part in row.case.split(", "))
                axes.plot(float(ratio), float(Fraction(str(row.ours))), "o", color=ALPHA_COLOURS[caring], markersize=6)
        axes.set(xscale="log", xlabel="N / n  (n = 1)", ylabel="price below which it is bought", ylim=(0, 1.02))
        axes.legend(**BELOW)

    return draw
