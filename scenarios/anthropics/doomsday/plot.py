"""The picture of ``doomsday``: the map, learners, and prices as functions of N/n, for one who is told a birth rank."""

from typing import TYPE_CHECKING

from multislot.drawing.pictures import lettered
from scenarios.anthropics.coupon_pictures import by_ratio, rules
from scenarios.anthropics.doomsday.run import PUZZLE, coupon
from scenarios.anthropics.doomsday.settings import Settings
from scenarios.anthropics.experiment import Results
from scenarios.anthropics.pictures import decision_map, learners

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    lines = rules(coupon(settings))
    panels = [
        ("bought by the first, from the beginning", decision_map(PUZZLE, settings, results, "price x", lines)),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("by how many more there may be", by_ratio(results, told=True)),
    ]
    return {"doomsday": lettered(f"doomsday:  n={settings.n}, N={settings.N}, x={settings.x}", panels)}
