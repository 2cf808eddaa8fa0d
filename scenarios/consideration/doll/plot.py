"""Figure 2(c) of the paper."""

from typing import TYPE_CHECKING

from scenarios.consideration.behaviour import Results, exact_results, map_figure
from scenarios.consideration.doll.run import EQUATIONS, place
from scenarios.consideration.doll.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return the map with the walk under each equation."""
    walks = [
        (f"equation {EQUATIONS[cell.criterion]}: {place(result)}", result) for cell, result in exact_results(results)
    ]
    return {"doll": map_figure("doll", walks, f"Where to leave the doll, α₂ = {settings.alpha}")}
