"""The picture of ``tempting-button``: reward per step as the run goes on."""

from statistics import fmean
from typing import TYPE_CHECKING

from multislot.showing import new_figure
from scenarios.self_reflection.tempting_button.run import BLOCKS, FIXED, Results, by_agent
from scenarios.self_reflection.tempting_button.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of means over seeds."""
    figure = new_figure(7.0, 4.0)
    axes = figure.subplots()
    ends = [settings.steps * (part + 1) // BLOCKS for part in range(BLOCKS)]
    for agent in (*FIXED, *settings.agents):
        parts = [fmean(column) / (settings.steps / BLOCKS) for column in zip(*by_agent(results, agent), strict=True)]
        axes.plot(ends, parts, label=agent, linestyle="--" if agent in FIXED else "-")
    axes.set_xlabel("step")
    axes.set_ylabel("reward per step")
    axes.legend()
    return {"tempting-button": figure}
