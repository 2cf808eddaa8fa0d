"""What anthropic puzzles draw: the decision map over α and the price, what learners come to do, and one panel more.

The map is the engine's own, with exact borders; the table says where closed forms decide otherwise. Learners are shown
as shares with exact 95% intervals, next to what they should come to do.
"""

import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from multislot.drawing.pictures import Panel, draw_intervals, lettered, name_rows
from multislot.drawing.styling import BELOW, BLUE, CYAN, GREEN, PURPLE, RED
from multislot.exact.maps.map_drawing import ACTIONS
from multislot.statistics import clopper_pearson
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.experiment import Experiment, decided_map, last_shares

REFUSES, ACCEPTS = ACTIONS[:2]
CONTROL = RED
RULE_COLORS = {"exists": GREEN, "sequential": PURPLE, "count": RED}
ALPHA_COLORS = {Fraction(0): CYAN, Fraction(1, 2): BLUE, Fraction(1): "#223355"}
Lines = Mapping[str, tuple[Fraction, str, str]]
"""Prices that are drawn as lines, by name, each with its color and style."""


def draw_puzzle(
    name: str,
    words: str,
    experiment: Experiment,
    settings: Any,
    results: Results,
    map_panel: tuple[str, Panel],
    third: tuple[str, Panel],
) -> Figures:
    """Draw the figure of a puzzle: a map, what learners come to do, and one panel more, each with its title."""
    panels = [
        map_panel,
        ("what learners come to do", lambda axes: draw_learners(axes, experiment, settings, results)),
        third,
    ]
    return {name: lettered(f"{name}:  {words}", panels)}


def draw_decisions(
    axes: Axes, experiment: Experiment, settings: Any, results: Results, label: str, lines: Lines | None = None
) -> None:
    """Draw who accepts, over α and the price; a dotted line marks the price of the settings."""
    decided = decided_map(results)
    colors = {(action,): color for action, color in zip(decided.actions, (REFUSES, ACCEPTS), strict=True)}
    decided.draw_areas(axes, colors)
    for name, (price, color, style) in (lines or {}).items():
        axes.axhline(float(price), color=color, linestyle=style, label=name)
    here = float(getattr(settings, experiment.price))
    axes.axhline(here, color="black", linewidth=1.0, linestyle=":", label="price here")
    axes.set(xlabel="caring coefficient α", ylabel=label)
    axes.legend(**BELOW)
    words = zip(colors, (experiment.words[False], experiment.words[True]), strict=True)
    decided.name_areas(axes, colors, dict(words))


def draw_learners(axes: Axes, experiment: Experiment, settings: Any, results: Results) -> None:
    """Draw the share of learners that come to accept, by condition, next to what is expected."""
    cases = experiment.learning_cases(settings)
    for row, case in enumerate(cases):
        shares = last_shares(settings, results, case.name)
        accepted = sum(share > 0.5 for share in shares)
        interval = clopper_pearson(accepted, len(shares))
        color = CONTROL if case.control else ACCEPTS
        draw_intervals(axes, [row], [accepted / len(shares)], [interval], color=color, markersize=7)
        axes.plot(float(case.accepts != bool(case.control)), row, "k|", markersize=16, markeredgewidth=2)
    name_rows(axes, [textwrap.fill(case.name.replace(", ", ",\n", 1), 20) for case in cases])
    axes.set_xlim(-0.05, 1.05)
    axes.set_xlabel(f"share that {experiment.words[True]} ({settings.seeds} seeds, {settings.rounds} rounds)")
    words = {"claims": ACCEPTS} | ({"controls": CONTROL} if any(case.control for case in cases) else {})
    for name, color in words.items():
        axes.plot([], [], "o-", color=color, label=f"{name}, 95% confidence")
    axes.plot([], [], "k|", markersize=12, markeredgewidth=2, label="what is expected")
    axes.legend(**BELOW)


def draw_prices(axes: Axes, rows: Sequence[tuple[str, Fraction | None]], label: str, staying: float) -> None:
    """Draw the reward above which each value accepts, None if it never does; staying pays a reward, too."""
    prices = [float(price) for _, price in rows if price is not None]
    end = 1.15 * max([*prices, staying])
    for row, (name, price) in enumerate(rows):
        color = ALPHA_COLORS[Fraction(name[2:])] if name.startswith("α=") else "#999999"
        if price is None:
            axes.text(end * 0.02, row, "never", va="center", fontsize="small", color="#555555")
        else:
            axes.barh(row, float(price), color=color)
            axes.text(float(price) + end * 0.01, row, f"{float(price):.3g}", va="center", fontsize="small")
    axes.axvline(staying, color="black", linewidth=1.0, linestyle=":", label="reward of staying")
    axes.legend(**BELOW)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set(xlim=(0, end), ylim=(len(rows) - 0.4, -0.6), xlabel=label)
