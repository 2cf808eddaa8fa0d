"""What the acting agent does in each row of Table 1, on the map of Figure 1(a)."""

from typing import TYPE_CHECKING

from scenarios.consideration.behaviour import Results, exact_results, joined, map_figure
from scenarios.consideration.shared_key.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Returns the map with the acting agent's walk for each α₂."""
    walks = [
        (f"α₂ = {cell.caring[0][1]}: {joined(result['returns'])}", result) for cell, result in exact_results(results)
    ]
    return {"shared-key": map_figure("shared-key", walks, "One key for two: the acting agent's way")}
