"""What do tabular agents earn in the first 300 steps of every environment of the battery?

The environments are those of Alexander et al. 2021; two slow ones and Newcomb's are among them. The expected numbers
were made by the code whose totals after 100,000 steps are the authors' released ones to the last digit (Random,
Constant and Q). With them a change of any environment is quickly noticed.

None of these agents notices whether DelayedRewards pays out the rewards that it held back. An agent that acts by the
sum of its rewards does, and its total follows by hand: in that environment the copy's sum lacks a reward after every
second turn, where the agent is paid −1.
"""

from dataclasses import dataclass
from typing import Any

from extenv.battery import BATTERY
from multislot.agents.tabular import ConstantAgent, NaiveLearner, QLearner, SimpleLearner
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.stream import Stream
from scenarios.lab.cells import Results
from scenarios.lab.table import Row
from scenarios.self_reflection.measuring import agent_factory, both_totals

STEPS, SEED = 300, 1


class SumAgent(Agent):
    """Acts 0 where the sum of its rewards is even and 1 where it is odd."""

    def __init__(self, n_observations: int, n_actions: int, stream: Stream, **overrides: Any) -> None:
        self.total = 0

    def act(self, observation: int) -> int:
        return self.total % 2

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        self.total += int(reward)


FACTORIES: dict[str, AgentFactory] = {
    "always 0": ConstantAgent,
    "Q": QLearner,
    "Simple": SimpleLearner,
    "Naive": NaiveLearner,
    "RC(Q)": agent_factory("RC(Q)", "first"),
    "RC(Q), published": agent_factory("RC(Q)", "published"),
}
BY_SUM = "acts by the sum of its rewards"
NAMES = (*BATTERY, "ReverseHistory", "DejaVu", "SelfRecognitionAsReleased", "NewcombEnvironment")


@dataclass(frozen=True)
class Settings:
    """Nothing can be set."""


QUICK = FULL = Settings()
MORAL = "A change of the rules of an environment shows in its total rewards after a few steps."


@dataclass(frozen=True)
class Cell:
    """An environment."""

    environment: str


def cells(settings: Settings) -> list[Cell]:
    return [Cell(name) for name in NAMES]


def run_cell(cell: Cell) -> dict[str, Any]:
    factories = FACTORIES | {BY_SUM: SumAgent} if cell.environment == "DelayedRewards" else FACTORIES
    return {name: both_totals(cell.environment, factory, STEPS, SEED) for name, factory in factories.items()}


def table(settings: Settings, results: Results) -> list[Row]:
    quantity = f"total rewards after {STEPS} steps: {', '.join(FACTORIES)}, each also in the opposite"
    by_sum = next(totals[BY_SUM][0] for _, totals in results if BY_SUM in totals)
    source = "by hand: +1, +1, then −1 and +1 in turn"
    return [Row(f"total reward after {STEPS} steps: {BY_SUM}", "DelayedRewards", by_sum, paper=2, source=source)] + [
        Row(quantity, cell.environment, " ".join(f"{total:g}" for name in FACTORIES for total in totals[name]))
        for cell, totals in results
    ]
