"""Bars with error bars, of any numbers that have names."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multislot.showing import new_figure
from multislot.styling import house_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BAR_HEIGHT = 0.13
GAP = 0.25
"""The share of a row, or of a column, that is left empty between its bars and the next ones."""


@dataclass(frozen=True)
class Bars:
    """One series of bars.

    Attributes:
        label: what they are, for the legend.
        means: the length of each bar.
        errors: its standard error; NaN draws none.
    """

    label: str
    means: Sequence[float]
    errors: Sequence[float]


@house_style()
def rows_of_bars(names: Sequence[str], panels: Mapping[str, Sequence[Bars]], xlabel: str) -> "Figure":
    """Return panels side by side that share their rows, one row a name, one bar a series.

    Args:
        names: of the rows, from the top.
        panels: the series of each panel by its title; the same labels in each.
        xlabel: what the bars measure.
    """
    n_series = len(next(iter(panels.values())))
    height = len(names) * max(0.2, BAR_HEIGHT * n_series / (1.0 - GAP)) + 1.2
    figure = new_figure(4.0 * len(panels) + 2.2, height)
    every_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, series) in zip(every_axes, panels.items(), strict=True):
        width = (1.0 - GAP) / n_series
        for place, bars in zip(places(len(names), n_series), series, strict=True):
            (first, *_) = axes.barh(place, bars.means, width, xerr=drawn(bars.errors), label=bars.label)
            axes.plot(bars.means, place, "|", color=first.get_facecolor(), markersize=4)  # shows bars of length 0
        axes.axvline(0.0, color="black", linewidth=0.6)
        axes.set_title(title)
        axes.set_xlabel(xlabel)
    every_axes[0].set_yticks(range(len(names)), names)
    every_axes[0].set_ylim(len(names) - 0.5, -0.5)
    figure.legend(*every_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(4, n_series))
    return figure


@house_style()
def columns_of_bars(names: Sequence[str], series: Sequence[Bars], ylabel: str) -> "Figure":
    """Return one group of bars a name, with the number at every bar: a bar of length 0 is a result, too."""
    figure = new_figure(1.3 * len(names) + 2.0, 3.8)
    axes = figure.subplots()
    width = (1.0 - GAP) / len(series)
    for place, bars in zip(places(len(names), len(series)), series, strict=True):
        drawn_bars = axes.bar(place, bars.means, width, yerr=drawn(bars.errors), label=bars.label)
        axes.bar_label(drawn_bars, [f"{mean + 0.0:.3f}" for mean in bars.means], padding=2, fontsize=8)
    axes.set_xticks(range(len(names)), names)
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.margins(y=0.12)
    axes.set_ylabel(ylabel)
    axes.legend()
    return figure


def places(n_groups: int, n_series: int) -> Iterable[np.ndarray]:
    """Yield where the bars of each series stand, shape [groups]; group i is centred at i."""
    for index in range(n_series):
        yield np.arange(n_groups) + (index - (n_series - 1) / 2.0) * (1.0 - GAP) / n_series


def drawn(errors: Iterable[float]) -> list[float]:
    """Return errors with 0 for those that are not known."""
    return [0.0 if math.isnan(error) else error for error in errors]
