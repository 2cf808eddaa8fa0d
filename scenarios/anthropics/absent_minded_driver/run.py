"""``absent-minded-driver``: the best policy without memory exactly, the two ways to plan at a junction, learners."""

from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from itertools import product
from math import sqrt

from multislot.exact.copies.polynomials import Interval
from multislot.statistics import mean_and_error, student, verdict
from scenarios.anthropics.absent_minded_driver import roads
from scenarios.anthropics.absent_minded_driver.learners import GRADIENT, KINDS, drives
from scenarios.anthropics.absent_minded_driver.settings import Settings
from scenarios.anthropics.experiment import Cell, Results, by_part, exact_rows, steps
from scenarios.lab.table import Measured

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


def rows(settings: Settings) -> list[Measured]:
    """Everything exact."""
    return [*_plans(settings), *_at_a_junction(settings), *_irrational(), *_controls(settings)]


def _plans(settings: Settings) -> Iterator[Measured]:
    pays, condition = (settings.a, settings.b, settings.c), f"a={settings.a}, b={settings.b}, c={settings.c}"
    plan, p = roads.best(pays), chance(*pays)
    inner = "(b − a) / (2(b − c))"
    yield Measured("best probability of continuing", condition, roads.continuing(plan), paper=p, source=inner)
    source = "(1 − p) a + p(1 − p) b + p² c"
    value = Fraction(plan.value)  # type: ignore[arg-type]  # rational for two junctions
    yield Measured("worth of the best policy without memory", condition, value, paper=worth(*pays, p), source=source)
    pure = max(settings.a, settings.c)
    yield Measured("worth of the best pure policy", condition, plan.pure_value, paper=pure, source="max(a, c)")
    remembered = roads.with_memory(pays)
    yield Measured("worth with a memory", condition, remembered, paper=max(pays), source="the best of the three")


def _at_a_junction(settings: Settings) -> Iterator[Measured]:
    """What the driver thinks at a junction, in two ways."""
    a, b, c = pays = (settings.a, settings.b, settings.c)
    condition, p = f"a={a}, b={b}, c={c}", chance(*pays)
    credence = 1 / (1 + p)
    again = (credence * (b - a) + (1 - credence) * (c - b)) / (2 * credence * (b - c)) if b > c else Fraction(2)
    formula = again if 0 < again < 1 else None
    found = roads.planned_again(pays, credence)
    source = "(q(b − a) − (1 − q)(b − c)) / (2q(b − c)) with q = 1 / (1 + p)"
    yield Measured(
        "probability of continuing, planned again at a junction", condition, found, paper=formula, source=source
    )
    lost = roads.worth(pays, p) - roads.worth(pays, found)
    yield Measured(
        "lost by planning again", condition, lost, paper=worth(*pays, p) - worth(*pays, found), source="both worths"
    )
    exits, goes_on = (roads.here_and_now(pays, credence, p, Fraction(here)) for here in (0, 1))
    if 0 < p < 1:
        source = "at an inner optimum neither action is better, given the other junction"
        yield Measured(
            "continuing instead of exiting here, the other junction given",
            condition,
            goes_on - exits,
            paper=0,
            source=source,
        )


def _irrational() -> Iterator[Measured]:
    """Three junctions, where the best probability is irrational and known to lie in a narrow interval."""
    found = roads.continuing(roads.best(THREE_JUNCTIONS))
    middle = float(sum(found) / 2) if isinstance(found, Interval) else float(found)
    condition = "three junctions, worth 0, 4, 3 and past them 2"
    root = (sqrt(13) - 1) / 3
    yield Measured(
        "best probability of continuing", condition, middle, paper=root, tolerance=1e-12, source="(√13 − 1) / 3"
    )
    narrow = isinstance(found, Interval) and found.upper - found.lower <= Fraction(1, 10**12)
    yield Measured("width of its interval", condition, "at most 1e-12" if narrow else "wider", paper="at most 1e-12")


def _controls(settings: Settings) -> Iterator[Measured]:
    """A probability next to the best one is worth less."""
    pays = (settings.a, settings.b, settings.c)
    p = chance(*pays)
    near = p - Fraction(1, 100) if p >= Fraction(1, 2) else p + Fraction(1, 100)
    word = "refused" if roads.worth(pays, near) < roads.worth(pays, p) else "passes"
    condition = f"a={settings.a}, b={settings.b}, c={settings.c}, p={near}"
    yield Measured(
        "a probability next to the best one", condition, word, paper="refused", kind="control", source="strict maximum"
    )


def table(settings: Settings, results: Results) -> list[Measured]:
    """The exact rows, the closed form over a grid, and what learners reach."""
    (_, grid), *_ = by_part(results, "grid")
    compared = f"{grid['compared']} roads of a grid"
    largest = Measured("largest difference from the closed form", compared, Fraction(grid["largest"]), paper=0)
    return [*exact_rows(results), largest, *_learner_rows(settings, results)]


def last_worths(settings: Settings, results: Results, kind: str) -> list[float]:
    """Return the mean worth of the last half of the drives, for each seed."""
    last = settings.rounds // 2
    learned = [result["worths"] for cell, result in by_part(results, "learner") if cell.which == kind]
    return [sum(worths[-last:]) / last for worths in learned]


def _learner_rows(settings: Settings, results: Results) -> Iterator[Measured]:
    plan = roads.best((settings.a, settings.b, settings.c))
    common = f"a={settings.a}, b={settings.b}, c={settings.c}, {settings.rounds} drives, {settings.seeds} seeds"
    for kind in KINDS:
        worths = last_worths(settings, results, kind)
        yield Measured("worth of a drive at last", f"{kind}, {common}", *mean_and_error(worths), case=kind)
        if plan.value != plan.pure_value and isinstance(plan.value, Fraction):
            middle = float(plan.value + plan.pure_value) / 2
            said = verdict(student(worths), middle, NEAR_PURE, NEAR_RANDOM)
            learns = kind == GRADIENT
            yield Measured(
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
