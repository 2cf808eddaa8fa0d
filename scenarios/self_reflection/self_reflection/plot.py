"""Pictures of ``self-reflection``: the measures beside those of the reality checks, and every environment."""

from typing import TYPE_CHECKING

from extenv.plots import bars_by_environment, bars_of_measures
from scenarios.self_reflection.self_reflection.run import Results, measured
from scenarios.self_reflection.self_reflection.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of measures, and one of environments for each agent."""
    found = measured(settings, results)
    pairs = [(found[agent, False], found[agent, True]) for agent in settings.agents]
    return {"measures": bars_of_measures(pairs), **{pair[0].agent: bars_by_environment(pair) for pair in pairs}}
