"""The pictures of ``precedent``: random classes over δ, tight classes, and described events over β."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from multislot.drawing.pictures import draw_intervals, name_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, RED, shades
from multislot.statistics import clopper_pearson
from scenarios.conservatism.agents import precedent_bound
from scenarios.conservatism.precedent import described, drawn, results_of, tight
from scenarios.conservatism.precedent.drawn import Twinned
from scenarios.conservatism.precedent.settings import Settings
from scenarios.lab.cells import Axes, Figure, Figures, Results, select_pairs

STYLES = {"every model": (BLUE, "o"), "the truth alone": (RED, "s")}
LARGEST_DELTA = 30
LINEAR_BELOW = 0.001


def figures(settings: Settings, results: Results) -> Figures:
    return {
        "precedent": _random_classes(settings, results_of(drawn.DrawnCell, results)),
        "precedent-tight": _tight_classes(results_of(tight.TightCell, results)),
        "precedent-events": _described_events(settings, results_of(described.DescribedCell, results)),
    }


def _random_classes(settings: Settings, results: Results) -> Figure:
    """Draw two panels over δ: how often the agent is first, how often the truth leaves the top set."""
    figure = new_figure(9.5, 5.2)
    first, leaves = figure.subplots(1, 2, sharey=True)
    for axes, name in ((first, "first"), (leaves, "left")):
        for twinned in get_args(Twinned):
            _draw(axes, settings, select_pairs(results, twinned=twinned), name)
    _finish(first, "the agent causes the event first", "δ = (1−β)/w(μ†), falling:\nmore pessimistic to the right")
    _finish(leaves, "the truth leaves the top set", "δ = (1−β)/w(μ), falling:\nmore pessimistic to the right")
    first.set_ylabel(f"share of lives (linear below {LINEAR_BELOW:g})")
    figure.legend(*first.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.suptitle(
        f"{settings.classes} random classes, {settings.seeds} lives each; faint: one class at one β;\n"
        "bold: all classes at one β, at their median δ, with 95% confidence"
    )
    return figure


def _draw(axes: Axes, settings: Settings, results: Results, name: str) -> None:
    """Draw one family over δ: every class at every β as a dot, and all classes at one β with whiskers."""
    counts = [result[name] for _, result in results]
    deltas = [(1 - cell.beta) / result["weights"][name] for cell, result in results]
    twinned = results[0][0].twinned
    color, marker = STYLES[twinned]
    shares = [count / settings.seeds for count in counts]
    axes.scatter(deltas, shares, s=8, alpha=0.2, color=color, linewidth=0)
    for number, beta in enumerate(settings.betas):
        chosen = [index for index, (cell, _) in enumerate(results) if cell.beta == beta]
        count, lives = sum(counts[i] for i in chosen), settings.seeds * len(chosen)
        place = float(np.median([deltas[i] for i in chosen]))
        style = {"fmt": marker, "color": color, "label": None if number else f"twins of {twinned}"}
        draw_intervals(axes, [place], [count / lives], [clopper_pearson(count, lives)], upright=True, **style)


def _finish(axes: Axes, title: str, label: str) -> None:
    """Draw the bound, dashed, and name the axes."""
    least = axes.dataLim.minposx / 2
    deltas = np.geomspace(least, LARGEST_DELTA, 400)
    axes.plot(deltas, np.minimum(1, deltas), "k--", label="bound: δ, at most 1")
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
    axes.set_yticks([0, 0.001, 0.01, 0.1, 1], ["0", "0.001", "0.01", "0.1", "1"])
    axes.set(xlabel=label, xlim=(LARGEST_DELTA, least), ylim=(-LINEAR_BELOW / 5, 1.3), title=title)
    axes.grid()


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
