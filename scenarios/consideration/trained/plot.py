"""What is learned at each coefficient, over the exact staircase, next to the other designs."""

from statistics import fmean

from considerate.exact.frontiers import frontier
from considerate.sweeps import draw_exact, draw_learned
from multislot.drawing.pictures import interval_of
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import COLORS
from scenarios.consideration.behavior import known_task
from scenarios.consideration.trained import CONSIDERATE, INEQUITY, TEAM, Settings, by_design, ends, exact
from scenarios.lab.cells import Axes, Figures, Results

APART = 0.3
"""Distance of the other designs from the last coefficient and from each other, as a share of that coefficient."""
HALF = 0.1
"""Half the length of an exact return's line, as a share of the last coefficient."""


def figures(settings: Settings, results: Results) -> Figures:
    """Draw a panel for each algorithm: mean returns of runs that end, with 95% confidence; exact values dashed."""
    task = known_task(settings.task)
    exact_frontier, most = frontier(task), float(max(settings.alphas)) or 1.0
    figure = new_figure(5.4 * len(settings.algorithms), 4.2)
    panels = figure.subplots(1, len(settings.algorithms), sharey=True, squeeze=False)[0]
    for axes, algorithm in zip(panels, settings.algorithms, strict=True):
        for number, (agent, color) in enumerate(zip(task.agents, COLORS, strict=False)):
            draw_exact(axes, exact_frontier, agent, most, color)
            _draw_considerate(axes, results, algorithm, number, agent, color)
            for place, design in enumerate((TEAM, INEQUITY), 1):
                _draw_design(axes, results, (algorithm, design), number, most * (1 + APART * place), most, color)
        axes.margins(y=0.2)
        _count_endless(axes, results, algorithm, most)
        axes.set_title(algorithm)
        _name_places(axes, settings, most)
    panels[0].set_ylabel("mean return of runs that end")
    panels[0].plot([], [], "--", color="0.4", label="exact optimum")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"trained": figure}


def _draw_considerate(axes: Axes, results: Results, algorithm: str, number: int, agent: str, color: str) -> None:
    """Draw what one agent gets as the acting agent cares more, where any run ends."""
    runs = [(float(cell.weights[0]), of_alpha) for cell, of_alpha in by_design(results, algorithm, CONSIDERATE)]
    shown = {alpha: [run[number] for run in of_alpha if ends(run)] for alpha, of_alpha in runs}
    shown = {alpha: values for alpha, values in shown.items() if values}
    if shown:
        draw_learned(axes, list(shown), list(shown.values()), agent, color)


def _draw_design(
    axes: Axes, results: Results, kind: tuple[str, str], number: int, place: float, most: float, color: str
) -> None:
    for cell, runs in by_design(results, *kind):
        for returns in exact(cell):
            axes.hlines(float(returns[number]), place - HALF * most, place + HALF * most, color, "--", lw=1.2)
        values = [run[number] for run in runs if ends(run)]
        if values:
            mean, (low, high) = fmean(values), interval_of(values, False)
            axes.errorbar(place, mean, [[mean - low], [high - mean]], fmt="s", color=color, capsize=3)


def _count_endless(axes: Axes, results: Results, algorithm: str, most: float) -> None:
    """Say at each place how many runs never end, if any."""
    places = {TEAM: most * (1 + APART), INEQUITY: most * (1 + 2 * APART)}
    for design in (CONSIDERATE, *places):
        for cell, runs in by_design(results, algorithm, design):
            endless = sum(not ends(run) for run in runs)
            place = places.get(design, float(cell.weights[0]) if cell.weights else 0.0)
            if endless:
                words = f"{endless} of {len(runs)}\nnever end"
                axes.annotate(words, (place, 0.02), xycoords=("data", "axes fraction"), ha="center", fontsize="small")


def _name_places(axes: Axes, settings: Settings, most: float) -> None:
    axes.axvline(most * (1 + APART / 2), color="0.7", lw=0.8)
    places = {float(alpha): str(alpha) for alpha in settings.alphas}
    places |= {most * (1 + APART): "team\nreward", most * (1 + 2 * APART): "inequity\naversion"}
    axes.set_xticks(list(places), list(places.values()))
    axes.set_xlabel("caring coefficient α₂, and two other designs")
