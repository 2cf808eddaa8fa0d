"""What anthropic puzzles draw: the decision map over α and the price, what learners come to do, and one panel more.

The map is the engine's own, with exact borders; the table says where closed forms decide otherwise. Learners are shown
as shares with exact 95% intervals, next to what they should come to do.
"""

import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from multislot.drawing.pictures import Panel, draw_intervals, name_rows
from multislot.drawing.styling import BELOW, BLUE, CYAN, GREEN, GREY, PURPLE, RED
from multislot.exact import DecisionMap
from multislot.exact.maps.map_drawing import draw_pieces, pale
from multislot.statistics import clopper_pearson
from scenarios.anthropics.experiment import Puzzle, Results, by_part, last_decisions
from scenarios.anthropics.settings import AnthropicSettings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ACCEPTS, REFUSES, CONTROL = BLUE, GREY, RED
RULE_COLOURS = {"exists": GREEN, "sequential": PURPLE, "count": RED}
ALPHA_COLOURS = {Fraction(0): CYAN, Fraction(1, 2): BLUE, Fraction(1): "#223355"}


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
        settings: of this run; a dotted line marks its price.
        results: of this run.
        label: what the price is.
        rules: prices to be drawn as lines, each with its colour and style.
    """

    def draw(axes: "Axes") -> None:
        from matplotlib.patches import Patch

        found = DecisionMap.from_json(by_part(results, "map")[0][1]["map"])
        colours = {(action,): colour for action, colour in zip(found.actions, (REFUSES, ACCEPTS), strict=True)}
        across, along = (found.x, found.y) if found.swept == "y" else (found.y, found.x)
        draw_pieces(axes, across.values, found.pieces, along.values[-1], colours, upright=found.swept == "y")
        for name, (price, colour, style) in (rules or {}).items():
            axes.axhline(float(price), color=colour, linestyle=style, label=name)
        here = float(getattr(settings, puzzle.price))
        axes.axhline(here, color="black", linewidth=1.0, linestyle=":", label="price here")
        axes.set(xlabel="caring coefficient α", ylabel=label)
        words = {puzzle.words[True]: ACCEPTS, puzzle.words[False]: REFUSES}
        marks = [Patch(color=pale(colour), label=word) for word, colour in words.items()]
        axes.legend(handles=[*marks, *axes.get_legend_handles_labels()[0]], **BELOW)

    return draw


def learners(puzzle: Puzzle, settings: AnthropicSettings, results: Results) -> Panel:
    """Return a panel of the share of learners that come to accept, by condition, next to what is expected."""

    def draw(axes: "Axes") -> None:
        found = last_decisions(settings, results)
        cases = puzzle.learning_cases(settings)
        for row, one in enumerate(cases):
            accepted, seeds = sum(found[one.name]), len(found[one.name])
            low, high = clopper_pearson(accepted, seeds)
            colour = CONTROL if one.control else ACCEPTS
            draw_intervals(axes, [row], [accepted / seeds], [(low, high)], color=colour, markersize=7)
            axes.plot(float(one.accepts != bool(one.control)), row, "k|", markersize=16, markeredgewidth=2)
        name_rows(axes, [textwrap.fill(one.name.replace(", ", ",\n", 1), 20) for one in cases])
        axes.set_xlim(-0.05, 1.05)
        axes.set_xlabel(f"share that {puzzle.words[True]} ({settings.seeds} seeds, {settings.rounds} rounds)")
        words = {"claims": ACCEPTS} | ({"controls": CONTROL} if any(one.control for one in cases) else {})
        for name, colour in words.items():
            axes.plot([], [], "o-", color=colour, label=f"{name}, 95% confidence")
        axes.plot([], [], "k|", markersize=12, markeredgewidth=2, label="what is expected")
        axes.legend(**BELOW)

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
                axes.text(end * 0.02, row, "never", va="center", fontsize="small", color="#555555")
            else:
                axes.barh(row, float(price), color=colour)
                axes.text(float(price) + end * 0.01, row, f"{float(price):.3g}", va="center", fontsize="small")
        axes.axvline(staying, color="black", linewidth=1.0, linestyle=":", label="reward of staying")
        axes.legend(**BELOW)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set(xlim=(0, end), ylim=(len(rows) - 0.4, -0.6), xlabel=label)

    return draw
