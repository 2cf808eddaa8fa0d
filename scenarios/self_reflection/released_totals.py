"""Do DQN, A2C, PPO and their reality checks earn what the authors' released runs earned, to the last digit?

Alexander et al. 2021, Table 2, cell by cell: total reward over 100,000 steps in a few environments and their opposites,
next to the totals that the authors released. The one-hot trainer draws the random numbers of those runs, so totals of
A2C and DQN are equal where rounding decides nothing, as in these environments. PPO makes 320 updates a lot, in which
rounding grows; its totals are compared within 0.02 a step. `self-reflection --full` compares all cells.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from extenv.measuring.measurement import PUBLISHED_STEPS
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row
from scenarios.self_reflection.measuring import (
    DEEP,
    OPPOSITE,
    AgentNames,
    EnvironmentNames,
    agent_factory,
    label,
    totals,
    trained_by,
    trainer_of,
)
from scenarios.self_reflection.released import SOURCE, totals_as_released

STEADY = ("FalseMemories", "PunishNondeterministicAgent", "ThirdActionForbidden", "DelayedRewards")
"""Environments in which rounding decides nothing for A2C and DQN."""


@dataclass(frozen=True)
class Settings:
    """Which agents, in which environments, how often."""

    agents: AgentNames = DEEP
    environments: EnvironmentNames = STEADY
    seeds: Annotated[int, Field(ge=1, le=5, description="runs that were released, seeds 1 … n")] = 1


QUICK = Settings(environments=STEADY[:3:2])
FULL = Settings(seeds=5)


WITHIN = {"PPO": 0.02 * PUBLISHED_STEPS}
"""How far a total may be off for agents in whom rounding grows."""


@dataclass(frozen=True)
class Cell:
    """One agent, or its reality check, in one environment and its opposite, with one seed and trainer."""

    agent: str
    checked: bool
    environment: str
    seed: int
    trainer: str


def cells(settings: Settings) -> list[Cell]:
    """Every agent and reality check in every environment with every seed."""
    return [
        Cell(agent, checked, environment, seed, trainer_of(agent))
        for agent in settings.agents
        for checked in (False, True)
        for environment in settings.environments
        for seed in range(1, settings.seeds + 1)
    ]


def run_cell(cell: Cell) -> Result:
    """The total rewards in the environment and its opposite."""
    factory = agent_factory(cell.agent, cell.checked)
    return dict(totals(factory, (cell.environment,), PUBLISHED_STEPS, cell.seed, cell.agent))


def table(settings: Settings, results: Results) -> list[Row]:
    """Every total next to the released one."""
    return [total_row(cell, name, total) for cell, result in results for name, total in result.items()]


def total_row(cell: Cell, name: str, total: object) -> Row:
    """The row of one run; what was not released is only measured."""
    released = totals_as_released().get(
        (label(cell.agent, cell.checked), cell.environment, name.startswith(OPPOSITE)), {}
    )
    condition = f"{label(cell.agent, cell.checked)}, {name}, seed {cell.seed}{trained_by(cell.agent)}"
    ours = float(total)  # type: ignore[arg-type]  # from JSON
    row = Row("total reward over 100000 steps", condition, ours)
    if cell.seed not in released:
        return row
    within = WITHIN.get(cell.agent, 0.0)
    return Row(row.quantity, condition, ours, 0.0, released[cell.seed], within, kind="published", source=SOURCE)


def story(settings: Settings, results: Results) -> str:
    """How many totals are the released ones."""
    rows = [row for row in table(settings, results) if row.paper is not None]
    same = sum(row.ours == row.paper for row in rows)
    return f"{same} of {len(rows)} totals are the released ones to the last digit."
