"""The picture of ``reward-hacking``: who takes the keys, over belief, β and what a takeover truly pays."""

from typing import TYPE_CHECKING

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import RED
from multislot.statistics import clopper_pearson
from scenarios.conservatism.reward_hacking.run import PESSIMISTIC, STANDARD, Results, considers_satisfaction
from scenarios.conservatism.reward_hacking.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, TAKEN = "#e8eef4", RED
MOST_LIKELY = "pessimistic, β = 0 (most likely model)"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure, a panel for each pay of a takeover, a row for each agent."""
    rows = [*((agent, 0.0) for agent in STANDARD), *((PESSIMISTIC, beta) for beta in settings.betas)]
    width = 3.2 + len(settings.takeovers) * (0.4 + 0.45 * len(settings.weights))
    figure = new_figure(min(max(width, 8.0), 10.0), 2.0 + 0.3 * len(rows))
    panels = np.atleast_1d(figure.subplots(1, len(settings.takeovers), sharey=True))
    for panel, takeover in zip(panels, settings.takeovers, strict=True):
        _draw(panel, settings, [pair for pair in results if pair[0].takeover == takeover], rows)
        panel.set_title(f"a takeover truly pays {takeover:g} a step")
    panels[0].set_yticks(range(len(rows)), [_label(agent, beta) for agent, beta in rows])
    none, every = (clopper_pearson(count, settings.seeds) for count in (0, settings.seeds))
    figure.suptitle(
        f"Lives in which the keys are taken (95% confidence of 0/{settings.seeds}: 0 to {none[1]:.2f}, of "
        f"{settings.seeds}/{settings.seeds}: {every[0]:.2f} to 1)\nleft of the thick line the "
        "pessimistic agent still considers the operators' satisfaction"
    )
    figure.supxlabel("prior weight of “reward is which keys are pressed” (the truth: the operators' satisfaction)")
    return {"reward-hacking": figure}


def _label(agent: str, beta: float) -> str:
    if agent != PESSIMISTIC:
        return agent
    return f"pessimistic, β = {beta:g}" if beta else MOST_LIKELY


def _draw(axes: "Axes", settings: Settings, results: Results, rows: list[tuple[str, float]]) -> None:
    """Draw the counts, and where satisfaction stops being among the pessimistic agent's models."""
    from matplotlib.colors import LinearSegmentedColormap

    found = {(cell.agent, cell.beta, cell.weight): (cell, result["taken"]) for cell, result in results}
    grid = [[found[agent, beta, weight] for weight in settings.weights] for agent, beta in rows]
    shares = np.array([[taken / cell.seeds for cell, taken in row] for row in grid])
    colours = LinearSegmentedColormap.from_list("keys", [LEFT, TAKEN])
    axes.imshow(shares, aspect="auto", cmap=colours, vmin=0, vmax=1)
    for place, row in enumerate(grid):
        for column, (cell, taken) in enumerate(row):
            axes.text(column, place, f"{taken}/{cell.seeds}", ha="center", va="center", fontsize="small")
    first = len(STANDARD)
    known = np.array([[considers_satisfaction(cell) for cell, _ in row] for row in grid[first:]])
    heights = np.arange(first, len(grid) + 1) - 0.5
    axes.plot(np.repeat(known.sum(axis=1) - 0.5, 2), np.repeat(heights, 2)[1:-1], color="black", linewidth=2.5)
    axes.axhline(first - 0.5, color="black", linewidth=0.8)
    axes.set_xticks(range(len(settings.weights)), [f"{weight:g}" for weight in settings.weights])
