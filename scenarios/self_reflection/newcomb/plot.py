"""The picture of ``newcomb``: how often learners take one box as the run goes on."""

from typing import TYPE_CHECKING

from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from scenarios.self_reflection.newcomb.run import BLOCKS, Results, by_agent
from scenarios.self_reflection.newcomb.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of means over seeds."""
    figure = new_figure(7.0, 4.0)
    axes = figure.subplots()
    ends = [settings.steps * (part + 1) // BLOCKS for part in range(BLOCKS)]
    for agent in settings.agents:
        style = "--" if agent.startswith("RC(") else "-"
        draw_curve(axes, ends, by_agent(results, agent, "one box"), linestyle=style, label=agent)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xscale("log")
    axes.set_xlabel("turn (logarithmic)")
    axes.set_ylabel(with_errors("share of turns with one box", settings.seeds))
    axes.legend(ncols=3, **BELOW)
    return {"newcomb": figure}
