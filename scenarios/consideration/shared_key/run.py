"""Both agents' returns in each row of Table 1, the thresholds between the rows, and how often learning agrees."""

from considerate.exact.frontiers import frontier
from scenarios.consideration.behaviour import Cell, Results, agreement, for_others, known_task, run_cell, with_seeds
from scenarios.consideration.shared_key.settings import Settings
from scenarios.lab.table import Measured

__all__ = ["Cell", "cells", "run_cell", "table"]
MORAL = (
    "A little caring is enough to put the key back on the way out. To let the other go first, the other must\n"
    "count as much as oneself. With both the sum is the best there is."
)


def cells(settings: Settings) -> list[Cell]:
    """Return one exact cell for each α₂, and the learned ones."""
    return with_seeds([Cell("shared-key", "sim", for_others(alpha)) for alpha in settings.alphas], settings.seeds)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return Table 1, a row for each behaviour that is optimal for some α₂, with the thresholds between them."""
    rows = []
    for number, piece in enumerate(frontier(known_task("shared-key"), "sim").pieces, 1):
        if number > 1:
            rows.append(Measured("threshold in α₂", f"between rows {number - 1} and {number}", piece.lower))
        returns = list(piece.behaviour.returns.values())
        rows.append(Measured("acting agent's return", f"row {number} of Table 1", returns[0]))
        rows.append(Measured("second agent's return", f"row {number} of Table 1", returns[1]))
        rows.append(Measured("total reward", f"row {number} of Table 1", sum(returns)))
    return rows + agreement(results)
