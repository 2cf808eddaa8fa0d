"""The picture of ``presumptuous-philosopher``: the map, learners, and prices as functions of N/n."""

from typing import TYPE_CHECKING

from multislot.drawing.pictures import lettered
from scenarios.anthropics.coupon_pictures import by_ratio, rules
from scenarios.anthropics.experiment import Results
from scenarios.anthropics.pictures import decision_map, learners
from scenarios.anthropics.presumptuous_philosopher.run import PUZZLE, coupon
from scenarios.anthropics.presumptuous_philosopher.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("exists", "count")


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    lines = rules(coupon(settings), SHOWN)
    panels = [
        (
            "bought from the beginning; lines: rules upon waking",
            decision_map(PUZZLE, settings, results, "price x", lines),
        ),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("by how many more there may be", by_ratio(results, told=False, chosen=SHOWN)),
    ]
    title = f"presumptuous-philosopher:  n={settings.n}, N={settings.N}, x={settings.x}"
    return {"presumptuous-philosopher": lettered(title, panels)}
