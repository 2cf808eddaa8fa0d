"""What is learned at each coefficient, over the exact staircase."""

from typing import TYPE_CHECKING

from considerate.exact.frontiers import frontier
from considerate.exact.pictures import COLOURS
from multislot.showing import new_figure
from scenarios.consideration.behaviour import known_task
from scenarios.consideration.trained.run import Results, means
from scenarios.consideration.trained.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return a panel for each algorithm: everyone's mean return with 95% confidence over seeds, exact values dashed."""
    task = known_task(settings.task)
    found, most = frontier(task), float(max(settings.alphas))
    figure = new_figure(4.6 * len(settings.algorithms), 4.0)
    panels = figure.subplots(1, len(settings.algorithms), sharey=True, squeeze=False)[0]
    for axes, algorithm in zip(panels, settings.algorithms, strict=True):
        for number, (agent, colour) in enumerate(zip(task.agents, COLOURS, strict=False)):
            pieces = [piece for piece in found.pieces if float(piece.lower) <= most]
            edges = [*(float(piece.lower) for piece in pieces), most]
            values = [float(piece.behaviour.returns[agent]) for piece in pieces]
            axes.stairs(values, edges, color=colour, ls="--", baseline=None)
            alphas, (middle, low, high) = means(results, algorithm, number)
            axes.errorbar(alphas, middle, [middle - low, high - middle], fmt="o", color=colour, capsize=3, label=agent)
        axes.set_title(algorithm, fontsize=10)
        axes.set_xlabel("caring coefficient α₂")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("return; exact values dashed")
    panels[0].legend(fontsize=9, frameon=False)
    return {"trained": figure}
