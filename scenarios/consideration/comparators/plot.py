"""Harm to others by task and design, as a table of colours."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.consideration.comparators.run import SEQUENTIAL, Cell
from scenarios.consideration.comparators.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, Mapping[str, Any]]]) -> "dict[str, Figure]":
    """Returns one table for each strength: rows are designs, columns tasks; the number is the sum of harm."""
    return {
        f"harm-{str(strength).replace('/', '-of-')}": _harm([(c, r) for c, r in results if c.strength == strength])
        for strength in settings.strengths
    }


def _harm(results: Sequence[tuple[Cell, Mapping[str, Any]]]) -> "Figure":
    from matplotlib.figure import Figure

    designs = list(results[0][1])
    harm = np.array([[float(sum(r[design]["harm"].values())) for _, r in results] for design in designs])
    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(np.log10(harm + 1), cmap="OrRd", aspect="auto", vmin=0, vmax=3)
    for (row, column), value in np.ndenumerate(harm):
        colour = "white" if value > 99 else "black"
        axes.text(column, row, f"{value:g}", ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks(range(len(SEQUENTIAL)), SEQUENTIAL, rotation=20, fontsize=8)
    axes.set_yticks(range(len(designs)), designs, fontsize=8)
    axes.set_title(f"Harm to others, all weighed by {results[0][0].strength}", fontsize=9)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure
