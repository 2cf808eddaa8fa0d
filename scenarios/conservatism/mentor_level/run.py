"""What the agent is worth more than its mentor, over random classes, β and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multislot.errors import SettingError
from multislot.statistics import Interval, bounded_student, class_bootstrap, together, verdict
from scenarios.conservatism.apprenticeship import (
    Apprenticeship,
    above_mentor,
    advantages,
    best_above_mentor,
    extremes,
    live_all,
    states_of,
)
from scenarios.conservatism.mentor_level.settings import Settings
from scenarios.table import Measured, interval_row, plain_row

TOLERANCE = 0.01
NO_TWINS = 0.0
REACHES, BELOW = "at least the mentor's", "below the mentor's"


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives in one random class, and the steps at which values are compared."""

    checkpoints: tuple[int, ...]


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each class and β.

    Raises:
        SettingError: if the checkpoints do not ascend.
    """
    if list(settings.checkpoints) != sorted(set(settings.checkpoints)):
        raise SettingError(f"checkpoints is {settings.checkpoints}, expected ascending steps")
    return [
        Cell(
            seed,
            beta,
            settings.planner,
            settings.models,
            NO_TWINS,
            settings.discount,
            settings.horizon,
            settings.noise,
            settings.checkpoints[-1] + settings.horizon,
            settings.lives,
            settings.checkpoints,
        )
        for seed in range(settings.classes)
        for beta in settings.betas
    ]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return for each checkpoint every life's difference to the mentor, and that of the best policy.

    Beside them, what a difference can be at least and at most.
    """
    lived, advantage, best = live_all(cell), advantages(cell), best_above_mentor(cell)
    above = [[above_mentor(life, step, advantage, cell.discount) for life in lived] for step in cell.checkpoints]
    possible = [[float(best[states_of(life)[step]]) for life in lived] for step in cell.checkpoints]
    return {"above": above, "possible": possible, "extremes": list(extremes(advantage, cell.discount))}


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Return the difference over time by β, and whether it ends at the mentor's level in every class."""
    common = (
        f"{settings.planner} plan, {settings.classes} classes × {settings.lives} lives, {settings.models} models, "
        f"γ={settings.discount}, horizon {settings.horizon}"
    )
    rows = []
    for beta in settings.betas:
        above, possible = (differences(results, beta, name) for name in ("above", "possible"))
        for index, step in enumerate(settings.checkpoints):
            case = f"β={beta:g}, step {step}"
            rows += [
                _over_classes("value above the mentor's", case, common, above[:, index]),
                _over_classes("the best policy's value above the mentor's", case, common, possible[:, index]),
            ]
    return [*rows, *_verdicts(results, settings.betas)]


def _over_classes(quantity: str, case: str, common: str, values: NDArray[np.float64]) -> Measured:
    return interval_row(quantity, case, common, float(values.mean()), class_bootstrap(values))


def _verdicts(results: Sequence[tuple[Cell, dict[str, Any]]], betas: Sequence[float]) -> list[Measured]:
    """Return what is said of single classes, counted by β, and of all."""
    rows, words = [], []
    for beta in betas:
        found = [result for cell, result in results if cell.beta == beta]
        ends = [bounded_student(result["above"][-1], *result["extremes"]) for result in found]
        words += [verdict(one, -TOLERANCE, BELOW, REACHES) for one in ends]
        rows += _classes(f"β={beta:g}", ends, words[-len(ends) :])
    word = together(words, REACHES, BELOW)
    return [*rows, Measured("value at the last step", f"every class and β, to {TOLERANCE:g}", word)]


def _classes(case: str, ends: Sequence[Interval], words: Sequence[str]) -> list[Measured]:
    """Return how many classes end where, and how far down an interval reaches."""
    common = f"value above the mentor's at the last step, to {TOLERANCE:g}, 95% confidence in each class"
    counts = [f"{words.count(word)} of {len(words)}" for word in (REACHES, BELOW)]
    return [
        plain_row("classes at least at the mentor's level", case, common, counts[0]),
        plain_row("classes below it", case, common, counts[1]),
        plain_row("lowest end of an interval", case, common, min(low for low, _ in ends)),
    ]


def differences(results: Sequence[tuple[Cell, dict[str, Any]]], beta: float, name: str) -> NDArray[np.float64]:
    """Return [C, steps, L], the differences of a kind at one β."""
    return np.array([result[name] for cell, result in results if cell.beta == beta])
