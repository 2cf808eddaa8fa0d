"""The picture of ``newcomb``: how often learners take one box as the run goes on."""

from statistics import fmean
from typing import TYPE_CHECKING

from multislot.showing import new_figure
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
        shares = [fmean(part) for part in zip(*by_agent(results, agent, "one box"), strict=True)]
        axes.plot(ends, shares, "--" if agent.startswith("RC(") else "-", label=agent)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xscale("log")
    axes.set_xlabel("turn")
    axes.set_ylabel("share of turns with one box")
    axes.legend()
    return {"newcomb": figure}
