"""A parent and a baby who are the same: nutrition and mood over time.

The agent feeds or does not feed a baby, which is a copy of the agent that laughs or cries (Alexander et al. 2021,
Example 8). The parent is paid when the baby laughs, the baby while its nutrition is within bounds. The environment does
not tie the baby's sounds to its nutrition.
"""

from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from pydantic import Field

from extenv.catalogue.other_roles import CryingBaby
from multislot.drawing.showing import new_figure
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Figures, Result, Results, collect, select
from scenarios.lab.table import Row
from scenarios.self_reflection.measuring import AgentCell, AgentNames, agent_cells, agent_factory, live


@dataclass(frozen=True)
class Settings:
    """Who is parent and baby, how long, how often, and how much of it is drawn."""

    agents: AgentNames = ("Constant", "Simple", "Naive", "Q")
    steps: Annotated[int, Field(ge=1, description="turns a run")] = 10_000
    shown: Annotated[int, Field(ge=1, le=2000, description="turns drawn")] = 200
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=2_000, seeds=2)
FULL = Settings(steps=100_000)


LOW, HIGH = 2, 8
MOST_SHOWN = 2000
QUANTITIES = ("laughing", "fed", "well nourished")
MORAL = (
    "In this environment a laugh has nothing to do with being well fed. Agents that always feed and always laugh\n"
    "are paid for the mood and not for the meal, and the learners do little better."
)


def cells(settings: Settings) -> list[AgentCell]:
    return agent_cells(settings.agents, settings.steps, settings.seeds)


def run_cell(cell: AgentCell) -> Result:
    """Shares of turns, and nutrition and mood (1 laughing) of the first turns."""
    environment = CryingBaby()
    nutrition, mood, fed = [], [], []
    for step in live(environment, agent_factory(cell.agent), cell.seed, cell.steps):
        nutrition.append(int(environment.nutrition))
        mood.append(int(step.reward > 0))
        fed.append(int(step.action == 0))
    return {
        "laughing": fmean(mood),
        "fed": fmean(fed),
        "well nourished": fmean(LOW < food < HIGH for food in nutrition),
        "nutrition": nutrition[:MOST_SHOWN],
        "mood": mood[:MOST_SHOWN],
    }


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for agent in settings.agents:
        condition = f"{agent}, {settings.steps} turns, {settings.seeds} seeds"
        for quantity in QUANTITIES:
            shares = mean_and_error(collect(results, quantity, agent=agent))
            paper = overfed(settings.steps)[quantity] if agent == "Constant" else None
            rows.append(Row(f"share of turns {quantity}", condition, *shares, paper, 1e-9))
    return rows


def overfed(steps: int) -> dict[str, float]:
    """The shares of a parent and a baby that always take action 0: it is always fed and always laughs.

    Nutrition begins at 5 and rises by 1 a turn to 9, so it is between 3 and 7 for two turns.
    """
    return {"laughing": 1.0, "fed": 1.0, "well nourished": min(2, steps) / steps}


def figures(settings: Settings, results: Results) -> Figures:
    first = {agent: select(results, agent=agent, seed=1)[0] for agent in settings.agents}
    figure = new_figure(8.0, 1.5 * len(first) + 0.8)
    panels = figure.subplots(len(first), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (agent, result) in zip(panels, first.items(), strict=True):
        nutrition = result["nutrition"][: settings.shown]
        mood = result["mood"][: settings.shown]
        turns = range(1, len(nutrition) + 1)
        axes.fill_between(turns, 0, 9, where=[m == 0 for m in mood], step="mid", alpha=0.25, label="crying")
        axes.step(turns, nutrition, where="mid", color="black", linewidth=1.0, label="nutrition")
        axes.axhline(LOW, color="0.4", linewidth=0.8, linestyle=":")
        axes.axhline(HIGH, color="0.4", linewidth=0.8, linestyle=":")
        axes.set(ylim=(-0.3, 9.3), ylabel=f"{agent}:\nnutrition")
    panels[-1].set_xlabel(f"turn of seed 1 of {settings.seeds}; dotted: the baby is content between {LOW} and {HIGH}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return {"crying-baby": figure}
