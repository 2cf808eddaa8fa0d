"""The picture of a frontier: everyone's return, piece by piece."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLORS, house_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPREAD = 20
"""Returns whose largest and smallest size differ by more than this factor are shown on a logarithmic scale."""


@house_style()
def plot_staircase(thresholds: Sequence[Fraction], returns: Mapping[str, Sequence[float]]) -> "Figure":
    """Plot everyone's return by piece; all pieces have the same width, since thresholds differ in size.

    Args:
        thresholds: the coefficients at which behavior changes.
        returns: [pieces] of each agent, by name.
    """
    pieces = len(thresholds) + 1
    figure = new_figure(max(5.0, 1.8 + 1.15 * pieces), 3.8)
    axes = figure.add_subplot()
    edges = np.arange(pieces + 1)
    for number, (name, values) in enumerate(returns.items()):
        color, place = COLORS[number % len(COLORS)], (number + 1) / (len(returns) + 1)
        # Equal returns stay visible as nested lines.
        width = 2 + min(1.6, 5 / len(returns)) * (len(returns) - 1 - number)
        axes.stairs(values, edges, color=color, lw=width, label=name, baseline=None, zorder=2 + number)
        for piece, value in enumerate(values):
            plate = {"pad": 0.4, "lw": 0, "color": "white", "alpha": 0.8}
            where: dict[str, Any] = {
                "xytext": (0, 2 + width / 2),
                "textcoords": "offset points",
                "ha": "center",
                "va": "bottom",
            }
            axes.annotate(
                f"{value:g}", (piece + place, value), fontsize="small", color=color, zorder=99, bbox=plate, **where
            )
    sizes = [abs(value) for values in returns.values() for value in values if value]
    scale = ""
    if sizes and max(sizes) > SPREAD * min(sizes):
        axes.set_yscale("symlog", linthresh=max(1.0, min(sizes)))
        scale = ", logarithmic scale"
    axes.margins(y=0.15)
    axes.set_xticks(edges[1:-1], [str(threshold) for threshold in thresholds])
    axes.set_xlim(0, pieces)
    for edge in edges[1:-1]:
        axes.axvline(edge, color="grey", lw=0.7, ls=":", zorder=0)
    axes.set_xlabel("caring coefficient: where behavior changes (not to scale)")
    axes.set_ylabel(f"return{scale}")
    axes.legend(ncols=4, **BELOW)
    return figure
