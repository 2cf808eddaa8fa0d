"""The picture of ``precedent``: frequencies over δ with exact confidence intervals, and the bounds."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from scenarios.conservatism.lives import interval
from scenarios.conservatism.precedent.run import Cell, Twinned
from scenarios.conservatism.precedent.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("tab:blue", "tab:red")


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure of two panels: who is first, over δ, and whether the truth stays, over β."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for colour, twinned in zip(COLOURS, get_args(Twinned), strict=True):
        family = [pair for pair in results if pair[0].twinned == twinned]
        deltas = [(1 - cell.beta) / result["twin_weight"] for cell, result in family]
        _draw(left, settings, family, "agent", deltas, colour, f"twins of {twinned}")
        rests = [(1 - cell.beta) / result["weight"] for cell, result in family]
        _draw(right, settings, family, "stayed", rests, colour, f"twins of {twinned}")
    _finish(left, settings, "δ = (1−β)/w(μ†) (more pessimistic to the right)", lambda delta: np.minimum(1, delta))
    _finish(right, settings, "δ = (1−β)/w(μ) (more pessimistic to the right)", lambda delta: np.maximum(0, 1 - delta))
    left.set_ylabel("share: agent causes the event first")
    right.set_ylabel("share: truth stays in the top set for life")
    left.legend(fontsize=8)
    figure.suptitle(
        f"{settings.classes} random classes, {settings.lives} lives each; dots: one class; "
        "whiskers: all classes at one β, 95% confidence"
    )
    return {"precedent": figure}


def _draw(
    axes: "Axes",
    settings: Settings,
    results: Sequence[tuple[Cell, dict[str, Any]]],
    name: str,
    deltas: Sequence[float],
    colour: str,
    label: str,
) -> None:
    """One family over δ: every class at every β as a dot, and all classes at one β at their mean δ with whiskers."""
    axes.scatter(deltas, [result[name] / cell.lives for cell, result in results], s=8, alpha=0.25, color=colour)
    for beta in settings.betas:
        chosen = [index for index, (cell, _) in enumerate(results) if cell.beta == beta]
        count, lives = sum(results[i][1][name] for i in chosen), sum(results[i][0].lives for i in chosen)
        share, ends = count / lives, np.array(interval(count, lives))
        place = float(np.mean([deltas[i] for i in chosen]))
        whiskers = np.abs(ends - share)[:, None]
        axes.errorbar(
            [place], [share], yerr=whiskers, fmt="o", capsize=3, color=colour, label=label if not chosen[0] else None
        )


def _finish(axes: "Axes", settings: Settings, title: str, bound: Callable[[Any], Any]) -> None:
    """Draws the bound, dashed, and names the axis."""
    deltas = np.geomspace((1 - max(settings.betas)) / 2, 30, 200)
    axes.plot(deltas, bound(deltas), "k--", label="bound")
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.set_xlabel(title)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.3)
