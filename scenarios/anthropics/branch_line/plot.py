"""The picture of ``branch-line``: the map over α, what learners come to do, and the price of each value."""

from typing import TYPE_CHECKING

from multislot.drawing.pictures import lettered
from scenarios.anthropics.branch_line.run import PUZZLE
from scenarios.anthropics.branch_line.settings import Settings
from scenarios.anthropics.experiment import Results
from scenarios.anthropics.pictures import decision_map, learners, prices_by_value
from scenarios.anthropics.survivals import found_prices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRICE = "reward on Mars above which it is accepted"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    prices = prices_by_value(found_prices(results), PRICE, float(settings.r_s))
    panels = [
        ("accepted from the beginning", decision_map(PUZZLE, settings, results, "reward on Mars $r_2$")),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("the price of each value", prices),
    ]
    title = (
        f"branch-line:  γ={settings.discount}, T={settings.T}, d={settings.d}, "
        f"$r_s$={settings.r_s}, $r_b$={settings.r_b}"
    )
    return {"branch-line": lettered(title, panels)}
