"""What is learned at each coefficient, over the exact staircase."""

from typing import TYPE_CHECKING

from considerate.exact.frontiers import frontier
from considerate.sweeps import draw_exact, draw_learned
from multislot.showing import new_figure
from multislot.styling import COLOURS
from scenarios.consideration.behaviour import known_task
from scenarios.consideration.trained.run import Results, learned
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
            draw_exact(axes, found, agent, most, colour)
            draw_learned(axes, *learned(results, algorithm, number), agent, colour)
        axes.set_title(algorithm)
        axes.set_xlabel("caring coefficient α₂")
    panels[0].set_ylabel(f"return: mean of {settings.seeds} seeds, 95% band")
    panels[0].plot([], [], "--", color="0.4", label="exact optimum")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"trained": figure}
