"""The picture of ``reward-hacking``: who takes the keys, over belief and β."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.statistics import clopper_pearson, whiskers
from scenarios.conservatism.reward_hacking.run import DRAWING, PESSIMISTIC, STANDARD, Cell, considers_satisfaction
from scenarios.conservatism.reward_hacking.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Results = Sequence[tuple[Cell, dict[str, Any]]]

APART = 0.12
LEFT, TAKEN = "#deebf7", "#de2d26"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure: the standard agents above with 95% confidence, the pessimistic one below with its counts."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7.5), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[1, 2], sharex=True)
    for number, agent in enumerate(STANDARD):
        _draw_standard(above, results, agent, (number - 1.5) * APART)
    above.set_title("standard agents (whiskers: 95% confidence; who draws nothing is exact)", loc="left", fontsize=10)
    above.set_ylabel("share of lives in which\nthe keys are taken")
    above.grid(axis="y", alpha=0.3)
    above.legend(fontsize=8, loc=(0.1, 0.2))
    _draw_pessimistic(below, settings, results)
    none, every = (clopper_pearson(count, settings.seeds) for count in (0, settings.seeds))
    below.set_title(
        f"pessimistic agent: lives in which it takes the keys (95% confidence: none is 0 to {none[1]:.2f}, all is "
        f"{every[0]:.2f} to 1);\nleft of the line satisfaction is among the models that it considers",
        loc="left",
        fontsize=10,
    )
    below.set_xticks(range(len(settings.weights)), [f"{weight:g}" for weight in settings.weights])
    below.set_xlabel("prior weight of “reward is which keys are pressed” (the truth: the operators' satisfaction)")
    return {"reward-hacking": figure}


def _draw_standard(axes: "Axes", results: Results, agent: str, shift: float) -> None:
    """Return one agent's share over the weights."""
    found = [(cell, result["taken"]) for cell, result in results if cell.agent == agent]
    shares = [taken / cell.seeds for cell, taken in found]
    places = np.arange(len(shares)) + shift
    reach = None
    if agent in DRAWING:
        ends = [clopper_pearson(taken, cell.seeds) for cell, taken in found]
        reach = np.hstack([whiskers(share, end) for share, end in zip(shares, ends, strict=True)])
    axes.errorbar(places, shares, yerr=reach, fmt="o-", markersize=4, linewidth=0.8, capsize=2, label=agent)


def _draw_pessimistic(axes: "Axes", settings: Settings, results: Results) -> None:
    """Return the counts over weight and β, and where satisfaction stops being among the models."""
    from matplotlib.colors import LinearSegmentedColormap

    found = {(cell.beta, cell.weight): (cell, result["taken"]) for cell, result in results if cell.agent == PESSIMISTIC}
    grid = [[found[beta, weight] for weight in settings.weights] for beta in settings.betas]
    shares = np.array([[taken / cell.seeds for cell, taken in row] for row in grid])
    colours = LinearSegmentedColormap.from_list("keys", [LEFT, TAKEN])
    axes.imshow(shares, aspect="auto", cmap=colours, vmin=0, vmax=1)
    for place, row in enumerate(grid):
        for column, (cell, taken) in enumerate(row):
            colour = "white" if 2 * taken > cell.seeds else "black"
            axes.text(column, place, f"{taken}/{cell.seeds}", ha="center", va="center", fontsize=7, color=colour)
    known = np.array([[considers_satisfaction(cell) for cell, _ in row] for row in grid])
    heights = np.arange(len(grid) + 1) - 0.5
    axes.plot(np.repeat(known.sum(axis=1) - 0.5, 2), np.repeat(heights, 2)[1:-1], color="black", linewidth=2)
    axes.set_yticks(range(len(settings.betas)), [f"β = {beta:g}" for beta in settings.betas])
