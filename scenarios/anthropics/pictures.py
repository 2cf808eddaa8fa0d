"""What anthropic puzzles draw: the decision map over α and the price, what learners come to do, and one panel more.

Shading is the closed form; every dot is a decision of the engine, coloured by what it decides, so a disagreement stands
out. Learners are shown as shares with exact 95% intervals, next to what they should come to do.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.showing import new_figure
from multislot.statistics import clopper_pearson
from scenarios.anthropics.experiment import Puzzle, Results, by_part, last_decisions, steps
from scenarios.anthropics.settings import AnthropicSettings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACCEPTS, REFUSES = "#4477aa", "#cccccc"
RULE_COLOURS = {"exists": "#228833", "sequential": "#aa3377", "count": "#ee6677"}  # Tol's bright scheme
ALPHA_COLOURS = {Fraction(0): "#66ccee", Fraction(1, 2): "#4477aa", Fraction(1): "#223355"}
FINE = 241
BELOW: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.17), "frameon": False, "fontsize": 8}

Panel = Callable[["Axes"], None]


def three_panels(title: str, panels: Sequence[tuple[str, Panel]]) -> "Figure":
    """Return a figure of panels side by side, lettered.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = new_figure(13, 4.6)
    for letter, axes, (name, draw) in zip("abc", figure.subplots(1, len(panels)), panels, strict=False):
        draw(axes)
        axes.set_title(f"({letter}) {name}", loc="left", fontsize=10)
    figure.suptitle(title, fontsize=12, x=0.01, ha="left")
    return figure


def decision_map(
    puzzle: Puzzle,
    settings: AnthropicSettings,
    results: Results,
    label: str,
    rules: Mapping[str, tuple[Fraction, str, str]] | None = None,
) -> Panel:
    """Return a panel of who accepts, over α and the price.

    Args:
        puzzle: the puzzle.
        settings: of this run; a star marks its price.
        results: of this run.
        label: what the price is.
        rules: prices to be drawn as lines, each with its colour and style.
    """

    def draw(axes: "Axes") -> None:
        from matplotlib.lines import Line2D

        alphas, prices = steps(Fraction(1), FINE), steps(puzzle.highest, FINE)
        shade = [[puzzle.formula(settings, alpha, price) for alpha in alphas] for price in prices]
        _shaded(axes, np.array(shade), float(puzzle.highest))
        for cell, column in by_part(results, "map"):
            heights = [float(price) for price in puzzle.prices(settings)]
            colours = [ACCEPTS if one else "#888888" for one in column["accepted"]]
            axes.scatter([float(Fraction(cell.which))] * len(heights), heights, s=7, c=colours, zorder=3, clip_on=False)
        for name, (price, colour, style) in (rules or {}).items():
            axes.axhline(float(price), color=colour, linestyle=style, linewidth=1.8, label=name)
        axes.axhline(float(getattr(settings, puzzle.price)), color="black", linewidth=0.8, linestyle=(0, (1, 3)))
        axes.set(xlabel="caring coefficient α", ylabel=label, xlim=(0, 1), ylim=(0, float(puzzle.highest)))
        marks = [(ACCEPTS, puzzle.words[True]), (REFUSES, puzzle.words[False])]
        handles = [Line2D([], [], ls="", marker="s", color=colour, label=word) for colour, word in marks]
        axes.legend(handles=[*handles, *axes.get_legend_handles_labels()[0]], ncols=2, **BELOW)

    return draw


def _shaded(axes: "Axes", shade: Any, highest: float) -> None:
    from matplotlib.colors import ListedColormap

    extent = (0.0, 1.0, 0.0, highest)
    colours = ListedColormap([REFUSES, ACCEPTS])
    axes.imshow(shade, origin="lower", extent=extent, aspect="auto", cmap=colours, vmin=0, vmax=1, alpha=0.45)


def learners(puzzle: Puzzle, settings: AnthropicSettings, results: Results) -> Panel:
    """Return a panel of the share of learners that come to accept, by condition, next to what is expected."""

    def draw(axes: "Axes") -> None:
        found = last_decisions(settings, results)
        taught = puzzle.taught(settings)
        for row, one in enumerate(taught):
            accepted, seeds = sum(found[one.name]), len(found[one.name])
            low, high = clopper_pearson(accepted, seeds)
            colour = "#ee6677" if one.control else ACCEPTS
            axes.plot([low, high], [row, row], color=colour, linewidth=5, alpha=0.3, solid_capstyle="butt")
            axes.plot(accepted / seeds, row, "o", color=colour, markersize=7)
            axes.plot(float(one.accepts != bool(one.control)), row, "k|", markersize=16, markeredgewidth=2)
        axes.set_yticks(range(len(taught)), [one.name.replace(", ", "\n", 1) for one in taught], fontsize=7.5)
        axes.set(xlim=(-0.05, 1.05), ylim=(len(taught) - 0.5, -0.5))
        axes.set_xlabel(f"share that {puzzle.words[True]} ({settings.seeds} seeds, {settings.rounds} rounds)")
        axes.text(
            0.5,
            -0.21,
            "bars: 95% intervals; upright: what is expected; red: controls",
            transform=axes.transAxes,
            ha="center",
            fontsize=8,
        )

    return draw


def prices_by_value(rows: Sequence[tuple[str, Fraction | None]], label: str, staying: float) -> Panel:
    """Return a panel of the reward above which each value accepts; none where it never does.

    Args:
        rows: names and prices, in order.
        label: what the price is.
        staying: the reward of staying, for comparison.
    """

    def draw(axes: "Axes") -> None:
        known = [float(price) for _, price in rows if price is not None]
        end = 1.15 * max([*known, staying])
        for row, (name, price) in enumerate(rows):
            colour = ALPHA_COLOURS[Fraction(name[2:])] if name.startswith("α=") else "#999999"
            if price is None:
                axes.text(end * 0.02, row, "never", va="center", fontsize=8, color="#666666")
            else:
                axes.barh(row, float(price), color=colour)
                axes.text(float(price) + end * 0.01, row, f"{float(price):.3g}", va="center", fontsize=7.5)
        axes.axvline(staying, color="black", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
        axes.set(xlim=(0, end), ylim=(len(rows) - 0.4, -0.6), xlabel=label)

    return draw
