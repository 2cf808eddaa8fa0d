"""The absent-minded driver: two junctions that look the same, and nobody who remembers whether the first is passed.

Exits at the first junction are worth 0, at the second 4, driving past both 1. A driver with a memory takes the second
exit. One without can only do the same at both: exit surely for 0, continue surely for 1, or toss a coin. Continuing
with probability p is worth 4p(1 − p) + p², at best 4/3 with p = 2/3 (Piccione and Rubinstein 1997). Standing at a
junction, she believes with 3/5 that it is the first. If she planned again from there she would continue with 1/3 only,
and lose. There is no such conflict if she takes what she does at the other junction as given (Aumann, Hart and Perry
1997). Pure policies over histories, which the other puzzles need, cannot express what is best here.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW, BLUE, RED
from multislot.exact.copies.polynomials import Algebraic
from multislot.statistics import bootstrap, mean_and_error, student, verdict
from scenarios.anthropics.absent_minded_driver import roads
from scenarios.anthropics.absent_minded_driver.learners import GRADIENT, KINDS, drives
from scenarios.anthropics.experiment import Cell, Results, by_part, exact_rows, steps
from scenarios.anthropics.settings import AnthropicSettings
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Pay = Annotated[Fraction, Field(ge=-100, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What the exits are worth."""

    a: Annotated[Pay, Field(title="a", description="worth of the first exit")] = Fraction(0)
    b: Annotated[Pay, Field(title="b", description="worth of the second exit")] = Fraction(4)
    c: Annotated[Pay, Field(title="c", description="worth of driving past both")] = Fraction(1)
    rounds: Annotated[int, Field(ge=40, description="how often a learner drives")] = 2000


QUICK = Settings(rounds=1000)
FULL = replace(Settings(), resolution=41, seeds=20, rounds=20_000)
CORE = True


HIGHEST = Fraction(8)
GRID = tuple(
    (Fraction(a), Fraction(b), Fraction(c))
    for a, b, c in product(("-1", "0"), ("0", "1/2", "4"), ("-2", "1/3", "1", "5"))
)
THREE_JUNCTIONS = (Fraction(0), Fraction(4), Fraction(3), Fraction(2))
NEAR_RANDOM, NEAR_PURE = "nearer the best random policy", "nearer the best pure policy"
MORAL = (
    "Without memory a coin is worth more than any plan that is certain. At a junction the driver should neither plan\n"
    "again for both junctions nor regret: given what she does at the other, both actions are worth the same.\n"
    "A learner that gives each action a value settles near a certain plan; one that follows the gradient of its\n"
    "policy finds the coin."
)


def chance(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    """The best probability of continuing in closed form: ``(b − a) / (2(b − c))`` where that is an inner maximum."""
    inner = (b - a) / (2 * (b - c)) if b > c else Fraction(2)
    return inner if 0 < inner < 1 else Fraction(int(c > a))


def worth(a: Fraction, b: Fraction, c: Fraction, p: Fraction) -> Fraction:
    """What continuing with probability p is worth in closed form: ``(1 − p) a + p(1 − p) b + p² c``."""
    return (1 - p) * a + p * (1 - p) * b + p * p * c


def cells(settings: Settings) -> list[Cell]:
    """The exact rows first, since everything else is worth little without them."""
    return [
        Cell(settings, "exact"),
        Cell(settings, "grid"),
        *(Cell(settings, "map", str(b)) for b in steps(HIGHEST, settings.resolution)),
        *(Cell(settings, "learner", kind, seed) for kind in KINDS for seed in range(settings.seeds)),
    ]


def run_cell(cell: Cell) -> dict[str, object]:
    """What one cell gives."""
    if cell.part == "exact":
        return {"rows": [asdict(row) for row in rows(cell.settings)]}
    if cell.part == "grid":
        found = [abs(Fraction(roads.best(pays).value) - worth(*pays, chance(*pays))) for pays in GRID]  # type: ignore[arg-type]
        return {"compared": len(found), "largest": max(found)}
    if cell.part == "map":
        return {"chances": [_mapped(cell.settings, Fraction(cell.which), c) for c in mapped(cell.settings)]}
    pays = (cell.settings.a, cell.settings.b, cell.settings.c)
    return {"worths": drives(roads.Road(pays), cell.which, cell.settings.rounds, cell.seed)}


def mapped(settings: Settings) -> list[Fraction]:
    """The axis of the map for what driving past is worth; what the second exit is worth has the same."""
    return steps(HIGHEST, settings.resolution)


def _mapped(settings: Settings, b: Fraction, c: Fraction) -> Fraction:
    found: Fraction = roads.continuing(roads.best((settings.a, b, c)))
    return found


def rows(settings: Settings) -> list[Row]:
    """Everything exact."""
    return [*_plans(settings), *_at_a_junction(settings), *_irrational(), *_controls(settings)]


def _plans(settings: Settings) -> Iterator[Row]:
    pays, condition = (settings.a, settings.b, settings.c), f"a={settings.a}, b={settings.b}, c={settings.c}"
    plan, p = roads.best(pays), chance(*pays)
    inner = "(b − a) / (2(b − c))"
    yield Row("best probability of continuing", condition, roads.continuing(plan), paper=p, source=inner)
    source = "(1 − p) a + p(1 − p) b + p² c"
    value = Fraction(plan.value)  # type: ignore[arg-type]  # rational for two junctions
    yield Row("worth of the best policy without memory", condition, value, paper=worth(*pays, p), source=source)
    pure = max(settings.a, settings.c)
    yield Row("worth of the best pure policy", condition, plan.pure_value, paper=pure, source="max(a, c)")
    remembered = roads.with_memory(pays)
    yield Row("worth with a memory", condition, remembered, paper=max(pays), source="the best of the three")


def _at_a_junction(settings: Settings) -> Iterator[Row]:
    """What the driver thinks at a junction, in two ways."""
    a, b, c = pays = (settings.a, settings.b, settings.c)
    condition, p = f"a={a}, b={b}, c={c}", chance(*pays)
    credence = 1 / (1 + p)
    again = (credence * (b - a) + (1 - credence) * (c - b)) / (2 * credence * (b - c)) if b > c else Fraction(2)
    formula = again if 0 < again < 1 else None
    found = roads.planned_again(pays, credence)
    source = "(q(b − a) − (1 − q)(b − c)) / (2q(b − c)) with q = 1 / (1 + p)"
    yield Row("probability of continuing, planned again at a junction", condition, found, paper=formula, source=source)
    lost = roads.worth(pays, p) - roads.worth(pays, found)
    yield Row(
        "lost by planning again", condition, lost, paper=worth(*pays, p) - worth(*pays, found), source="both worths"
    )
    exits, goes_on = (roads.here_and_now(pays, credence, p, Fraction(here)) for here in (0, 1))
    if 0 < p < 1:
        source = "at an inner optimum neither action is better, given the other junction"
        yield Row(
            "continuing instead of exiting here, the other junction given",
            condition,
            goes_on - exits,
            paper=0,
            source=source,
        )


def _irrational() -> Iterator[Row]:
    """Three junctions, where the best probability is irrational and known to lie in a narrow interval."""
    found = roads.continuing(roads.best(THREE_JUNCTIONS))
    middle = float(found)
    condition = "three junctions, worth 0, 4, 3 and past them 2"
    root = (sqrt(13) - 1) / 3
    yield Row("best probability of continuing", condition, middle, paper=root, tolerance=1e-12, source="(√13 − 1) / 3")
    narrow = isinstance(found, Algebraic) and found.upper - found.lower <= Fraction(1, 10**12)
    yield Row("width of its interval", condition, "at most 1e-12" if narrow else "wider", paper="at most 1e-12")


def _controls(settings: Settings) -> Iterator[Row]:
    """A probability next to the best one is worth less."""
    pays = (settings.a, settings.b, settings.c)
    p = chance(*pays)
    near = p - Fraction(1, 100) if p >= Fraction(1, 2) else p + Fraction(1, 100)
    word = "refused" if roads.worth(pays, near) < roads.worth(pays, p) else "passes"
    condition = f"a={settings.a}, b={settings.b}, c={settings.c}, p={near}"
    yield Row(
        "a probability next to the best one", condition, word, paper="refused", kind="control", source="strict maximum"
    )


def table(settings: Settings, results: Results) -> list[Row]:
    """The exact rows, the closed form over a grid, and what learners reach."""
    (_, grid), *_ = by_part(results, "grid")
    compared = f"{grid['compared']} roads of a grid"
    largest = Row("largest difference from the closed form", compared, Fraction(grid["largest"]), paper=0)
    return [*exact_rows(results), largest, *_learner_rows(settings, results)]


def last_worths(settings: Settings, results: Results, kind: str) -> list[float]:
    """Return the mean worth of the last half of the drives, for each seed."""
    last = settings.rounds // 2
    learned = [result["worths"] for cell, result in by_part(results, "learner") if cell.which == kind]
    return [sum(worths[-last:]) / last for worths in learned]


def _learner_rows(settings: Settings, results: Results) -> Iterator[Row]:
    plan = roads.best((settings.a, settings.b, settings.c))
    common = f"a={settings.a}, b={settings.b}, c={settings.c}, {settings.rounds} drives, {settings.seeds} seeds"
    for kind in KINDS:
        worths = last_worths(settings, results, kind)
        yield Row("worth of a drive at last", f"{kind}, {common}", *mean_and_error(worths), case=kind)
        if plan.value != plan.pure_value and isinstance(plan.value, Fraction):
            middle = float(plan.value + plan.pure_value) / 2
            said = verdict(student(worths), middle, NEAR_PURE, NEAR_RANDOM)
            learns = kind == GRADIENT
            yield Row(
                "what learners without memory reach",
                f"{kind}, {common}",
                said,
                paper=NEAR_RANDOM if learns else NEAR_PURE,
                case=kind,
                kind="claim" if learns else "control",
                source="its policy can be random" if learns else "an action that has a value is taken or not",
            )


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL


COLOURS = dict(zip(KINDS, (RED, BLUE), strict=True))
BINS, FINE = 25, 121


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    panels = [
        ("best probability of continuing", _map(settings, results)),
        ("what learners without memory reach", _curves(settings, results)),
        ("what continuing with probability p is worth", worths(settings)),
    ]
    title = f"absent-minded-driver:  a={settings.a}, b={settings.b}, c={settings.c}"
    return {"absent-minded-driver": lettered(title, panels)}


def _map(settings: Settings, results: Results) -> Panel:
    def draw(axes: "Axes") -> None:
        grid, end = steps(HIGHEST, FINE), float(HIGHEST)
        shade = np.array([[float(chance(settings.a, b, c)) for b in grid] for c in grid])
        extent = (0, end, 0, end)
        image = axes.imshow(
            shade, origin="lower", extent=extent, aspect="auto", cmap="viridis", vmin=0, vmax=1, alpha=0.8
        )
        for cell, column in by_part(results, "map"):
            heights = [float(c) for c in mapped(settings)]
            places, values = (
                [float(Fraction(cell.which))] * len(heights),
                [float(Fraction(p)) for p in column["chances"]],
            )
            style = {"cmap": "viridis", "vmin": 0, "vmax": 1, "edgecolors": "white", "linewidths": 0.4}
            axes.scatter(places, heights, s=22, c=values, zorder=3, clip_on=False, **style)  # type: ignore[arg-type]
        axes.plot(float(settings.b), float(settings.c), "*", color=RED, markersize=13, zorder=4, label="payoffs here")
        axes.set(
            xlabel="worth b of the second exit", ylabel="worth c of driving past both", xlim=extent[:2], ylim=extent[2:]
        )
        colours = axes.figure.colorbar(image, ax=axes)
        colours.set_label("probability; area: closed form")
        axes.plot([], [], "o", color="0.5", markeredgecolor="white", label="by the engine")
        axes.legend(**BELOW)

    return draw


def _curves(settings: Settings, results: Results) -> Panel:
    def draw(axes: "Axes") -> None:
        edges = np.linspace(0, settings.rounds, BINS + 1).astype(int)
        for kind in KINDS:
            worths = [result["worths"] for cell, result in by_part(results, "learner") if cell.which == kind]
            binned = np.array([[np.mean(one[low:high]) for low, high in pairwise(edges)] for one in worths])
            low, high = bootstrap(binned, np.random.default_rng(0))
            middle = (edges[:-1] + edges[1:]) / 2
            axes.plot(middle, binned.mean(axis=0), color=COLOURS[kind], label=kind)
            axes.fill_between(middle, low, high, color=COLOURS[kind], alpha=0.2, linewidth=0)
        plan = roads.best((settings.a, settings.b, settings.c))
        levels = {"best random policy": plan.value, "best pure policy": plan.pure_value}
        for (name, level), style in zip(levels.items(), ("--", ":"), strict=True):
            axes.axhline(float(level), color="black", linestyle=style, linewidth=1, label=name)
        axes.set(xlabel="drive", ylabel=f"worth of a drive (mean of {settings.seeds}, 95% bootstrap)")
        axes.legend(ncols=2, **BELOW)

    return draw


def worths(settings: Settings) -> Panel:
    """Return a panel of what each probability of continuing is worth."""

    def draw(axes: "Axes") -> None:
        a, b, c = pays = settings.a, settings.b, settings.c
        grid, p = steps(Fraction(1), FINE), chance(*pays)
        again = roads.planned_again(pays, 1 / (1 + p))
        axes.plot([float(x) for x in grid], [float(worth(a, b, c, x)) for x in grid], color=BLUE)
        places = [(p, "o", "planned from the beginning"), (again, "s", "planned again at a junction")]
        for place, mark, name in [*places, (Fraction(int(c > a)), "^", "best pure policy")]:
            axes.plot(float(place), float(worth(a, b, c, place)), mark, markersize=9, label=f"{name}: p={place}")
        axes.set(xlabel="probability p of continuing", ylabel="worth of a drive")
        axes.legend(**BELOW)

    return draw
