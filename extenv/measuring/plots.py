"""Plots of means with standard errors: rows of points, groups of bars, curves."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from multislot.drawing.pictures import name_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, house_style
from multislot.statistics import mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW_HEIGHT = 0.12
GAP = 0.3
"""The share of a row, or of a group, that stays empty before the next one."""
MARKERS = "osD^vP*"


Series = tuple[str, Sequence[Sequence[float]]]
"""A label, and for each name its values, one a seed."""


def with_errors(label: str, seeds: int) -> str:
    """Add the kind of error to the label of an axis that shows means over seeds."""
    return f"{label}\n± standard error, {seeds} seeds" if seeds > 1 else f"{label}\n(1 seed: no error is known)"


@house_style()
def rows_of_points(names: Sequence[str], panels: Mapping[str, Sequence[Series]], xlabel: str) -> "Figure":
    """Plot panels side by side that share their rows, one row per name; whiskers are standard errors.

    Args:
        names: of the rows, from the top.
        panels: the series of each panel by its title; the same labels in each.
        xlabel: of each panel.
    """
    n_series = len(next(iter(panels.values())))
    height = len(names) * max(0.22, ROW_HEIGHT * n_series / (1.0 - GAP)) + 1.4
    figure = new_figure(9.0 if len(panels) > 1 else 7.0, height)
    every_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, series) in zip(every_axes, panels.items(), strict=True):
        for row in range(0, len(names), 2):
            axes.axhspan(row - 0.5, row + 0.5, color="black", alpha=0.05, linewidth=0)
        for number, (place, (label, values)) in enumerate(zip(places(len(names), n_series), series, strict=True)):
            means, errors = means_and_errors(values)
            style = MARKERS[number % len(MARKERS)]
            axes.errorbar(means, place, xerr=errors, fmt=style, markersize=4, capsize=2, label=label)
        name_rows(axes, names)
        axes.axvline(0.0, color="black", linewidth=0.6, zorder=0)
        axes.set_title(title)
        axes.set_xlabel(xlabel)
        axes.locator_params(axis="x", nbins=5)  # numbers of two panels side by side do not touch
    handles, labels = every_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(3, n_series))
    return figure


@house_style()
def columns_of_bars(names: Sequence[str], series: Sequence[Series], ylabel: str) -> "Figure":
    """Plot one group of bars per name, with the number at every bar: a bar of length 0 is a result, too."""
    figure = new_figure(min(max(0.45 * len(names) * len(series) + 1.6, 5.5), 10.0), 4.4)
    axes = figure.subplots()
    width = (1.0 - GAP) / len(series)
    for place, (label, values) in zip(places(len(names), len(series)), series, strict=True):
        means, errors = means_and_errors(values)
        bars = axes.bar(place, means, width, yerr=errors, label=label)
        axes.plot(place, means, "_", color=bars[0].get_facecolor(), markersize=12)  # makes bars of length 0 visible
        axes.bar_label(bars, [f"{mean + 0.0:.3f}" for mean in means], padding=3, fontsize="small")
    axes.set_xticks(range(len(names)), names)
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.margins(y=0.12)
    axes.set_ylabel(ylabel)
    axes.legend(ncols=3, **{**BELOW, "bbox_to_anchor": (0.5, -0.1)})
    return figure


def draw_curve(axes: "Axes", along: Sequence[float], values: ArrayLike, **style: Any) -> None:
    """Draw the mean over seeds, with a band of standard errors.

    Args:
        axes: where.
        along: [points], positions on the horizontal axis.
        values: [seeds, points].
        style: of the line, as matplotlib's ``plot`` takes it.
    """
    means, errors = means_and_errors(np.asarray(values, dtype=float).T)
    (line,) = axes.plot(along, means, **style)
    axes.fill_between(along, means - errors, means + errors, color=line.get_color(), alpha=0.2, linewidth=0)


def places(n_groups: int, n_series: int) -> Iterable[np.ndarray]:
    """Yield the positions of the members of each series, [groups]; group i is centered at i."""
    for index in range(n_series):
        yield np.arange(n_groups) + (index - (n_series - 1) / 2.0) * (1.0 - GAP) / n_series


def means_and_errors(values: Iterable[ArrayLike]) -> np.ndarray:
    """Compute means and standard errors, [2, n], of n lists of values; 0 is the error of a single value."""
    return np.array([mean_and_error(own) for own in values]).T
