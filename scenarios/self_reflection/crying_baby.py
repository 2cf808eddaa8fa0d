"""A parent and a baby who are the same: nutrition and mood over time.

The agent feeds or does not feed a baby, which is a copy of the agent that laughs or cries (Alexander et al. 2021,
Example 8). The parent is paid when the baby laughs, the baby while its nutrition is within bounds; nothing ties the
baby's sounds to its nutrition but what the two come to mean by them.
"""

from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from pydantic import Field

from extenv.catalogue.other_roles import CryingBaby
from multislot.drawing.showing import new_figure
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.table import Row
from scenarios.self_reflection.measuring import AgentNames, agent_factory, begun


@dataclass(frozen=True)
class Settings:
    """Who is parent and baby, how long, how often, and how much of it is drawn."""

    agents: AgentNames = ("Constant", "Simple", "Naive", "Q")
    steps: Annotated[int, Field(ge=1, description="turns a run")] = 10_000
    shown: Annotated[int, Field(ge=1, le=2000, description="turns drawn")] = 200
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=2_000, seeds=2)
FULL = Settings(steps=100_000)


QUANTITIES = ("laughing", "fed", "well nourished")
MORAL = (
    "Nothing ties a laugh to being well fed. Agents that always feed and always laugh are paid for the mood and\n"
    "not for the meal, and the learners here do little better."
)


@dataclass(frozen=True)
class Cell:
    """One agent with one seed."""

    agent: str
    steps: int
    shown: int
    seed: int


def cells(settings: Settings) -> list[Cell]:
    """A cell for every agent and seed."""
    return [
        Cell(agent, settings.steps, settings.shown, seed)
        for agent in settings.agents
        for seed in range(1, settings.seeds + 1)
    ]


def run_cell(cell: Cell) -> Result:
    """Shares of turns, and nutrition and mood (1 laughing) of the first turns."""
    factory = agent_factory(cell.agent)
    environment = CryingBaby()
    parent, observation = begun(environment, factory, cell.seed)
    nutrition, mood, fed = [], [], []
    for _ in range(cell.steps):
        action = parent.act(observation)
        reward, following = environment.step(action)
        parent.learn(observation, action, reward, following)
        observation = following
        nutrition.append(int(environment.nutrition))
        mood.append(int(reward > 0))
        fed.append(int(action == 0))
    return {
        "laughing": fmean(mood),
        "fed": fmean(fed),
        "well nourished": fmean(2 < food < 8 for food in nutrition),
        "nutrition": nutrition[: cell.shown],
        "mood": mood[: cell.shown],
    }


def table(settings: Settings, results: Results) -> list[Row]:
    """The shares of turns by agent."""
    rows = []
    for agent in settings.agents:
        own = [result for cell, result in results if cell.agent == agent]
        condition = f"{agent}, {settings.steps} turns, {settings.seeds} seeds"
        for quantity in QUANTITIES:
            shares = [float(result[quantity]) for result in own]
            paper = overfed(settings.steps)[quantity] if agent == "Constant" else None
            rows.append(
                Row(f"share of turns {quantity}", condition, fmean(shares), mean_and_error(shares)[1], paper, 1e-9)
            )
    return rows


def overfed(steps: int) -> dict[str, float]:
    """The shares of a parent and a baby that always take action 0: it is always fed and always laughs.

    Nutrition begins at 5 and rises by 1 a turn to 9, so it is between 3 and 7 for two turns.
    """
    return {"laughing": 1.0, "fed": 1.0, "well nourished": min(2, steps) / steps}


LOW, HIGH = 2, 8


def figures(settings: Settings, results: Results) -> Figures:
    """One figure."""
    first = [(cell.agent, result) for cell, result in results if cell.seed == 1]
    figure = new_figure(8.0, 1.5 * len(first) + 0.8)
    panels = figure.subplots(len(first), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (agent, result) in zip(panels, first, strict=True):
        nutrition: list[int] = result["nutrition"]
        mood: list[int] = result["mood"]
        turns = range(1, len(nutrition) + 1)
        axes.fill_between(turns, 0, 9, where=[m == 0 for m in mood], step="mid", alpha=0.25, label="crying")
        axes.step(turns, nutrition, where="mid", color="black", linewidth=1.0, label="nutrition")
        axes.axhline(LOW, color="0.4", linewidth=0.8, linestyle=":")
        axes.axhline(HIGH, color="0.4", linewidth=0.8, linestyle=":")
        axes.set_ylim(-0.3, 9.3)
        axes.set_ylabel(f"{agent}:\nnutrition")
    panels[-1].set_xlabel(f"turn of seed 1 of {settings.seeds}; dotted: the baby is content between {LOW} and {HIGH}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return {"crying-baby": figure}
