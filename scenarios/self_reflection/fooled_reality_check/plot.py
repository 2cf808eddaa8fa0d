"""Pictures of ``fooled-reality-check``: the collapse turn by turn, and rewards with both observers."""

from itertools import accumulate
from statistics import fmean
from typing import TYPE_CHECKING, Any

from extenv.measuring.plots import Series, columns_of_bars, with_errors
from multislot.drawing.showing import new_figure
from multislot.statistics import standard_error
from scenarios.self_reflection.fooled_reality_check.run import COLLAPSE, OBSERVERS, UNCHANGING, Results, found
from scenarios.self_reflection.fooled_reality_check.settings import Settings
from scenarios.self_reflection.measuring import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return the collapse of Example 3, and the bars of every observer."""
    agents = (*settings.agents, UNCHANGING)
    axis = with_errors("reward a step", settings.seeds)
    bars = {part: columns_of_bars(agents, series_of(results, part, agents), axis) for part in OBSERVERS}
    return {"collapse": collapse_figure(settings, results), **bars}


def collapse_figure(settings: Settings, results: Results) -> "Figure":
    """Return two panels, without the check and with it: what each seed has earned in its first turns."""
    figure = new_figure(9.0, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, checked in zip(panels, (False, True), strict=True):
        draw_lives(axes, results, checked)
        axes.set_title(label(settings.agents[0], checked))
        axes.set_xlabel("turn")
        axes.axhline(0.0, color="black", linewidth=0.6)
    panels[0].set_ylabel(f"total reward in Example 3,\none line for each of {settings.seeds} seeds")
    panels[1].legend(*panels[1].get_legend_handles_labels(), loc="upper left")
    return figure


def draw_lives(axes: "Axes", results: Results, checked: bool) -> None:
    """Draw the total reward of every seed, turn by turn; a dot marks where the copy is found frozen."""
    lives: list[Any] = [result for cell, result in results if cell.part == COLLAPSE and cell.checked == checked]
    for number, life in enumerate(lives):
        totals = list(accumulate(life["paid"]))
        (line,) = axes.plot(range(1, len(totals) + 1), totals, linewidth=1.0, alpha=0.8)
        turn = life["frozen at"]
        if turn and turn <= len(totals):
            name = None if number else "the copy is frozen"
            axes.plot(turn, totals[turn - 1], "o", color=line.get_color(), markeredgecolor="black", label=name)


def series_of(results: Results, part: str, agents: tuple[str, ...]) -> list[Series]:
    """Return the numbers of the agents and those of their reality checks."""
    series = []
    for checked, name in ((False, "agent"), (True, "its reality check")):
        values = [found(results, part, agent, checked, "mean") for agent in agents]
        series.append(Series(name, [fmean(v) for v in values], [standard_error(v) for v in values]))
    return series
