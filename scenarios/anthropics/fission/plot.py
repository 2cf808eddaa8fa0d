"""The picture of ``fission``: the map over α, what learners come to do, and the price of each value."""

from typing import TYPE_CHECKING

from multislot.drawing.pictures import lettered
from scenarios.anthropics.experiment import Results
from scenarios.anthropics.fission.run import PUZZLE
from scenarios.anthropics.fission.settings import Settings
from scenarios.anthropics.pictures import decision_map, learners, prices_by_value
from scenarios.anthropics.survivals import found_prices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRICE = "reward of survivors above which it is accepted"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    prices = prices_by_value(found_prices(results), PRICE, float(settings.r_s))
    panels = [
        ("accepted from the beginning", decision_map(PUZZLE, settings, results, "probability of success q")),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("the price of each value", prices),
    ]
    title = (
        f"fission:  γ={settings.discount}, T={settings.T}, $r_s$={settings.r_s}, r={settings.r}; "
        f"(b, c) at q={settings.q}"
    )
    return {"fission": lettered(title, panels)}
