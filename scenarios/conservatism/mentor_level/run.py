"""What the agent is worth more than its mentor, over random classes, β and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multislot.errors import SettingError
from scenarios.conservatism.apprenticeship import (
    Apprenticeship,
    above_mentor,
    advantages,
    best_above_mentor,
    extremes,
    lives,
)
from scenarios.conservatism.mentor_level.settings import Settings
from scenarios.conservatism.uncertainty import bounded_mean_ends, ends_row, over_classes, plain_row, together, verdict
from scenarios.table import Measured

TOLERANCE = 0.01
REACHES, BELOW = "at least the mentor's", "below the mentor's"


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives in one random class, and the steps at which values are compared."""

    checkpoints: tuple[int, ...]


def cells(settings: Settings) -> list[Cell]:
    """Returns one cell for each class and β.

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
    """Returns for each checkpoint every life's difference to the mentor, and that of the best policy.

    Beside them, what a difference can be at least and at most.
    """
    lived, advantage, best = lives(cell), advantages(cell), best_above_mentor(cell)
    above = [[above_mentor(life, step, advantage, cell.discount) for life in lived] for step in cell.checkpoints]
    possible = [[float(best[life.states[step]]) for life in lived] for step in cell.checkpoints]
    return {"above": above, "possible": possible, "extremes": list(extremes(advantage, cell.discount))}


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Returns the difference over time by β, and whether it ends at the mentor's level in every class."""
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
    found = [(cell.beta, _ends(result["above"][-1], result["extremes"])) for cell, result in results]
    return [*rows, *_verdicts(found, settings.betas)]


def _over_classes(quantity: str, case: str, common: str, values: NDArray[np.float64]) -> Measured:
    return ends_row(quantity, case, common, float(values.mean()), over_classes(values))


def _verdicts(found: Sequence[tuple[float, str]], betas: Sequence[float]) -> list[Measured]:
    """What is said of single classes, counted by β, and of all."""
    counts = [
        plain_row(
            quantity,
            f"β={beta:g}",
            f"at the last step, to {TOLERANCE:g}, 95% confidence in each class",
            f"{sum(one == (beta, word) for one in found)} of {sum(one[0] == beta for one in found)}",
        )
        for beta in betas
        for quantity, word in (("classes at least at the mentor's level", REACHES), ("classes below it", BELOW))
    ]
    word = together([one for _, one in found], REACHES, BELOW)
    return [*counts, Measured("value at the last step", f"every class and β, to {TOLERANCE:g}", word)]


def _ends(above: Sequence[float], limits: tuple[float, float]) -> str:
    """What one class's last differences say, at 95% confidence."""
    return verdict(bounded_mean_ends(above, *limits), -TOLERANCE, BELOW, REACHES)


def differences(results: Sequence[tuple[Cell, dict[str, Any]]], beta: float, name: str) -> NDArray[np.float64]:
    """Returns [C, steps, L], the differences of a kind at one β."""
    return np.array([result[name] for cell, result in results if cell.beta == beta])
