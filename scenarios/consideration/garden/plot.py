"""Figures 2(a) and 2(b) of the paper, in one."""

from typing import TYPE_CHECKING

from scenarios.consideration.behaviour import Results, exact_results, map_figure
from scenarios.consideration.garden.run import route
from scenarios.consideration.garden.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return the map with the route for each α₂."""
    walks = [(f"α₂ = {cell.caring[0][1]}: {route(result)}", result) for cell, result in exact_results(results)]
    return {"garden": map_figure("garden", walks, "Whose garden is it?")}
