"""The pictures of the three doors in README: a decision map, and one panel of two scenarios at their quick settings."""

from functools import partial
from importlib.resources import files

from gallery import keep_one_panel
from matplotlib.figure import Figure

from multislot.exact import decision_map
from multislot.exact.futures import shown_values
from scenarios.lab import registry


def draw_story() -> Figure:
    """Draw the map that README's command draws: the story that ``multislot new`` writes."""
    story, values = files("scenarios.lab") / "new_world.toml", (*shown_values(), "caring=1", "caring=0")
    axes = decision_map(str(story), x="pay_away", y="pay_home", values=values).plot(here=(3, 1))
    axes.set(xlabel="pay_away: pay of each step of the copy", ylabel="pay_home: pay of each step at home")
    axes.set_title("○: the numbers of the story", fontsize="medium")
    figure: Figure = axes.figure
    return figure


def draw_scenario(name: str) -> Figure:
    """Draw the first panel of a scenario at its quick settings."""
    scenario = registry.find(name)
    settings = scenario.settings(preset="QUICK")
    results = [(cell, scenario.run_cell(cell)) for cell in scenario.cells(settings)]
    return keep_one_panel(next(iter(scenario.figures(settings, results).values())))


PICTURES = {
    "door_story": draw_story,
    "door_agents": partial(draw_scenario, "self-reflection"),
    "door_safety": partial(draw_scenario, "conservative-vs-standard"),
}
