"""The pictures of ``precedent``: tight classes, and described events over β."""

from collections.abc import Sequence
from typing import Any

from multislot.drawing.pictures import draw_intervals, name_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, RED, shades
from multislot.statistics import clopper_pearson
from scenarios.conservatism.agents import precedent_bound
from scenarios.conservatism.precedent import described, results_of, tight
from scenarios.conservatism.precedent.settings import Settings
from scenarios.lab.cells import Axes, Figure, Figures, Results


def figures(settings: Settings, results: Results) -> Figures:
    return {
        "precedent-tight": _tight_classes(results_of(tight.TightCell, results)),
        "precedent-events": _described_events(settings, results_of(described.DescribedCell, results)),
    }


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


def _described_events(settings: Settings, results: Results) -> Figure:
    """Draw how often the agent is first for the worst event over β, by length of description and by its price."""
    figure = new_figure(8.5, 9.5)
    by_length, by_price = figure.subplots(2, 1)
    paid = described.with_pay(results)
    lengths, betas = range(1, settings.literals + 1), [cell.beta for cell, _ in paid]
    for length, color in zip(lengths, shades(settings.literals), strict=True):
        need = described.needed_beta(settings.literals, length)
        label = f"{length} literal{'s' * (length > 1)}: δ={described.DELTA:g} needs β={need:.5f}"
        _first_by_beta(by_length, paid, [length], label=label, color=color, shift=length - 1)
        by_length.axvline(betas.index(need), color=color, linestyle=":", linewidth=1)
    prices = described.prices(settings)
    for number, (bits, color) in enumerate(zip(prices, shades(len(prices)), strict=True)):
        label = f"{bits} bit{'s' * (bits > 1)} a literal"
        _first_by_beta(
            by_price, described.with_pay(results, bits=bits), lengths, label=label, color=color, shift=number
        )
    by_length.set_title("One class, any event; dotted: what a length needs")
    by_price.set_title("The same events, described at more bits")
    for axes in (by_length, by_price):
        axes.axhline(described.DELTA, color="black", linestyle="--", linewidth=0.8, label=f"δ = {described.DELTA:g}")
        axes.set_xticks(range(len(betas)), [f"{beta:.5g}" for beta in betas])
        axes.set_xlabel("β (not to scale)")
        axes.set_ylabel("share of lives in which the agent is first,\nworst event, 95% confidence")
        axes.grid()
        axes.legend(**BELOW)
    return figure


def _first_by_beta(axes: Axes, results: Results, lengths: Sequence[int], *, shift: int, **look: Any) -> None:
    """Draw a line over the β of some cells: the share of lives in which the agent is first, for the worst event."""
    counts = [described.worst(cell, result, lengths) for cell, result in results]
    shares = [count / cell.seeds for count, (cell, _) in zip(counts, results, strict=True)]
    ends = [clopper_pearson(count, cell.seeds) for count, (cell, _) in zip(counts, results, strict=True)]
    places = [place + 0.06 * shift for place in range(len(shares))]
    draw_intervals(axes, places, shares, ends, upright=True, fmt="o-", **look)
