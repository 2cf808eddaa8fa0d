"""How often the agent defers, over time, β and the two plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from scenarios.conservatism.apprenticeship import Apprenticeship, Planner, lives
from scenarios.conservatism.lives import interval, mean_and_error
from scenarios.conservatism.query_decay.settings import Settings
from scenarios.table import Measured

FALLS = 0.25


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
    condition = (
        f"{settings.classes} classes × {settings.lives} lives × {settings.steps} steps, {settings.models} models, "
        f"γ={settings.discount}, horizon {settings.horizon}"
    )
    rows, falling = [], {}
    for planner in get_args(Planner):
        for beta in settings.betas:
            queries = queries_of(results, planner, beta)
            where = f"{planner} plan, β={beta:g}, {condition}"
            shares = [
                mean_and_error([life[index] / (last - first) for life in queries])
                for index, (first, last) in enumerate(windows(settings.steps))
            ]
            rows += [
                Measured("share of steps deferred, first 4", where, *shares[0]),
                Measured(f"share of steps deferred, from {windows(settings.steps)[-1][0]} on", where, *shares[-1]),
                Measured("queries a life", where, *mean_and_error([sum(life) for life in queries])),
            ]
            falling[planner, beta] = shares[-1][0] <= FALLS * shares[0][0]
    exact = all(falls for (planner, _), falls in falling.items() if planner == "exact")
    return [*rows, Measured("deferring, exact plan", "every β", "falls" if exact else "does not fall")]


def queries_of(results: Sequence[tuple[Cell, dict[str, Any]]], planner: str, beta: float) -> list[list[int]]:
    """Returns the queries of all lives with a plan and a β, one list of windows a life."""
    chosen = [result for cell, result in results if cell.planner == planner and cell.beta == beta]
    return [life for result in chosen for life in result["queries"]]


def share_with_interval(queries: Sequence[Sequence[int]], window: int, length: int) -> tuple[float, float, float]:
    """Returns the share of steps deferred in a window, with the ends of its confidence interval.

    Steps are counted as independent, which they are not quite within a life.
    """
    count, trials = sum(life[window] for life in queries), len(queries) * length
    return count / trials, *interval(count, trials)
