"""Figure 1(b): the curves of both agents and their sum, thresholds, and what was learned; and the paths."""

from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, GREEN, RED
from multislot.statistics import student
from scenarios.consideration.caring_coefficient.run import LEARNED, Results, optima
from scenarios.consideration.caring_coefficient.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BREAK = -160
"""Where the axis is cut: the second agent fails (−1000) only where the first does not care at all."""


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return the curves over α₂, and the acting agent's path for each behaviour."""
    return {"caring-coefficient": _curves(settings, results), "paths": _paths(results)}


def _curves(settings: Settings, results: Results) -> "Figure":
    alphas = [settings.most * Fraction(k, settings.points - 1) for k in range(settings.points)]
    exact = np.array([optima(results, alpha)[0] for alpha in alphas], dtype=float)
    series = {"acting agent": exact[:, 0], "second agent": exact[:, 1], "sum": exact.sum(axis=1)}
    figure = new_figure(7.5, 4.6)
    axes = figure.add_subplot()
    shown = np.array([float(alpha) for alpha in alphas])
    for (name, values), colour, style in zip(series.items(), (BLUE, RED, GREEN), ("-", "-", "--"), strict=True):
        kept = values > BREAK
        axes.plot(shown[kept], values[kept], style, drawstyle="steps-pre", color=colour, lw=2, label=name)
    for lower, *_ in results[0][1]["pieces"][1:]:
        threshold = Fraction(lower)
        axes.axvline(float(threshold), color="grey", lw=0.7, ls=":", zorder=0)
        axes.annotate(f" {threshold}", (float(threshold), 1.005), xycoords=("data", "axes fraction"))
    _draw_learned(axes, results, (BLUE, RED, GREEN))
    axes.annotate(
        "at α₂ = 0 the key is taken away:\n-20 and -1000, off the scale", (0, -53.6), (0.45, -49.5),
        va="center", arrowprops={"arrowstyle": "->", "lw": 0.7, "connectionstyle": "angle3,angleA=0,angleB=90"},
    )  # fmt: skip
    axes.set_ylim(-54, -10)
    axes.set_xlabel("caring coefficient α₂ (α₁ = 1)")
    axes.set_ylabel("return")
    axes.legend(ncols=2, **BELOW)
    return figure


def _draw_learned(axes: Any, results: Results, colours: tuple[str, ...]) -> None:
    """Draw means of the learned returns, with bands of 95% confidence (Student); count runs that never end."""
    runs: dict[Fraction, list[list[int]]] = {}
    never = 0
    for cell, result in results:
        if cell.what == LEARNED and result["returns"] is None:
            never += 1
        elif cell.what == LEARNED:
            runs.setdefault(cell.alpha, []).append([*result["returns"], sum(result["returns"])])
    if not runs:
        return
    where = [float(alpha) for alpha in runs]
    for number, colour in enumerate(colours):
        returns = [[run[number] for run in found] for found in runs.values()]
        means = [fmean(values) for values in returns]
        lows, highs = zip(*map(student, returns), strict=True)
        axes.fill_between(where, lows, highs, color=colour, alpha=0.25, lw=0, zorder=3)
        axes.plot(where, means, "o", color=colour, mfc="white", zorder=4)
    label = "learned, mean and 95% band" + (f" ({never} runs never end)" if never else "")
    axes.plot([], [], "o", color="grey", mfc="white", label=label)


def _paths(results: Results) -> "Figure":
    """Return a path for each behaviour, on one map."""
    from considerate import solve
    from considerate.craftworld import task
    from considerate.craftworld.drawing import Walk, figure

    box = task("box")
    walks = []
    for lower, upper, own, other in results[0][1]["pieces"]:
        alpha = Fraction(lower) if upper == lower else (Fraction(lower) + Fraction(upper or 9)) / 2
        where = "α₂ = 0" if upper == lower else f"α₂ from {lower} to {upper or '∞'}"
        walks.append(Walk(f"{where}: {own}; {other}", solve(box, "value", alpha).path))
    return figure(box, walks, title="Five paths to a box, with both agents' returns")
