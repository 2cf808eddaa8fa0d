"""What is learned at each coefficient, over the exact staircase, next to the other designs."""

from statistics import fmean
from typing import TYPE_CHECKING

from considerate.exact.frontiers import frontier
from considerate.sweeps import draw_exact, draw_learned
from multislot.pictures import interval_of
from multislot.showing import new_figure
from multislot.styling import COLOURS
from scenarios.consideration.behaviour import known_task
from scenarios.consideration.trained.run import INEQUITY, TEAM, Results, by_design, exact, learned
from scenarios.consideration.trained.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

APART = 0.3
"""Distance of the other designs from the last coefficient and from each other, as a share of that coefficient."""
HALF = 0.1
"""Half the length of an exact return's line, as a share of the last coefficient."""


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return a panel for each algorithm: everyone's mean return with 95% confidence over seeds, exact values dashed."""
    task = known_task(settings.task)
    found, most = frontier(task), float(max(settings.alphas)) or 1.0
    figure = new_figure(5.4 * len(settings.algorithms), 4.2)
    panels = figure.subplots(1, len(settings.algorithms), sharey=True, squeeze=False)[0]
    for axes, algorithm in zip(panels, settings.algorithms, strict=True):
        for number, (agent, colour) in enumerate(zip(task.agents, COLOURS, strict=False)):
            draw_exact(axes, found, agent, most, colour)
            draw_learned(axes, *learned(results, algorithm, number), agent, colour)
            for place, design in enumerate((TEAM, INEQUITY), 1):
                _draw_design(axes, results, (algorithm, design), number, most * (1 + APART * place), most, colour)
        axes.set_title(algorithm)
        _name_places(axes, settings, most)
    panels[0].set_ylabel(f"return: mean of {settings.seeds} seeds, 95% confidence")
    panels[0].plot([], [], "--", color="0.4", label="exact optimum")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"trained": figure}


def _draw_design(
    axes: "Axes", results: Results, kind: tuple[str, str], number: int, place: float, most: float, colour: str
) -> None:
    """Draw what one agent gets under another design: exactly, and learned."""
    for cell, runs in by_design(results, *kind):
        for returns in exact(cell):
            axes.hlines(float(returns[number]), place - HALF * most, place + HALF * most, colour, "--", lw=1.2)
        values = [run[number] for run in runs]
        mean, (low, high) = fmean(values), interval_of(values, False)
        axes.errorbar(place, mean, [[mean - low], [high - mean]], fmt="s", color=colour, capsize=3)


def _name_places(axes: "Axes", settings: Settings, most: float) -> None:
    """Mark the coefficients, and the other designs on their right."""
    axes.axvline(most * (1 + APART / 2), color="0.7", lw=0.8)
    places = {float(alpha): str(alpha) for alpha in settings.alphas}
    places |= {most * (1 + APART): "team\nreward", most * (1 + 2 * APART): "inequity\naversion"}
    axes.set_xticks(list(places), list(places.values()))
    axes.set_xlabel("caring coefficient α₂, and two other designs")
