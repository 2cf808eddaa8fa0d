"""How often the agent defers, over time, β and the two plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from multislot.statistics import class_bootstrap, share_bootstrap, together, verdict
from scenarios.conservatism.apprenticeship import Apprenticeship, Planning, live_all
from scenarios.conservatism.query_decay.settings import Settings
from scenarios.table import Measured, interval_row

TARGET = 0.05
TWINS = ("no model has a twin", "every model has a twin")
FALLS, STAYS = "falls", "does not fall"


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives in one random class."""


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each class, without twins and with them, plan and β."""
    common = (settings.discount, settings.horizon, settings.noise, settings.steps, settings.lives)
    return [
        Cell(seed, beta, planner, settings.models, share, *common)
        for share in families(settings).values()
        for seed in range(settings.classes)
        for planner in get_args(Planning)
        for beta in settings.betas
    ]


def families(settings: Settings) -> dict[str, float]:
    """Return the names of the two kinds of classes, and the prior probability of the twins in each."""
    return {TWINS[0]: 0.0, f"{TWINS[1]}, together of weight {settings.share:g}": settings.share}


def windows(steps: int) -> list[tuple[int, int]]:
    """Return windows of steps that double in length: [0, 4), [4, 8), [8, 16), … up to the last step."""
    ends = [0, 4]
    while ends[-1] * 2 < steps:
        ends.append(ends[-1] * 2)
    return list(pairwise([*ends, steps]))


def run_cell(cell: Cell) -> dict[str, object]:
    """Return the queries of every life in each window."""
    lived = live_all(cell)
    return {"queries": [[sum(life.queries[first:last]) for first, last in windows(cell.steps)] for life in lived]}


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Return the share of steps deferred in the first and last window, the queries a life, and whether it falls."""
    rows, verdicts = [], []
    for family, share in families(settings).items():
        for planner in get_args(Planning):
            found = [queries_of(results, share, planner, beta) for beta in settings.betas]
            for beta, queries in zip(settings.betas, found, strict=True):
                rows += _rows(settings, f"{planner} plan, β={beta:g}", family, queries)
            words = [verdict(share_bootstrap(in_window(settings, one, -1)), TARGET, FALLS, STAYS) for one in found]
            where = f"{TWINS[share > 0]}, every β, to less than {TARGET:.0%} of the last steps"
            verdicts.append(Measured(f"deferring, {planner} plan", where, together(words, FALLS, STAYS)))
    return [*rows, *verdicts]


def _rows(settings: Settings, case: str, family: str, queries: NDArray[np.float64]) -> list[Measured]:
    """Return the rows of one kind of classes, plan and β."""
    common = (
        f"{family}, {settings.classes} classes × {settings.lives} lives × {settings.steps} steps, "
        f"{settings.models} models, γ={settings.discount}, horizon {settings.horizon}"
    )
    first, last = (in_window(settings, queries, index) for index in (0, -1))
    late, totals = f"from step {windows(settings.steps)[-1][0] + 1} on", queries.sum(axis=2)
    return [
        interval_row("share of steps deferred, first 4", case, common, float(first.mean()), share_bootstrap(first)),
        interval_row(f"share of steps deferred, {late}", case, common, float(last.mean()), share_bootstrap(last)),
        interval_row("queries a life", case, common, float(totals.mean()), class_bootstrap(totals)),
    ]


def in_window(settings: Settings, queries: NDArray[np.float64], index: int) -> NDArray[np.float64]:
    """Return the share of a window's steps that were deferred, [C, L], from queries [C, L, W]."""
    first, last = windows(settings.steps)[index]
    shares: NDArray[np.float64] = queries[:, :, index] / (last - first)
    return shares


def queries_of(
    results: Sequence[tuple[Cell, dict[str, Any]]], share: float, planner: str, beta: float
) -> NDArray[np.float64]:
    """Return the queries with twins of a weight, a plan and a β, [C, L, W]: for each class, life and window."""
    wanted = (share, planner, beta)
    return np.array(
        [result["queries"] for cell, result in results if (cell.share, cell.planner, cell.beta) == wanted], dtype=float
    )
