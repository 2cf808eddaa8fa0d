"""The picture of ``sleeping-beauty``: the map with four rules, learners, and what the rules lose."""

from typing import TYPE_CHECKING

from multislot.drawing.pictures import lettered
from scenarios.anthropics.coupon_pictures import losses, rules
from scenarios.anthropics.experiment import Results
from scenarios.anthropics.pictures import decision_map, learners
from scenarios.anthropics.sleeping_beauty.run import PUZZLE, coupon
from scenarios.anthropics.sleeping_beauty.settings import Settings

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
        ("what deciding upon waking can lose", losses(results)),
    ]
    return {"sleeping-beauty": lettered(f"sleeping-beauty:  n={settings.n}, x={settings.x}", panels)}
