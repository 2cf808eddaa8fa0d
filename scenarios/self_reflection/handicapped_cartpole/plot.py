"""The picture of ``handicapped-cartpole``: rewards by agent, and how long the pole stands as the run goes on."""

from typing import TYPE_CHECKING

import numpy as np

from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from scenarios.self_reflection.handicapped_cartpole.run import (
    AGENTS,
    HANDICAPS,
    NONE,
    Results,
    by_agent,
    steps_an_episode,
    summary,
)
from scenarios.self_reflection.handicapped_cartpole.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 5


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of two panels."""
    figure = new_figure(10, 4.6)
    left, right = figure.subplots(1, 2)
    draw_rewards(left, settings, results)
    draw_learning(right, settings, results)
    return {"handicapped-cartpole": figure}


def draw_rewards(axes: "Axes", settings: Settings, results: Results) -> None:
    """Draw bars: reward a step of every agent under every handicap, with standard errors."""
    for place, by in enumerate(HANDICAPS):
        found = [summary(by_agent(results, by, agent, "reward")) for agent in AGENTS]
        where = [position + 0.27 * (place - 1) for position in range(len(AGENTS))]
        axes.bar(where, [ours for ours, _ in found], 0.25, yerr=[error for _, error in found], label=by)
    axes.set_xticks(range(len(AGENTS)), list(AGENTS))
    axes.set_xlabel("agent")
    axes.set_ylabel(with_errors("reward a step", settings.seeds))
    axes.axhline(0, color="black", linewidth=0.5)
    axes.legend(title="handicap", ncols=2, **BELOW)


def draw_learning(axes: "Axes", settings: Settings, results: Results) -> None:
    """Draw lines: steps an episode of the learners in each fifth of the run, with standard errors.

    Without a handicap the two learners are one line.
    """
    where = np.array([settings.steps * (part + 0.5) / SHOWN for part in range(SHOWN)])
    for by, agent, label in (
        (NONE, "Q", "Q and RC(Q), none"),
        ("IgnoreRewards", "Q", "Q, IgnoreRewards"),
        ("IgnoreRewards", "RC(Q)", "RC(Q), IgnoreRewards"),
    ):
        lengths = steps_an_episode(settings, results, by, agent, SHOWN)
        draw_curve(axes, where.tolist(), lengths, label=label, marker="o")
    axes.set_xlabel("step")
    axes.set_ylabel(with_errors("steps an episode", settings.seeds))
    axes.set_ylim(bottom=0)
    axes.legend(**BELOW)
