"""The picture of ``learning-curves``: the measure by steps, on a logarithmic axis."""

from typing import TYPE_CHECKING

from extenv.plots import draw_curve, with_errors
from multislot.showing import new_figure
from multislot.styling import BELOW, COLOURS
from scenarios.self_reflection.learning_curves.run import Results, checkpoints, measures
from scenarios.self_reflection.learning_curves.settings import Settings
from scenarios.self_reflection.measuring import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure: a line an agent, its reality check dashed in the same colour."""
    figure = new_figure(8.0, 5.0)
    axes = figure.subplots()
    for place, agent in enumerate(settings.agents):
        for checked in (False, True):
            look = {"linestyle": "--" if checked else "-", "color": COLOURS[place % len(COLOURS)], "marker": "."}
            values = measures(settings, results, agent, checked)
            draw_curve(axes, checkpoints(settings.steps), values, label=label(agent, checked), **look)
    axes.set_xscale("log")
    axes.set_xlabel("steps (logarithmic)")
    axes.set_ylabel(with_errors("self-reflection measure", settings.seeds))
    axes.legend(ncols=4, **BELOW)
    return {"learning-curves": figure}
