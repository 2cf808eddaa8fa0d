"""The picture of ``formal-battery``: reward a turn in every example, learners and their reality checks."""

from statistics import fmean
from typing import TYPE_CHECKING

from extenv.measuring.plots import Series, rows_of_points, with_errors
from multislot.statistics import standard_error
from scenarios.self_reflection.formal_battery.examples import EXAMPLES
from scenarios.self_reflection.formal_battery.run import Results, rewards_of
from scenarios.self_reflection.formal_battery.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of two panels."""
    panels = {
        title: [series(results, agent, checked) for agent in settings.agents]
        for title, checked in (("agents", False), ("their reality checks", True))
    }
    return {"formal-battery": rows_of_points(list(EXAMPLES), panels, with_errors("reward a turn", settings.seeds))}


def series(results: Results, agent: str, checked: bool) -> Series:
    """Return the numbers of one agent."""
    values = [rewards_of(results, example, agent, checked) for example in EXAMPLES]
    return Series(agent, [fmean(v) for v in values], [standard_error(v) for v in values])
