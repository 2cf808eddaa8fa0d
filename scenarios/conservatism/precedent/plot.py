"""The picture of ``precedent``: frequencies over δ with exact confidence intervals, and the bounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from multislot.statistics import clopper_pearson, whiskers
from scenarios.conservatism.precedent.run import Cell, Twinned
from scenarios.conservatism.precedent.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = {"every model": ("tab:blue", "o"), "the truth alone": ("tab:red", "s")}
LARGEST_DELTA = 30
LINEAR_BELOW = 0.001


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """Return one figure, two panels over δ: how often the agent is first, how often the truth leaves the top set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), layout="constrained")
    first, leaves = figure.subplots(1, 2, sharey=True)
    for twinned in get_args(Twinned):
        family = [pair for pair in results if pair[0].twinned == twinned]
        counts = [result["agent"] for _, result in family]
        _draw(first, settings, family, counts, [(1 - cell.beta) / result["twin_weight"] for cell, result in family])
        counts = [cell.lives - result["stayed"] for cell, result in family]
        _draw(leaves, settings, family, counts, [(1 - cell.beta) / result["weight"] for cell, result in family])
    _finish(first, "the agent causes the event first", "δ = (1−β)/w(μ†), falling: more pessimistic to the right")
    _finish(leaves, "the truth leaves the top set", "δ = (1−β)/w(μ), falling: more pessimistic to the right")
    first.set_ylabel(f"share of lives (linear below {LINEAR_BELOW:g})")
    first.legend(fontsize=8, loc="upper right")
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
    counts: Sequence[int],
    deltas: Sequence[float],
) -> None:
    """Return one family over δ: every class at every β as a dot, and all classes at one β with whiskers."""
    twinned = results[0][0].twinned
    colour, marker = STYLES[twinned]
    shares = [count / cell.lives for count, (cell, _) in zip(counts, results, strict=True)]
    axes.scatter(deltas, shares, s=8, alpha=0.2, color=colour, linewidth=0)
    for number, beta in enumerate(settings.betas):
        chosen = [index for index, (cell, _) in enumerate(results) if cell.beta == beta]
        count, lives = sum(counts[i] for i in chosen), sum(results[i][0].lives for i in chosen)
        place = float(np.median([deltas[i] for i in chosen]))
        axes.errorbar(
            [place],
            [count / lives],
            yerr=whiskers(count / lives, clopper_pearson(count, lives)),
            fmt=marker,
            markersize=5,
            capsize=3,
            color=colour,
            label=None if number else f"twins of {twinned}",
        )


def _finish(axes: "Axes", title: str, label: str) -> None:
    """Draw the bound, dashed, and names the axes."""
    least = axes.dataLim.minposx / 2
    deltas = np.geomspace(least, LARGEST_DELTA, 400)
    axes.plot(deltas, np.minimum(1, deltas), "k--", label="bound: δ, at most 1")
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
    axes.set_yticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.001", "0.01", "0.1", "1"])
    axes.set_xlim(LARGEST_DELTA, least)
    axes.set_ylim(-LINEAR_BELOW / 5, 1.3)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(label)
    axes.grid(alpha=0.3)
