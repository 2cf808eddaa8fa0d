"""The picture of ``precedent``: frequencies over δ with exact confidence intervals, and the bounds."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from scenarios.conservatism.precedent.run import Cell, Twinned
from scenarios.conservatism.precedent.settings import Settings
from scenarios.conservatism.uncertainty import interval, whiskers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = {"every model": ("tab:blue", "o"), "the truth alone": ("tab:red", "s")}
LARGEST_DELTA = 30


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure of two panels: who is first, over δ, and whether the truth stays, over β."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for twinned in get_args(Twinned):
        family = [pair for pair in results if pair[0].twinned == twinned]
        _draw(left, settings, family, "agent", [(1 - cell.beta) / result["twin_weight"] for cell, result in family])
        _draw(right, settings, family, "stayed", [(1 - cell.beta) / result["weight"] for cell, result in family])
    _finish(left, "δ = (1−β)/w(μ†), falling: more pessimistic to the right", lambda delta: np.minimum(1, delta))
    _finish(right, "δ = (1−β)/w(μ), falling: more pessimistic to the right", lambda delta: np.maximum(0, 1 - delta))
    left.set_ylabel("share: agent causes the event first")
    right.set_ylabel("share: truth stays in the top set for life")
    left.legend(fontsize=8, loc="upper right")
    figure.suptitle(
        f"{settings.classes} random classes, {settings.lives} lives each; faint: one class at one β; "
        "bold: all classes at one β, at their median δ, with 95% confidence",
        fontsize=10,
    )
    return {"precedent": figure}


def _draw(
    axes: "Axes",
    settings: Settings,
    results: Sequence[tuple[Cell, dict[str, Any]]],
    name: str,
    deltas: Sequence[float],
) -> None:
    """One family over δ: every class at every β as a dot, and all classes at one β with whiskers."""
    twinned = results[0][0].twinned
    colour, marker = STYLES[twinned]
    shares = [result[name] / cell.lives for cell, result in results]
    axes.scatter(deltas, shares, s=8, alpha=0.2, color=colour, linewidth=0)
    for number, beta in enumerate(settings.betas):
        chosen = [index for index, (cell, _) in enumerate(results) if cell.beta == beta]
        count, lives = sum(results[i][1][name] for i in chosen), sum(results[i][0].lives for i in chosen)
        place = float(np.median([deltas[i] for i in chosen]))
        axes.errorbar(
            [place],
            [count / lives],
            yerr=whiskers(count / lives, interval(count, lives)),
            fmt=marker,
            markersize=5,
            capsize=3,
            color=colour,
            label=None if number else f"twins of {twinned}",
        )


def _finish(axes: "Axes", title: str, bound: Callable[[Any], Any]) -> None:
    """Draws the bound, dashed, and names the axis."""
    least = axes.dataLim.minposx / 2
    deltas = np.geomspace(least, LARGEST_DELTA, 400)
    axes.plot(deltas, bound(deltas), "k--", label="bound")
    axes.set_xscale("log")
    axes.set_xlim(LARGEST_DELTA, least)
    axes.set_xlabel(title)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.3)
