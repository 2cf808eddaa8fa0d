"""Harm to others by task and design, as a table of colours."""

from typing import TYPE_CHECKING, Any

import numpy as np

from considerate.exact.comparators import DESIGNS
from multislot.drawing.showing import new_figure
from scenarios.consideration.comparators.run import Results
from scenarios.consideration.comparators.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one table for each strength: rows are designs, columns tasks; who is hurt stands below by how much."""
    return {
        f"harm-{str(strength).replace('/', '-of-')}": _harm([(c, r) for c, r in results if c.strength == strength])
        for strength in settings.strengths
    }


def _harm(results: Results) -> "Figure":
    harms = [[designs[design]["harm"] for _, designs in results] for design in DESIGNS]
    sums = np.array([[float(sum(harm.values())) for harm in row] for row in harms])
    figure = new_figure(10, 5.6)
    axes = figure.add_subplot()
    axes.imshow(np.log10(sums + 1), cmap="OrRd", aspect="auto", vmin=0, vmax=3.5)
    for (row, column), total in np.ndenumerate(sums):
        _write(axes, row, column, total, [agent for agent, harm in harms[row][column].items() if harm])
    axes.set_xticks(range(len(results)), [cell.task.replace("-", "\n", 1) for cell, _ in results])
    axes.set_yticks(range(len(DESIGNS)), [name.replace(", ", ",\n") for name in DESIGNS])
    axes.set_title(f"Harm to others, and to whom; every design weighed by {results[0][0].strength}")
    axes.set_xlabel("task")
    axes.set_ylabel("design")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


def _write(axes: Any, row: int, column: int, total: float, hurt: list[str]) -> None:
    """Write how much others are hurt, and who."""
    colour = "white" if total > 99 else "black" if hurt else "#6f665a"
    axes.text(column, row - 0.15 * bool(hurt), f"{total:g}", ha="center", va="center", color=colour)
    names = "\n".join(agent.replace("_", " ") for agent in hurt)
    axes.text(column, row + 0.25, names, ha="center", va="center", fontsize="small", color=colour)
