"""The picture of ``precedent``: frequencies over β with exact confidence intervals, and the bounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.conservatism.lives import interval
from scenarios.conservatism.precedent.run import Cell, first_bound, stay_bound
from scenarios.conservatism.precedent.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure of two panels: who is first, and whether the truth stays."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw(left, settings, results, "agent", [first_bound(cell.beta, result["twin_weight"]) for cell, result in results])
    left.set_ylabel("share: agent causes the event first")
    _draw(right, settings, results, "stayed", [stay_bound(cell.beta, result["weight"]) for cell, result in results])
    right.set_ylabel("share: truth stays in the top set for life")
    left.legend(fontsize=8)
    figure.suptitle(f"{settings.classes} random classes, {settings.lives} lives each; whiskers: 95% confidence")
    return {"precedent": figure}


def _draw(
    axes: "Axes",
    settings: Settings,
    results: Sequence[tuple[Cell, dict[str, Any]]],
    name: str,
    bounds: Sequence[float],
) -> None:
    """One panel over 1 − β on a logarithmic axis: every class as a dot, all together with whiskers, the mean bound."""
    left = [1 - cell.beta for cell, _ in results]
    axes.scatter(left, [result[name] / cell.lives for cell, result in results], s=8, alpha=0.3, label="one class")
    lives = settings.classes * settings.lives
    counts = [sum(result[name] for cell, result in results if cell.beta == beta) for beta in settings.betas]
    shares = np.array(counts) / lives
    ends = np.array([interval(count, lives) for count in counts]).T
    places = [1 - beta for beta in settings.betas]
    axes.errorbar(places, shares, yerr=np.abs(ends - shares), fmt="o-", capsize=3, color="tab:red", label="all classes")
    mean = [
        float(np.mean([b for b, (cell, _) in zip(bounds, results, strict=True) if cell.beta == beta]))
        for beta in settings.betas
    ]
    axes.plot(places, mean, "k--", label="bound, mean over the classes")
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.set_xlabel("1 − β (more pessimistic to the right)")
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.3)
