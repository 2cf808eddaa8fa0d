"""Pictures of ``self-reflection``: the measures next to those of the reality checks, and every environment."""

from typing import TYPE_CHECKING

from extenv.measuring.plots import Series, columns_of_bars, with_errors
from scenarios.self_reflection.self_reflection.run import Results, measured
from scenarios.self_reflection.self_reflection.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of measures, and one of environments for each agent."""
    found = measured(settings, results)
    series = []
    for checked, label in ((False, "agent"), (True, "its reality check")):
        measurements = [found[agent, checked] for agent in settings.agents]
        series.append(Series(label, [m.mean for m in measurements], [m.standard_error for m in measurements]))
    by_agent = {agent: found[agent, False].plot(found[agent, True]) for agent in settings.agents}
    return {
        "measures": columns_of_bars(settings.agents, series, with_errors("self-reflection measure", settings.seeds)),
        **by_agent,
    }
