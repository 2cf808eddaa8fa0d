"""Do DQN, A2C and PPO earn here what they earned in the runs that the authors of the paper released?

Alexander et al. 2021, Table 2, run by run: total reward over 100,000 steps in a few environments and their opposites,
next to the totals that the authors released. The one-hot trainer draws the random numbers of those runs, so DQN's
totals are equal to the last digit where rounding decides nothing, as in these environments. A2C and PPO begin with
weights that are the same on every machine, and the released runs began with torch's. So their totals are compared
within 0.02 a step. A random agent in their place is the control: some of its totals must be farther off. With
``initial_weights="torch"`` A2C's are equal, too. `self-reflection --full` counts the equal totals of
the whole battery.
"""

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from extenv.measuring.measurement import PUBLISHED_STEPS
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row, caught_row
from scenarios.self_reflection import measuring
from scenarios.self_reflection.released import SOURCE, totals_as_released

STEADY = ("FalseMemories", "PunishNondeterministicAgent", "ThirdActionForbidden", "DelayedRewards")
"""Environments in which rounding decides nothing for DQN and A2C."""


@dataclass(frozen=True)
class Settings:
    """Which agents, in which environments, how often."""

    agents: measuring.AgentNames = tuple(measuring.DEEP)
    environments: measuring.EnvironmentNames = STEADY
    seeds: Annotated[int, Field(ge=1, le=5, description="runs that were released, seeds 1 … n")] = 1


QUICK = Settings(environments=STEADY[:3:2])
FULL = Settings(seeds=5)


WITHIN = dict.fromkeys(("A2C", "PPO"), 0.02 * PUBLISHED_STEPS)
"""How far a total may be off for agents that begin with other weights than the released ones."""
BASELINE = "Random"


MORAL = (
    "The runs that the authors released can be repeated to the last digit. Our repetition of a released run may\n"
    "differ from it only where two actions' values differ by a rounding error."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    names = dict.fromkeys([*measuring.with_checks(settings.agents), BASELINE])
    cells = measuring.agent_cells(names, PUBLISHED_STEPS, settings.seeds, environments=settings.environments)
    return [replace(cell, environments=(name,)) for cell in cells for name in cell.environments]


def run_cell(cell: measuring.AgentCell) -> Result:
    return cell.totals()


def table(settings: Settings, results: Results) -> list[Row]:
    asked = measuring.with_checks(settings.agents)
    totals = [
        (cell, name, opposite, total)
        for cell, result in results
        for name, both in result.items()
        for opposite, total in zip((False, True), both, strict=True)
    ]
    drawn = {(cell.seed, name, opposite): total for cell, name, opposite, total in totals if cell.agent == BASELINE}
    controls = []
    for agent in asked:
        instead = [total_row(c, name, o, drawn[c.seed, name, o]) for c, name, o, _ in totals if c.agent == agent]
        compared = [row.agrees for row in instead if row.agrees is not None]
        if compared:
            condition = f"in place of {agent}, {len(compared)} totals, {sum(compared)} of them within the tolerance"
            controls.append(caught_row("control: a random agent's totals", condition, not all(compared), SOURCE))
    return [*(total_row(*total) for total in totals if total[0].agent in asked), *controls]


def total_row(cell: measuring.AgentCell, name: str, opposite: bool, total: float) -> Row:
    """The row of one run; what was not released is only measured."""
    released = totals_as_released().get((cell.agent, name, opposite), {})
    where = f"{measuring.OPPOSITE if opposite else ''}{name}"
    condition = f"{cell.agent}, {where}, seed {cell.seed}{measuring.trained_by(cell.agent)}"
    row = Row("total reward over 100000 steps", condition, total)
    if cell.seed not in released:
        return row
    within = WITHIN.get(measuring.strip_check(cell.agent), 0.0)
    return replace(row, paper=released[cell.seed], tolerance=within, kind="published", source=SOURCE)


def story(settings: Settings, results: Results) -> str:
    rows = [row for row in table(settings, results) if row.kind == "published"]
    same = sum(row.ours == row.paper for row in rows)
    return f"{same} of {len(rows)} totals are the released ones to the last digit."
