"""The picture of ``precedent``: tight classes."""

from multislot.drawing.pictures import draw_intervals, name_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from multislot.statistics import clopper_pearson
from scenarios.conservatism.agents import precedent_bound
from scenarios.conservatism.precedent import results_of, tight
from scenarios.conservatism.precedent.settings import Settings
from scenarios.lab.cells import Figure, Figures, Results


def figures(settings: Settings, results: Results) -> Figures:
    return {"precedent-tight": _tight_classes(results_of(tight.TightCell, results))}


def _tight_classes(results: Results) -> Figure:
    """Draw the exact chance of being first, the sampled one and the bound, a row for each class, β and agent."""
    figure = new_figure(8.5, 1.6 + 0.42 * len(results))
    axes = figure.subplots()
    rows = range(len(results))
    shares = [result["first"] / cell.seeds for cell, result in results]
    ends = [clopper_pearson(result["first"], cell.seeds) for cell, result in results]
    draw_intervals(axes, rows, shares, ends, color=BLUE, label="share of lives, 95% confidence")
    axes.plot([result["exact"] for _, result in results], rows, "D", color=RED, ms=5, label="exact chance")
    bounds = [precedent_bound(cell.beta, result["twin"]) for cell, result in results]
    axes.plot(bounds, rows, "k|", markersize=18, markeredgewidth=2, label="bound δ")
    names = [f"{cell.agent}, β={cell.beta:.5f}\nw={cell.believed:g}, p={cell.luck:g}" for cell, _ in results]
    name_rows(axes, names)
    axes.set(xlabel="the agent is the first to cause the event", xlim=(-0.005, None))
    axes.set_title("Tight classes: the bound is nearly met, and a mutant breaks it")
    axes.legend(labelspacing=1.2)
    return figure
