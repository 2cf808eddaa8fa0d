"""``tempting-button``: reward per step in Example 4 of Alexander et al. 2021 (Table 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, pstdev

from extenv.battery import make
from extenv.environment import play
from extenv.measure import standard_error
from extenv.running import stored_streams
from multislot.agent import AgentFactory
from multislot.agents.tabular import ConstantAgent
from scenarios.self_reflection.measuring import agent_factory
from scenarios.self_reflection.tempting_button.settings import Settings
from scenarios.table import Measured

BLOCKS = 20
FIXED: dict[str, AgentFactory] = {
    "always push": partial(ConstantAgent, action=0),
    "never push": partial(ConstantAgent, action=1),
}
Result = dict[str, object]
Results = Sequence[tuple["Cell", Result]]


@dataclass(frozen=True)
class Cell:
    """One agent with one seed."""

    agent: str
    steps: int
    seed: int


def cells(settings: Settings) -> list[Cell]:
    """The fixed policies and every agent with every seed."""
    return [
        Cell(agent, settings.steps, seed)
        for agent in (*FIXED, *settings.agents)
        for seed in range(1, settings.seeds + 1)
    ]


def run_cell(cell: Cell) -> Result:
    """Return total rewards of 20 parts of the run."""
    factory = FIXED.get(cell.agent) or agent_factory(cell.agent)
    environment, (agent_stream, stream) = make("TemptingButton"), stored_streams(cell.seed)
    observation = environment.begin(factory, agent_stream, stream)
    agent = factory(environment.n_observations, environment.n_actions, agent_stream)
    parts = []
    for part in range(BLOCKS):
        steps = cell.steps * (part + 1) // BLOCKS - cell.steps * part // BLOCKS
        total, observation = play(environment, agent, observation, environment.n_actions, steps, False)
        parts.append(total)
    return {"totals": parts}


def by_agent(results: Results, agent: str) -> list[list[float]]:
    """Return the totals of the 20 parts, one list a seed."""
    return [result["totals"] for cell, result in results if cell.agent == agent]  # type: ignore[misc]  # from JSON


def table(settings: Settings, results: Results) -> list[Measured]:
    """Reward per step with its true standard error, and the paper's ±."""
    rows = []
    for agent in (*FIXED, *settings.agents):
        rewards = [sum(parts) / settings.steps for parts in by_agent(results, agent)]
        condition = f"{agent}, {settings.steps} steps, {settings.seeds} seeds"
        error = standard_error(rewards) if settings.seeds > 1 else 0.0
        rows.append(Measured("reward a step", condition, fmean(rewards), error))
        if agent not in FIXED:
            rows.append(
                Measured("the paper's ± (deviation / number of seeds)", condition, pstdev(rewards) / settings.seeds)
            )
    return rows
