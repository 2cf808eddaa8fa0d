"""Which way the acting agent takes for each coefficient of the garden's owner."""

from fractions import Fraction

from considerate.exact.frontiers import frontier
from scenarios.consideration.behaviour import (
    Cell,
    Result,
    Results,
    agreement,
    exact_results,
    known_task,
    run_cell,
    with_seeds,
)
from scenarios.consideration.garden.settings import Settings
from scenarios.lab.table import Measured

__all__ = ["Cell", "cells", "run_cell", "table"]
MORAL = (
    "To walk around the garden takes little caring. To keep others out of it, too, takes far more, and the fence\n"
    "that protects the owner makes the path of the third agent longer."
)


def cells(settings: Settings) -> list[Cell]:
    """Return one exact cell for each α₂, and the learned ones."""
    caring = [(("agent_2", alpha), ("agent_3", Fraction(1))) for alpha in settings.alphas]
    return with_seeds([Cell("garden", "per_agent", pair) for pair in caring], settings.seeds)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the route and the returns for each α₂, the thresholds between, and how often learning agrees."""
    rows = []
    for cell, result in exact_results(results):
        condition = f"α₂ = {cell.caring[0][1]}"
        rows.append(Measured("route of agent 1", condition, route(result)))
        for number, value in enumerate(result["returns"], 1):
            rows.append(Measured(f"agent {number}'s return", condition, value))
    caring = {"agent_2": 1, "agent_3": 1}
    thresholds = frontier(known_task("garden"), "per_agent", vary=("agent_2",), caring=caring).thresholds
    rows += [
        Measured("threshold", f"number {number} in α₂, α₃ = 1", value) for number, value in enumerate(thresholds, 1)
    ]
    return rows + agreement(results)


def route(result: Result) -> str:
    """Return what agent 1 does."""
    if "fence" in result["facts"]:
        return "builds the fence"
    return "through the garden" if "garden_trampled" in result["facts"] else "detour"
