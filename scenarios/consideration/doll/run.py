"""Where the doll is left under each of equations 1, 2 and 3."""

from scenarios.consideration.behaviour import (
    Cell,
    Result,
    Results,
    agreement,
    exact_results,
    for_others,
    run_cell,
    with_seeds,
)
from scenarios.consideration.doll.settings import Settings
from scenarios.lab.table import Measured

__all__ = ["Cell", "cells", "run_cell", "table"]

EQUATIONS = {"value": 1, "worst": 2, "neg": 3}
PLACES = {
    "(4, 2)": "near most",
    "(3, 3)": "least distance to the furthest",
    "(2, 3)": "where it was",
    "(1, 5)": "at the start",
}
MORAL = (
    "Each equation is kind to somebody else: to most, to the worst-off, or to whoever would lose by a move. An\n"
    "agent that only avoids harm leaves the doll where it was, although moving it would help most of the others."
)


def cells(settings: Settings) -> list[Cell]:
    """Return one exact cell for each equation, and the learned ones."""
    return with_seeds([Cell("doll", name, for_others(settings.alpha)) for name in EQUATIONS], settings.seeds)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return where the doll ends up and everyone's return."""
    rows = []
    for cell, result in exact_results(results):
        condition = f"equation {EQUATIONS[cell.criterion]}, α₂ = {settings.alpha}"
        rows.append(Measured("place of the doll", condition, place(result)))
        rows.append(Measured("agent 1's return", condition, result["returns"][0]))
        rows.append(Measured("sum of the others' returns", condition, sum(result["returns"][1:])))
        rows.append(Measured("least of the others' returns", condition, min(result["returns"][1:])))
    return rows + agreement(results)


def place(result: Result) -> str:
    """Return where the doll lies."""
    return PLACES[result["facts"]["doll"]]
