"""The picture of ``handicapped-cartpole``: rewards by agent, and how long the pole stands as the run goes on."""

from statistics import mean
from typing import TYPE_CHECKING

from scenarios.self_reflection.handicapped_cartpole.run import AGENTS, BLOCKS, HANDICAPS, Results, by_agent, summary
from scenarios.self_reflection.handicapped_cartpole.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of two panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_rewards(left, results)
    draw_learning(right, settings, results)
    return {"handicapped-cartpole": figure}


def draw_rewards(axes: "Axes", results: Results) -> None:
    """Bars: reward a step of every agent under every handicap, with standard errors."""
    for place, by in enumerate(HANDICAPS):
        found = [summary(by_agent(results, by, agent, "reward")) for agent in AGENTS]
        where = [position + 0.27 * (place - 1) for position in range(len(AGENTS))]
        axes.bar(where, [ours for ours, _ in found], 0.25, yerr=[error for _, error in found], label=by)
    axes.set_xticks(range(len(AGENTS)), list(AGENTS))
    axes.set_ylabel("reward a step")
    axes.axhline(0, color="black", linewidth=0.5)
    axes.legend(title="handicap")


def draw_learning(axes: "Axes", settings: Settings, results: Results) -> None:
    """Lines: steps an episode of the learners as the run goes on."""
    where = [settings.steps * (part + 1) / BLOCKS for part in range(BLOCKS)]
    for by, style in zip(HANDICAPS[:2], ("--", "-"), strict=True):
        for agent, colour in (("Q", "tab:blue"), ("RC(Q)", "tab:orange")):
            seeds = by_agent(results, by, agent, "steps an episode")
            heights = [mean(numbers) for numbers in zip(*seeds, strict=True)]
            axes.plot(where, heights, style, color=colour, label=f"{agent}, {by}")
    axes.set_xlabel("step")
    axes.set_ylabel("steps an episode")
    axes.legend()
