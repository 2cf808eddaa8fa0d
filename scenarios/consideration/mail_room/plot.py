"""Figure 3 of the paper; where two places are equally good the walk to the one that is drawn is solved just above."""

from fractions import Fraction
from typing import TYPE_CHECKING

from scenarios.consideration.behaviour import Cell, Results, exact_results, for_others, map_figure, run_cell
from scenarios.consideration.mail_room.run import place
from scenarios.consideration.mail_room.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return the map with the walk for each α₂."""
    walks = []
    for cell, result in exact_results(results):
        alpha, shown, note = cell.caring[0][1], result, ""
        if result["ties"]:
            shown = run_cell(Cell(cell.task, cell.criterion, for_others(alpha + Fraction(1, 100))))
            note = f" (tied with {place(result['end'])})"
        walks.append((f"α₂ = {alpha}: {place(shown['end'])}{note}", shown))
    return {"mail-room": map_figure("mail-room", walks, "Where to leave the key")}
