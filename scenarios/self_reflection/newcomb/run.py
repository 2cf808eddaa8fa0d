"""``newcomb``: what fixed policies and learners get in Example 7 of Alexander et al. 2021.

Money is paid in millions to learners, whose step sizes and networks are made for rewards of about 1; the table is in
units of money.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from extenv.battery import make
from extenv.measure import standard_error
from extenv.running import stored_streams
from multislot.agent import AgentFactory
from multislot.agents.tabular import ConstantAgent
from scenarios.self_reflection.measuring import agent_factory
from scenarios.self_reflection.newcomb.settings import Settings
from scenarios.table import Measured

BLOCKS = 50
LAST = BLOCKS // 2
MILLION = 1_000_000
FIXED: dict[str, AgentFactory] = {
    "always one box": partial(ConstantAgent, action=0),
    "always both boxes": partial(ConstantAgent, action=1),
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
    """The two fixed policies, and every learner with every seed."""
    fixed = [Cell(agent, settings.steps, 1) for agent in FIXED]
    return [*fixed, *(Cell(a, settings.steps, seed) for a in settings.agents for seed in range(1, settings.seeds + 1))]


def run_cell(cell: Cell) -> Result:
    """Return, for each of 50 parts of the run, money a turn and the share of turns on which one box is taken."""
    checked = cell.agent.startswith("RC(")
    name = cell.agent.removeprefix("RC(").removesuffix(")") if checked else cell.agent
    factory = FIXED.get(cell.agent) or agent_factory(name, checked, "first")
    environment = make("NewcombEnvironment" if cell.agent in FIXED else "NormalisedNewcombEnvironment")
    unit = 1 if cell.agent in FIXED else MILLION
    agent_stream, stream = stored_streams(cell.seed)
    observation = environment.begin(factory, agent_stream, stream)
    agent = factory(environment.n_observations, environment.n_actions, agent_stream)
    money, one_box = [], []
    for _ in range(cell.steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        observation = following
        money.append(round(reward * unit))
        one_box.append(action == 0)
    parts = [slice(cell.steps * part // BLOCKS, cell.steps * (part + 1) // BLOCKS) for part in range(BLOCKS)]
    return {"money": [fmean(money[part]) for part in parts], "one box": [fmean(one_box[part]) for part in parts]}


def by_agent(results: Results, agent: str, key: str) -> list[list[float]]:
    """Return one series of 50 numbers a seed."""
    return [result[key] for cell, result in results if cell.agent == agent]  # type: ignore[misc]  # from JSON


def table(settings: Settings, results: Results) -> list[Measured]:
    """Money a turn of the fixed policies; money and one-boxing of the learners in the second half of the run."""
    rows = [Measured("money a turn", agent, fmean(by_agent(results, agent, "money")[0])) for agent in FIXED]
    for agent in settings.agents:
        condition = f"{agent}, second half of {settings.steps} turns, {settings.seeds} seeds"
        for quantity, key in (("money a turn", "money"), ("share of turns with one box", "one box")):
            means = [fmean(series[LAST:]) for series in by_agent(results, agent, key)]
            rows.append(Measured(quantity, condition, fmean(means), standard_error(means) if len(means) > 1 else 0.0))
    return rows
