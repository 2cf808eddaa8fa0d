"""CartPole with two joysticks for DQN, PPO and their reality checks: who balances without being swayed?

The experiment that the authors of Alexander et al. 2021 released beside their library: both joysticks move the cart
alike, and the agent is penalized for using another one than a copy would that lived without rewards (IgnoreRewards),
with learning rate 1, or with half of the agent's own rate. They printed no numbers, so nothing is compared.

It departs from theirs in what the agent sees. There the network is given four real numbers; here the pole's angle and
angular velocity in bins, one-hot, so that the one-hot trainer serves. Both algorithms train as Stable-Baselines3 does.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.environment import ExtendedEnvironment
from extenv.reality_checks import reality_check
from multislot.engine.agent import AgentFactory
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row
from scenarios.self_reflection.cartpole import balanced, by_agent, make_cartpole, summary
from scenarios.self_reflection.measuring import trained_by, trainer_of, unchecked


@dataclass(frozen=True)
class Settings:
    """How long, how finely the cart is seen, and how often it is repeated."""

    steps: Annotated[int, Field(ge=100, description="steps a run")] = 50_000
    bins: Annotated[int, Field(ge=1, le=20, description="bins of the pole's angle and of its angular velocity")] = 6
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 3


QUICK = Settings(steps=3_000, seeds=1)
FULL = Settings(steps=200_000, seeds=10)


AGENTS = ("DQN", "RC(DQN)", "PPO", "RC(PPO)")
HANDICAPS = ("IgnoreRewards", "IncentivizeLearningRate", "half the rate")


@dataclass(frozen=True)
class Cell:
    """One agent under one handicap, with one seed and trainer."""

    agent: str
    handicap: str
    steps: int
    bins: int
    seed: int
    trainer: str


def cells(settings: Settings) -> list[Cell]:
    """A cell for every agent, handicap and seed."""
    return [
        Cell(agent, by, settings.steps, settings.bins, seed, trainer_of(agent))
        for by in HANDICAPS
        for agent in AGENTS
        for seed in range(1, settings.seeds + 1)
    ]


def handicapping(by: str) -> ExtendedEnvironment:
    """A handicap by its name here."""
    if by == "IgnoreRewards":
        return IgnoreRewards()
    return IncentivizeLearningRate("half" if by == "half the rate" else 1.0)


def factory_of(agent: str) -> AgentFactory:
    """The factory of a deep agent that trains as Stable-Baselines3 does, or of its reality check."""
    from multislot import agents

    kind: AgentFactory = getattr(agents, unchecked(agent))
    return kind if unchecked(agent) == agent else reality_check(kind)


def run_cell(cell: Cell) -> Result:
    """Return, for each of 20 parts of the run, the reward a step, the share of steps penalized and the falls."""
    environment = make_cartpole(handicapping(cell.handicap), cell.bins)
    return balanced(environment, factory_of(cell.agent), cell.steps, cell.seed)


def table(settings: Settings, results: Results) -> list[Row]:
    """Reward a step and share of steps penalized."""
    rows = []
    for by in HANDICAPS:
        for agent in AGENTS:
            condition = f"{agent}, handicap {by}, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
            for quantity, key in (("reward a step", "reward"), ("share of steps penalized", "penalized")):
                series = by_agent(results, by, agent, key)
                rows.append(Row(quantity, condition + trained_by(agent), *summary(series)))
    return rows


def story(settings: Settings, results: Results) -> str:
    """What the reality checks gain."""
    lines = []
    for by in HANDICAPS:
        for agent in ("DQN", "PPO"):
            plain, checked = (summary(by_agent(results, by, a, "reward"))[0] for a in (agent, f"RC({agent})"))
            lines.append(f"Under {by} {agent} earns {plain:.3f} a step, its reality check {checked:.3f}.")
    return "\n".join(lines)
