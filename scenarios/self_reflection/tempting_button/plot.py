"""The picture of ``tempting-button``: reward per step as the run goes on."""

from typing import TYPE_CHECKING

import numpy as np

from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
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
        rewards = np.array(by_agent(results, agent)) / (settings.steps / BLOCKS)
        draw_curve(axes, ends, rewards, label=agent, linestyle="--" if agent in FIXED else "-")
    axes.set_xlabel("step")
    axes.set_ylabel(with_errors("reward per step", settings.seeds))
    axes.legend(ncols=4, **BELOW)
    return {"tempting-button": figure}
