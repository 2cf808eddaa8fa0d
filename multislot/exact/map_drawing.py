"""A decision map as a picture; needs the extra ``plot``."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from multislot.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multislot.exact.maps import DecisionMap

Decisions: TypeAlias = tuple[Hashable, ...]  # one for each value, in their order

FINE = 240
"""Points along a swept axis."""
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#ee8866", "#44bb99")
BELOW: Mapping[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "frameon": False, "fontsize": 8}


def draw_map(found: "DecisionMap", axes: "Axes | None" = None) -> "Axes":
    """Draw a decision map: one colour for each combination of decisions, lines where a decision turns.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot
        from matplotlib.patches import Patch
    except ImportError:
        raise MissingExtraError("drawing a decision map", "plot") from None
    axes = axes or pyplot.subplots(figsize=(5.5, 4.6), layout="constrained")[1]
    decided, x_edges, y_edges = raster(found)
    kinds = list(dict.fromkeys(one for column in decided for one in column))
    colours = {one: COLOURS[index % len(COLOURS)] for index, one in enumerate(kinds)}
    paint(axes, [[colours[one] for one in column] for column in decided], x_edges, y_edges)
    for value in found.values:
        for line in turning_lines(found, value):
            axes.plot([x for x, _ in line], [y for _, y in line], color="0.15", linewidth=0.8)
    axes.set(xlabel=found.x.name, ylabel=found.y.name, xlim=_ends(found.x.values), ylim=_ends(found.y.values))
    axes.legend(handles=[Patch(color=colours[one], label=_label(found, one)) for one in kinds], **BELOW)
    return axes


def paint(axes: "Axes", colours: Sequence[Sequence[Any]], x_edges: Sequence[float], y_edges: Sequence[float]) -> None:
    """Fill rectangles with colours, [x][y], given their edges."""
    import numpy as np
    from matplotlib.colors import to_rgb

    pixels = np.array([[to_rgb(colour) for colour in column] for column in colours]).swapaxes(0, 1)
    axes.pcolormesh(np.array(x_edges), np.array(y_edges), pixels, alpha=0.6, rasterized=True)


def raster(found: "DecisionMap") -> tuple[list[list[Decisions]], list[float], list[float]]:
    """Return the decisions of all values on a grid, [x][y], and the edges of its cells along x and y."""
    x, y = found.x.values, found.y.values
    if found.swept is None:
        grids = [found.best[value] for value in found.values]
        return [list(zip(*(grid[i] for grid in grids), strict=True)) for i in range(len(x))], _edges(x), _edges(y)
    along = y if found.swept == "y" else x
    places = [along[0] + (along[-1] - along[0]) * Fraction(2 * k + 1, 2 * FINE) for k in range(FINE)]
    fine = [float(along[0] + (along[-1] - along[0]) * Fraction(k, FINE)) for k in range(FINE + 1)]
    lines = range(len(x if found.swept == "y" else y))
    decided = [[tuple(found.decision(value, line, at) for value in found.values) for at in places] for line in lines]
    if found.swept == "y":
        return decided, _edges(x), fine
    return [list(column) for column in zip(*decided, strict=True)], fine, _edges(y)


def turning_lines(found: "DecisionMap", value: str) -> Iterator[list[tuple[float, float]]]:
    """Yield the lines, as points (x, y), along which a value's decision turns; broken where their number changes."""
    if found.swept is None:
        return
    other = found.x.values if found.swept == "y" else found.y.values
    turns = found.turns[value]
    for first, (low, high) in enumerate(pairwise(turns)):
        if [turn[1:] for turn in low] == [turn[1:] for turn in high]:
            for one, next_one in zip(low, high, strict=True):
                points = [(float(other[first]), float(one.at)), (float(other[first + 1]), float(next_one.at))]
                yield points if found.swept == "y" else [(y, x) for x, y in points]


def _label(found: "DecisionMap", decisions: Decisions) -> str:
    """Return who decides what: ``"stay: sta, dyn; copy: cpy"``."""
    if len(set(decisions)) == 1:
        return f"all: {decisions[0]}"
    names = {
        action: [value for value, decided in zip(found.values, decisions, strict=True) if decided == action]
        for action in found.actions
    }
    return "; ".join(f"{action}: {', '.join(values)}" for action, values in names.items() if values)


def _edges(values: Sequence[Fraction]) -> list[float]:
    """Return the edges of cells around values: half-way between neighbours, and the ends."""
    return [float(values[0]), *(float(low + high) / 2 for low, high in pairwise(values)), float(values[-1])]


def _ends(values: Sequence[Fraction]) -> tuple[float, float]:
    return float(values[0]), float(values[-1])
