"""Pictures of measurements: bars with true standard errors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from multislot.errors import MissingExtraError
from multislot.statistics import mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from extenv.measurement import Measurement

ROW_HEIGHT = 0.32


def bars_by_environment(measurements: "Sequence[Measurement]") -> "Figure":
    """Return one row an environment, a panel for it and one for its opposite, one bar an agent."""
    first = measurements[0]
    names = list(first.weights)
    opposites = sorted({score.opposite for score in first.scores})
    figure = new_figure(5.0 * len(opposites) + 2.0, ROW_HEIGHT * len(names) * max(1.0, 0.6 * len(measurements)) + 1.4)
    panels = figure.subplots(1, len(opposites), sharey=True, squeeze=False)[0]
    for axes, opposite in zip(panels, opposites, strict=True):
        draw_bars(axes, measurements, names, opposite)
        axes.set_title("opposite environments" if opposite else "environments")
    panels[0].set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=min(4, len(measurements)))
    return figure


def draw_bars(axes: "Axes", measurements: "Sequence[Measurement]", names: list[str], opposite: bool) -> None:
    """Draw the bars of one panel."""
    width = 0.8 / len(measurements)
    for index, measurement in enumerate(measurements):
        values = [np.asarray(measurement.mean_rewards(name, opposite)) for name in names]
        errors = [mean_and_error(v)[1] for v in values]
        positions = np.arange(len(names)) + (index - (len(measurements) - 1) / 2.0) * width
        label = f"{measurement.agent}: {measurement.mean:.4f}"
        axes.barh(positions, [v.mean() for v in values], width, xerr=errors, label=label)
    axes.axvline(0.0, color="black", linewidth=0.6)
    axes.set_xlim(-1.08, 1.08)
    axes.set_xlabel("reward per step")


def bars_of_measures(pairs: "Sequence[tuple[Measurement, Measurement]]") -> "Figure":
    """Return the measure of every agent beside that of its reality check, ``(agent, its reality check)``."""
    figure = new_figure(1.2 * len(pairs) + 2.5, 3.6)
    axes = figure.subplots()
    positions = np.arange(len(pairs))
    for index, label in enumerate(("agent", "its reality check")):
        measures = [pair[index] for pair in pairs]
        errors = [m.standard_error if len(m.seeds) > 1 else 0.0 for m in measures]
        axes.bar(positions + 0.4 * index - 0.2, [m.mean for m in measures], 0.4, yerr=errors, label=label)
    axes.set_xticks(positions, [pair[0].agent for pair in pairs])
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.set_ylabel("self-reflection")
    axes.legend()
    return figure


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of a size in inches, or raise MissingExtraError."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a plot", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")
