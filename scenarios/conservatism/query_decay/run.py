"""How often the agent defers, over time, β and the two plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from scenarios.conservatism.apprenticeship import Apprenticeship, Planner, lives
from scenarios.conservatism.query_decay.settings import Settings
from scenarios.conservatism.uncertainty import ends_row, over_classes, share_over_classes, together, verdict
from scenarios.table import Measured

TARGET = 0.05
FALLS, STAYS = "falls", "does not fall"


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives in one random class."""


def cells(settings: Settings) -> list[Cell]:
    """Returns one cell for each class, plan and β."""
    common = (settings.models, settings.discount, settings.horizon, settings.noise, settings.steps, settings.lives)
    return [
        Cell(seed, beta, planner, *common)
        for seed in range(settings.classes)
        for planner in get_args(Planner)
        for beta in settings.betas
    ]


def windows(steps: int) -> list[tuple[int, int]]:
    """Returns windows of steps that double in length: [0, 4), [4, 8), [8, 16), … up to the last step."""
    ends = [0, 4]
    while ends[-1] * 2 < steps:
        ends.append(ends[-1] * 2)
    return list(pairwise([*ends, steps]))


def run_cell(cell: Cell) -> dict[str, object]:
    """Returns the queries of every life in each window."""
    lived = lives(cell)
    return {"queries": [[sum(life.queries[first:last]) for first, last in windows(cell.steps)] for life in lived]}


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Returns the share of steps deferred in the first and last window, the queries a life, and whether it falls."""
    common = (
        f"{settings.classes} classes × {settings.lives} lives × {settings.steps} steps, {settings.models} models, "
        f"γ={settings.discount}, horizon {settings.horizon}"
    )
    last = windows(settings.steps)[-1]
    rows, verdicts = [], []
    for planner in get_args(Planner):
        in_the_end = []
        for beta in settings.betas:
            case, queries = f"{planner} plan, β={beta:g}", queries_of(results, planner, beta)
            shares = queries / [end - begin for begin, end in windows(settings.steps)]
            totals = queries.sum(axis=2)
            ends = share_over_classes(shares[:, :, -1])
            rows += [
                ends_row(
                    "share of steps deferred, first 4",
                    case,
                    common,
                    float(shares[:, :, 0].mean()),
                    share_over_classes(shares[:, :, 0]),
                ),
                ends_row(f"from step {last[0]} on", case, common, float(shares[:, :, -1].mean()), ends),
                ends_row("queries a life", case, common, float(totals.mean()), over_classes(totals)),
            ]
            in_the_end.append(verdict(ends, TARGET, FALLS, STAYS))
        verdicts.append(
            Measured(
                f"deferring, {planner} plan",
                f"every β, to less than {TARGET:.0%} of the last steps",
                together(in_the_end, FALLS, STAYS),
            )
        )
    return [*rows, *verdicts]


def queries_of(results: Sequence[tuple[Cell, dict[str, Any]]], planner: str, beta: float) -> NDArray[np.float64]:
    """Returns the queries with a plan and a β, [C, L, W]: for each class, each of its lives, and each window."""
    return np.array(
        [result["queries"] for cell, result in results if cell.planner == planner and cell.beta == beta], dtype=float
    )
