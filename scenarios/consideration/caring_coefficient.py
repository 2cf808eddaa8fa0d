"""Figure 1(b): both agents' returns and their sum as the caring coefficient α₂ grows from 0 to 7.

Two agents make a box one after the other; the first may put the key back, and bring an extra hammer and wood. Its
reward is ``α₁·r₁`` for each step, and ``γ·α₂·Σ P(V)·V(s')`` once at its end (equation 1, `considerate.criteria`), with
α₁ = 1. The curves are exact at all 701 coefficients of the paper, and so are the coefficients at which behavior
changes. The learned returns, by Q-learning with the paper's schedule, have confidence bands over seeds (Alizadeh
Alamdari et al. 2021, section 4.1).

Without a compiler the learned part takes about five minutes; ``--set seeds=1`` shortens it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean
from typing import Annotated

import numpy as np
from pydantic import Field

import considerate
from considerate.craftworld import task
from considerate.craftworld.drawing import Walk, figure
from considerate.exact.frontiers import frontier
from considerate.training.learning import learn
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, GREEN, RED
from multislot.statistics import student
from scenarios.consideration.behavior import ENOUGH_SEEDS, LEAST_SHARE, learned_row, threshold_rows
from scenarios.lab.cells import Axes, Figure, Figures, Result, Results, select
from scenarios.lab.table import Row, word_row


@dataclass(frozen=True)
class Settings:
    """The range of α₂, and where and how often to learn."""

    most: Annotated[Fraction, Field(gt=0, description="largest α₂")] = Fraction(7)
    points: Annotated[int, Field(ge=2, description="coefficients from 0 to the largest, evenly spaced")] = 701
    learned: Annotated[int, Field(ge=0, description="coefficients at which to learn as well")] = 28
    seeds: Annotated[int, Field(ge=1, description="Q-learning runs for each of them, seeds 0 … n−1")] = 10


QUICK = Settings(learned=1, seeds=1)
FULL = Settings(learned=140)


FRONTIER, ILL_WILL, LEARNED = "frontier", "ill will", "learned"
WISHED_ILL = "an agent that wishes the other ill must be told from one that cares"
MORAL = (
    "With any caring coefficient above 0 the acting agent puts the key back for the next agent, on a path that costs\n"
    "nothing extra. The sum of both agents' returns is largest with caring coefficients from 1/4 to 6. With a caring\n"
    "coefficient above 6 the acting agent gives up a return of 12 so that the next agent gains 2."
)


@dataclass(frozen=True)
class Cell:
    """All coefficients exactly, or one coefficient learned with one seed."""

    what: str
    alpha: Fraction
    seed: int


def cells(settings: Settings) -> list[Cell]:
    middles = [settings.most * Fraction(2 * k + 1, 2 * settings.learned) for k in range(settings.learned)]
    learned = [Cell(LEARNED, alpha, seed) for alpha in middles for seed in range(settings.seeds)]
    return [Cell(FRONTIER, settings.most, 0), Cell(ILL_WILL, settings.most, 0), *learned]


def run_cell(cell: Cell) -> Result:
    box = task("box")
    if cell.what != LEARNED:
        pieces = frontier(box, caring=-1 if cell.what == ILL_WILL else 1).pieces
        return {"pieces": [[p.lower, p.upper, *p.behavior.returns.values()] for p in pieces]}
    learned = learn(box, "value", cell.alpha, seed=cell.seed).solution
    return {"returns": None if learned is None else list(learned.returns.values())}


def table(settings: Settings, results: Results) -> list[Row]:
    pieces = results[0][1]["pieces"]
    rows = []
    for number, (lower, upper, own, other) in enumerate(pieces, 1):
        condition = f"behavior {number}, α₂ from {lower} to {upper or '∞'}"
        rows.append(Row("acting agent; second agent; sum", condition, f"{own}; {other}; {own + other}"))
    rows += threshold_rows("box", "value")
    own, others = [piece[2] for piece in pieces], [piece[3] for piece in pieces]
    rows.append(Row("acting agent's return", "as α₂ grows", trend(own), kind="claim"))
    rows.append(Row("second agent's return", "as α₂ grows", trend(others), kind="claim"))
    rows.append(Row("the sum is largest", "over α₂", largest(own, others), kind="claim"))
    return rows + _ill_will_rows(results) + _learned_rows(results)


def _ill_will_rows(results: Results) -> list[Row]:
    falling, rising, rows = "as α₂ falls below 0: ill will", "as α₂ rises to 0: ill will", []
    for result in select(results, what=ILL_WILL):
        own = [piece[2] for piece in result["pieces"]]
        others = [piece[3] for piece in result["pieces"]]
        for quantity, where, ours, must in (
            ("acting agent's return", rising, trend(own[::-1]), "never falls"),
            ("second agent's return", falling, trend(others), "never rises"),
            ("the sum is largest", falling, largest(own, others), "at an end"),
        ):
            rows.append(word_row(quantity, where, ours, must, WISHED_ILL, control=True))
    return rows


def largest(own: Sequence[int], others: Sequence[int]) -> str:
    """Say where along a frontier the sum of both returns is largest."""
    sums = [a + b for a, b in zip(own, others, strict=True)]
    return "in the middle" if 0 < sums.index(max(sums)) < len(sums) - 1 else "at an end"


def trend(values: Sequence[int]) -> str:
    if list(values) == sorted(values):
        return "never falls"
    return "never rises" if list(values) == sorted(values, reverse=True) else "rises and falls"


def _learned_rows(results: Results) -> list[Row]:
    """Report at how many coefficients learning is exact, and where it is not; with few seeds, what was seen at each."""
    rows: dict[Fraction, Row] = {}
    for alpha in dict.fromkeys(cell.alpha for cell, _ in results if cell.what == LEARNED):
        runs = select(results, what=LEARNED, alpha=alpha)
        exact = sum(run["returns"] in optima(results, alpha) for run in runs)
        rows[alpha] = learned_row(exact, len(runs), f"α₂ = {alpha}")
    if not rows or len(runs) < ENOUGH_SEEDS:
        return [replace(row, case=f"α₂ = {alpha}") for alpha, row in rows.items()]
    failing = [row for row in rows.values() if not isinstance(row.ours, Fraction) or row.ours < LEAST_SHARE]
    where = f"{len(rows)} coefficients, α₂ = {min(rows)} to {max(rows)}, {len(runs)} seeds each"
    quantity = f"coefficients at which learning is exact in at least {LEAST_SHARE} of the seeds"
    return [Row(quantity, where, len(rows) - len(failing), paper=len(rows), kind="claim"), *failing]


def optima(results: Results, alpha: Fraction) -> list[list[int]]:
    """Both agents' exact returns at a coefficient, the lower term first: two pairs or more at a threshold."""
    return [
        [own, other]
        for lower, upper, own, other in results[0][1]["pieces"]
        if Fraction(lower) <= alpha and (upper is None or alpha <= Fraction(upper))
    ]


BREAK = -160
"""Where the axis is cut: the second agent fails (−1000) only where the first does not care at all."""


def figures(settings: Settings, results: Results) -> Figures:
    return {"caring-coefficient": _curves(settings, results), "paths": _paths(results)}


def _curves(settings: Settings, results: Results) -> Figure:
    alphas = [settings.most * Fraction(k, settings.points - 1) for k in range(settings.points)]
    exact = np.array([optima(results, alpha)[0] for alpha in alphas], dtype=float)
    series = {"acting agent": exact[:, 0], "second agent": exact[:, 1], "sum": exact.sum(axis=1)}
    drawn = new_figure(7.5, 4.6)
    axes = drawn.add_subplot()
    shown = np.array([float(alpha) for alpha in alphas])
    for (name, values), color, style in zip(series.items(), (BLUE, RED, GREEN), ("-", "-", "--"), strict=True):
        kept = values > BREAK
        axes.plot(shown[kept], values[kept], style, drawstyle="steps-pre", color=color, lw=2, label=name)
    for lower, *_ in results[0][1]["pieces"][1:]:
        threshold = Fraction(lower)
        axes.axvline(float(threshold), color="grey", lw=0.7, ls=":", zorder=0)
        axes.annotate(f" {threshold}", (float(threshold), 1.005), xycoords=("data", "axes fraction"))
    _draw_learned(axes, results, (BLUE, RED, GREEN))
    axes.annotate(
        "at α₂ = 0 the key is taken away:\n-20 and -1000, off the scale", (0, -53.6), (0.45, -49.5),
        va="center", arrowprops={"arrowstyle": "->", "lw": 0.7, "connectionstyle": "angle3,angleA=0,angleB=90"},
    )  # fmt: skip
    axes.set(xlabel="caring coefficient α₂ (α₁ = 1)", ylabel="return", ylim=(-54, -10))
    axes.legend(ncols=2, **BELOW)
    return drawn


def _draw_learned(axes: Axes, results: Results, colors: tuple[str, ...]) -> None:
    """Draw means of the learned returns, with bands of 95% confidence (Student); count runs that never end."""
    runs: dict[Fraction, list[list[int]]] = {}
    never = 0
    for cell, result in results:
        if cell.what == LEARNED and result["returns"] is None:
            never += 1
        elif cell.what == LEARNED:
            runs.setdefault(cell.alpha, []).append([*result["returns"], sum(result["returns"])])
    if not runs:
        return
    where = [float(alpha) for alpha in runs]
    for number, color in enumerate(colors):
        returns = [[run[number] for run in of_alpha] for of_alpha in runs.values()]
        means = [fmean(values) for values in returns]
        lows, highs = zip(*map(student, returns), strict=True)
        axes.fill_between(where, lows, highs, color=color, alpha=0.25, lw=0, zorder=3)
        axes.plot(where, means, "o", color=color, mfc="white", zorder=4)
    label = "learned, mean and 95% band" + (f" ({never} runs never end)" if never else "")
    axes.plot([], [], "o", color="grey", mfc="white", label=label)


def _paths(results: Results) -> Figure:
    walks = []
    for lower, upper, own, other in results[0][1]["pieces"]:
        alpha = Fraction(lower) if upper == lower else (Fraction(lower) + Fraction(upper or 9)) / 2
        where = "α₂ = 0" if upper == lower else f"α₂ from {lower} to {upper or '∞'}"
        walks.append(Walk(f"{where}: {own}; {other}", considerate.solve(task("box"), "value", alpha).path))
    return figure(task("box"), walks, title="Five paths to a box, with both agents' returns")
