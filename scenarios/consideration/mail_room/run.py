"""Where the key is left for each coefficient."""

from considerate.exact.frontiers import frontier
from scenarios.consideration.behaviour import (
    Cell,
    Results,
    agreement,
    exact_results,
    for_others,
    known_task,
    run_cell,
    with_seeds,
)
from scenarios.consideration.mail_room.settings import Settings
from scenarios.lab.table import Measured

__all__ = ["Cell", "cells", "run_cell", "table"]

PLACES = {"key: (4, 6)": "Room 1", "key: (6, 3)": "Room 2", "key: (3, 1)": "Common Area"}
MORAL = (
    "One step more gives two more agents their option. The option of the last agent costs so many steps that only\n"
    "a coefficient above 25 pays for it; at 25 exactly, both places are best."
)


def cells(settings: Settings) -> list[Cell]:
    """Return one exact cell for each α₂, and the learned ones."""
    exact = [Cell("mail-room", "options", for_others(alpha)) for alpha in settings.alphas]
    return with_seeds(exact, settings.seeds)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the place of the key for each α₂, all places that are equally good, and the thresholds."""
    rows = []
    for cell, result in exact_results(results):
        condition = f"α₂ = {cell.caring[0][1]}"
        best = [place(end) for end in (result["end"], *result["tied_ends"])]
        rows.append(Measured("places of the key that are optimal", condition, " or ".join(best)))
        rows.append(Measured("agent 1's return", condition, result["returns"][0]))
        rows.append(Measured("agents who can start", condition, sum(result["returns"][1:])))
    thresholds = frontier(known_task("mail-room"), "options").thresholds
    rows += [Measured("threshold", f"number {number} in α₂", value) for number, value in enumerate(thresholds, 1)]
    return rows + agreement(results)


def place(end: str) -> str:
    """Return where the key lies."""
    return next(words for fact, words in PLACES.items() if fact in end)
