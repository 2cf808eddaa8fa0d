"""Parts of figures: panels with letters, and rows of names with a point and a 95% confidence interval each."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.statistics import Interval, clopper_pearson, student

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 10.0, 5.0
"""Size of a figure of panels side by side, in inches."""
TITLE_WIDTH = 84
"""The number of characters of titles that fit above all panels together."""
BETWEEN = 0.1
"""Space on both sides of a panel, in inches. It separates the numbers of a panel from the label of the next one."""
A_LINE = 0.07
"""Height of a line of text, as a share of a panel's height."""

Panel: TypeAlias = "Callable[[Axes], object]"
"""A function that draws a panel."""


def lettered(
    title: str, panels: Sequence[tuple[str, Panel]], *, width_ratios: Sequence[float] | None = None
) -> "Figure":
    """Return a figure of panels side by side, with letters: each panel has a title and a function that draws it.

    Panels have the same width by default.
    """
    figure = new_figure(WIDTH, HEIGHT)
    figure.set_layout_engine("constrained", w_pad=BETWEEN)
    ratios = width_ratios or [1.0] * len(panels)
    every_axes = figure.subplots(1, len(panels), width_ratios=ratios, squeeze=False)[0]
    for letter, axes, (name, draw), ratio in zip("abcd", every_axes, panels, ratios, strict=False):
        draw(axes)
        room = round(TITLE_WIDTH * ratio / sum(ratios))
        axes.set_title(textwrap.fill(f"({letter}) {name}", room), loc="left")
        lines = textwrap.wrap(axes.get_xlabel(), room)
        axes.set_xlabel("\n".join(lines))
        legend = axes.get_legend()
        if legend is not None and len(lines) > 1:  # it moves out of the way of the label
            x, y = BELOW["bbox_to_anchor"]
            legend.set_bbox_to_anchor((x, y - A_LINE * (len(lines) - 1)), transform=axes.transAxes)
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def draw_rows(
    panel: "Axes",
    values: Mapping[str, Sequence[float]],
    names: Sequence[str],
    *,
    share: bool = False,
    shift: float = 0.0,
    **style: Any,
) -> None:
    """Draw a measure: a row for each name, a point for the mean of its values, whiskers for 95% confidence.

    A name without values has an empty row. Values that are a `share` are zeros and ones. Each point is `shift` below
    its row. The style is that of matplotlib's ``errorbar``.
    """
    present = [name for name in names if name in values]
    means = [float(np.mean(values[name])) for name in present]
    intervals = [interval_of(values[name], share) for name in present]
    draw_intervals(panel, [names.index(name) + shift for name in present], means, intervals, **style)
    name_rows(panel, names)


def draw_intervals(
    panel: "Axes",
    places: Sequence[float],
    means: Sequence[float],
    intervals: Sequence[Interval],
    *,
    upright: bool = False,
    **style: Any,
) -> None:
    """Draw points with whiskers, each along its row, or upright at its place on the horizontal axis."""
    reach = np.abs(np.transpose(intervals) - means)  # below and above each mean, [2, n]
    if upright:
        panel.errorbar(places, means, yerr=reach, **{"fmt": "o", **style})
    else:
        panel.errorbar(means, places, xerr=reach, **{"fmt": "o", **style})


def name_rows(panel: "Axes", names: Sequence[str]) -> None:
    """Write the names of rows, from the top, and draw a grid that helps to read values."""
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.grid(axis="x")


def interval_of(values: Sequence[float], share: bool) -> Interval:
    """Return the 95% confidence interval of a mean, or of a share of zeros and ones; no width for a single value."""
    if share:
        return clopper_pearson(round(sum(values)), len(values))
    return student(values) if len(values) > 1 else (values[0], values[0])
