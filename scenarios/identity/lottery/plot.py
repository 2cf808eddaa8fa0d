"""The picture of ``lottery``: the sure reward up to which the lot is drawn, and the agent that a coin moves."""

from fractions import Fraction
from typing import TYPE_CHECKING

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, INK, YELLOW
from scenarios.identity.lottery.run import Results, worth_of_drifting
from scenarios.identity.lottery.settings import Settings
from scenarios.identity.lottery.values import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = {
    "copy-centred": (BLUE, 2.2, "-", "o"),
    "outcome by outcome": (YELLOW, 5.0, "-", "s"),
    "first copy": (INK, 1.6, "--", "."),
}


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of two panels."""
    figure = new_figure(9.6, 4.4)
    prices, drift = figure.subplots(1, 2, width_ratios=(1.2, 1))
    (turns,) = (result for cell, result in results if cell.part == "map")
    _draw_prices(prices, settings, turns)
    _draw_drift(drift, settings)
    prices.legend(**BELOW, ncols=2)
    drift.legend(**BELOW)
    return {"lottery": figure}


def _draw_prices(axes: "Axes", settings: Settings, turns: dict[str, list[list[str]]]) -> None:
    rooms = list(range(1, settings.most_rooms + 1))
    for name in reversed(NAMES[:2]):
        heights = [float(Fraction(line[0])) if line else float(settings.r) for line in turns[name]]
        if name == NAMES[1]:
            axes.fill_between(rooms, 0, heights, color=LOOKS[name][0], alpha=0.25, linewidth=0)
            continue
        axes.fill_between(rooms, 0, heights, color=LOOKS[name][0], alpha=0.35, linewidth=0)
        middle = len(rooms) // 2
        axes.annotate("all three draw", (rooms[middle], heights[middle] / 2), ha="center", va="center")
        between = (heights[middle] + float(settings.r)) / 2
        axes.annotate("only the two that count\nchance once draw", (rooms[middle], between), ha="center")
    for name in (NAMES[1], NAMES[2], NAMES[0]):
        colour, width, style, marker = LOOKS[name]
        heights = [float(Fraction(line[0])) if line else float(settings.r) for line in turns[name]]
        axes.plot(
            rooms, heights, color=colour, linewidth=width, linestyle=style, marker=marker, markersize=5, label=name
        )
    axes.plot([settings.n], [float(settings.r_s)], "k*", markersize=11, zorder=5, label="here")
    highest = float(max(settings.r, settings.r_s))
    axes.set(xlabel="number of rooms n", ylabel="sure reward $r_s$", ylim=(0, 1.12 * highest))
    axes.set_title("(a) up to which sure reward the lot is drawn", loc="left")


def _draw_drift(axes: "Axes", settings: Settings) -> None:
    steps = list(range(1, settings.drift + 1))
    for name in (NAMES[1], NAMES[2], NAMES[0]):
        colour, width, style, marker = LOOKS[name]
        worths = [float(worth_of_drifting(name, step)) for step in steps]
        axes.plot(
            steps, worths, color=colour, linewidth=width, linestyle=style, marker=marker, markersize=4, label=name
        )
    axes.set(xlabel="rewards received, 1 a step", ylabel="worth at γ = 1", ylim=(0, None))
    axes.set_title("(b) moved by a coin, never copied", loc="left")
