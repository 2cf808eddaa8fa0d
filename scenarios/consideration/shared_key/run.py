"""Both agents' returns in each row of Table 1, and the thresholds between the rows."""

from considerate.craftworld import task
from considerate.frontier import frontier
from scenarios.consideration.behaviour import (
    Cell,
    Results,
    agreement,
    exact_results,
    for_others,
    joined,
    run_cell,
    with_seeds,
)
from scenarios.consideration.shared_key.settings import Settings
from scenarios.table import Measured

__all__ = ["Cell", "cells", "run_cell", "table"]


def cells(settings: Settings) -> list[Cell]:
    """Returns one exact cell for each α₂, and the learned ones."""
    return with_seeds([Cell("shared-key", "sim", for_others(alpha)) for alpha in settings.alphas], settings.seeds)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Returns Table 1, found twice: by solving at single coefficients, and as all pieces of the frontier."""
    rows = []
    for cell, result in exact_results(results):
        returns = result["returns"]
        words = joined([*returns, sum(returns)])
        rows.append(Measured("acting agent; second agent; total", f"α₂ = {cell.caring[0][1]}", words))
    pieces = frontier(task("shared-key"), "sim").pieces
    for number, piece in enumerate(pieces, 1):
        returns = list(piece.outcome.returns.values())
        rows.append(Measured("acting agent's return", f"row {number} of Table 1", returns[0]))
        rows.append(Measured("second agent's return", f"row {number} of Table 1", returns[1]))
        rows.append(Measured("total reward", f"row {number} of Table 1", sum(returns)))
        if number > 1:
            rows.append(Measured("threshold", f"between rows {number - 1} and {number}", piece.lower))
    return rows + agreement(results, "shared-key")
