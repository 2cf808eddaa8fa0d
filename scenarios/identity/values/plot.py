"""The picture of ``values``: who decides what in the smallest worlds, and how often two values differ."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import RED
from scenarios.identity.values.run import Results, pair_counts
from scenarios.identity.values.settings import Settings
from scenarios.identity.values.witnesses import WITNESSES
from scenarios.identity.values.worlds import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALONE, TOGETHER = RED, "#dfe6ee"
PALE = 0.45  # shares above this are written in white


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of two panels."""
    figure = new_figure(8.6, 10.4)
    worlds, pairs = figure.subplots(2, 1)
    _draw_worlds(worlds, {cell.which: result for cell, result in results if cell.part == "witness"})
    _draw_pairs(pairs, [result for cell, result in results if cell.part == "search"])
    return {"values": figure}


def _draw_worlds(axes: "Axes", witnesses: dict[str, dict[str, Any]]) -> None:
    """Draw a row for each world, a column for each value; the one that stands alone is coloured."""
    for row, (name, found) in enumerate(witnesses.items()):
        for column, value in enumerate(NAMES):
            colour = ALONE if value == name else TOGETHER
            axes.add_patch(_square(column, row, colour))
            other = {"a": "b", "b": "a"}[WITNESSES[name].decides]
            word = WITNESSES[name].decides if value == name else other
            axes.text(column, row, word, ha="center", va="center", weight="bold" if value == name else None)
        after = ", after a step" if WITNESSES[name].history else ""
        axes.text(len(NAMES) - 0.4, row, f"{found['size']} copies{after}", va="center")
    _frame(axes, [f"world of {name}" for name in witnesses])
    axes.set_title("(a) what each value decides in the smallest world of each", loc="left")


def _draw_pairs(axes: "Axes", searches: list[dict[str, Any]]) -> None:
    """Draw the share of random worlds in which two values differ, below the diagonal."""
    from matplotlib import colormaps

    shares = {}
    for one, other in combinations(NAMES, 2):
        differ, decide = pair_counts(searches, f"{one} {other}")
        shares[one, other] = differ / decide if decide else None
    largest = max((share for share in shares.values() if share), default=1.0)
    for (one, other), share in shares.items():
        column, row = NAMES.index(one), NAMES.index(other)
        depth = 0.0 if share is None else share / largest
        axes.add_patch(_square(column, row, colormaps["Blues"](0.75 * depth)))
        word = "?" if share is None else f"{100 * share:.0f}"
        axes.text(column, row, word, ha="center", va="center", color="white" if depth > 2 * PALE else "black")
    _frame(axes, list(NAMES))
    axes.set_title("(b) in how many random worlds two values differ, per cent", loc="left")


def _square(column: int, row: int, colour: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white")


def _frame(axes: "Axes", rows: list[str]) -> None:
    axes.set_xticks(np.arange(len(NAMES)), NAMES, rotation=90)
    axes.set_yticks(np.arange(len(rows)), rows)
    axes.set(xlim=(-0.5, len(NAMES) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xlabel("value")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
