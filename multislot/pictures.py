"""What several pictures are made of: rows of names with a point and a 95% confidence interval each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.statistics import Interval, clopper_pearson, student, whiskers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    Args:
        panel: where.
        values: by name; a name that is missing has an empty row.
        names: the rows, from the top.
        share: whether the values are zeros and ones.
        shift: how far below its row each point is.
        style: of the points, as matplotlib's ``errorbar`` takes it.
    """
    present = [name for name in names if name in values]
    means = [float(np.mean(values[name])) for name in present]
    intervals = [interval_of(values[name], share) for name in present]
    draw_intervals(panel, [names.index(name) + shift for name in present], means, intervals, **style)
    name_rows(panel, names)


def draw_intervals(
    panel: "Axes", rows: Sequence[float], means: Sequence[float], intervals: Sequence[Interval], **style: Any
) -> None:
    """Draw points with whiskers along their rows.

    Args:
        panel: where.
        rows: the place of each point, counted from the top.
        means: of each point.
        intervals: of each point.
        style: as matplotlib's ``errorbar`` takes it.
    """
    reach = np.hstack([whiskers(mean, found) for mean, found in zip(means, intervals, strict=True)])
    panel.errorbar(means, rows, xerr=reach, **{"fmt": "o", **style})


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
