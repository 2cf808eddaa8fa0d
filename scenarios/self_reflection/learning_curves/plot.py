"""The picture of ``learning-curves``: the measure by steps, on a logarithmic axis."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLORS
from scenarios.lab.cells import Figure, Figures, Results
from scenarios.self_reflection.learning_curves import Line, Settings, checkpoints, lines, measures

Curve = tuple[Sequence[int], Sequence[Sequence[float]]]
"""Numbers of steps, and the measure after them: [points] and [seeds, points]."""

SHORT = 12
"""Characters in a name of which four stand side by side."""


def figures(settings: Settings, results: Results) -> Figures:
    points = checkpoints(settings.steps)
    curves: dict[Line, Curve] = {line: (points, measures(settings, results, line)) for line in lines(settings)}
    return {"learning-curves": draw(curves, with_errors("self-reflection measure", settings.seeds))}


def draw(curves: Mapping[Line, Curve], title: str) -> Figure:
    """A figure with a line an agent, its reality check dashed in the same color.

    Args:
        curves: what is drawn.
        title: of the vertical axis.
    """
    figure = new_figure(8.0, 5.0)
    axes = figure.subplots()
    colors: dict[str, str] = {}
    for line, (points, values) in curves.items():
        color = colors.setdefault(replace(line, checked=False).name, COLORS[len(colors) % len(COLORS)])
        look = {"linestyle": "--" if line.checked else "-", "color": color, "marker": "."}
        draw_curve(axes, points, values, label=line.name, **look)
    axes.set(xscale="log", xlabel="steps (logarithmic)", ylabel=title)
    axes.legend(ncols=4 if all(len(line.name) <= SHORT for line in curves) else 2, **BELOW)
    return figure
