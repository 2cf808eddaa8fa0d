"""The picture of ``learning-curves``: the measure by steps, on a logarithmic axis."""

from statistics import fmean
from typing import TYPE_CHECKING

from multislot.showing import new_figure
from scenarios.self_reflection.learning_curves.run import Results, checkpoints, measures
from scenarios.self_reflection.learning_curves.settings import Settings
from scenarios.self_reflection.measuring import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure: a line an agent, its reality check dashed in the same colour."""
    figure = new_figure(7.0, 4.5)
    axes = figure.subplots()
    for place, agent in enumerate(settings.agents):
        for checked in (False, True):
            values = [fmean(column) for column in zip(*measures(settings, results, agent, checked), strict=True)]
            style = "--" if checked else "-"
            axes.plot(
                checkpoints(settings.steps), values, style, color=f"C{place}", marker=".", label=label(agent, checked)
            )
    axes.set_xscale("log")
    axes.set_xlabel("steps")
    axes.set_ylabel("self-reflection measure")
    axes.legend(ncols=2, fontsize="small")
    return {"learning-curves": figure}
