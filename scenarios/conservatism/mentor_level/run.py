"""What the agent is worth more than its mentor, over random classes, β and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.conservatism.apprenticeship import Apprenticeship, lives, make_class, mentor_values, realised
from scenarios.conservatism.lives import mean_and_error, tabular
from scenarios.conservatism.mentor_level.settings import Settings
from scenarios.table import Measured

ERRORS = 3.0


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives in one random class, and the steps at which values are compared."""

    checkpoints: tuple[int, ...]


def cells(settings: Settings) -> list[Cell]:
    """Returns one cell for each class and β."""
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
    """Returns for each checkpoint every life's difference to the mentor, and the mean one of the best policy."""
    worth, lived = mentor_values(cell), lives(cell)
    models, _, truth = make_class(cell.seed, cell.models)
    plan = tabular(models)[truth].as_mdp().solve(discount=cell.discount, horizon=cell.horizon)
    best = [(1 - cell.discount) * float(value) for value in plan.values]
    above, possible = [], []
    for step in cell.checkpoints:
        states = [life.states[step] for life in lived]
        collected = [realised(life.rewards, step, cell.discount, cell.horizon) for life in lived]
        above.append([found - worth[state] for found, state in zip(collected, states, strict=True)])
        possible.append(mean_and_error([best[state] - worth[state] for state in states])[0])
    return {"above": above, "possible": possible}


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Returns the difference over time by β, and whether it ends at least at the mentor's level in every class."""
    condition = (
        f"{settings.planner} plan, {settings.classes} classes × {settings.lives} lives, {settings.models} models, "
        f"γ={settings.discount}, horizon {settings.horizon}"
    )
    rows = []
    for beta in settings.betas:
        for index, step in enumerate(settings.checkpoints):
            above = [life for cell, result in results if cell.beta == beta for life in result["above"][index]]
            possible = [result["possible"][index] for cell, result in results if cell.beta == beta]
            where = f"β={beta:g}, step {step}, {condition}"
            rows += [
                Measured("value above the mentor's", where, *mean_and_error(above)),
                Measured("the best policy's value above the mentor's", where, *mean_and_error(possible)),
            ]
    worse = [cell for cell, result in results if _ends_below(result["above"][-1])]
    verdict = "below the mentor's" if worse else "at least the mentor's"
    return [*rows, Measured("value at the last step", "every class and β, to 3 standard errors", verdict)]


def _ends_below(above: Sequence[float]) -> bool:
    """Whether the mean is below 0 by more than its uncertainty."""
    mean, error = mean_and_error(above)
    return mean < -ERRORS * error
