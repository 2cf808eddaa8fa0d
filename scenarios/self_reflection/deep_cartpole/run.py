"""``deep-cartpole``: DQN, PPO and their reality checks on CartPole under three handicaps."""

from collections.abc import Sequence
from dataclasses import dataclass

from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.environment import ExtendedEnvironment
from extenv.reality_checks import reality_check
from multislot.engine.agent import AgentFactory
from scenarios.lab.table import Measured
from scenarios.self_reflection.deep_cartpole.settings import Settings
from scenarios.self_reflection.handicapped_cartpole.run import balanced, cartpole, summary
from scenarios.self_reflection.measuring import trained_by, trainer_of, unchecked

AGENTS = ("DQN", "RC(DQN)", "PPO", "RC(PPO)")
HANDICAPS = ("IgnoreRewards", "IncentivizeLearningRate", "half the rate")

Result = dict[str, object]
Results = Sequence[tuple["Cell", Result]]


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
    """Return a cell for every agent, handicap and seed."""
    return [
        Cell(agent, by, settings.steps, settings.bins, seed, trainer_of(agent))
        for by in HANDICAPS
        for agent in AGENTS
        for seed in range(1, settings.seeds + 1)
    ]


def handicapping(by: str) -> ExtendedEnvironment:
    """Return a handicap by its name here."""
    if by == "IgnoreRewards":
        return IgnoreRewards()
    return IncentivizeLearningRate("half" if by == "half the rate" else 1.0)


def factory_of(agent: str) -> AgentFactory:
    """Return the factory of a deep agent that trains as Stable-Baselines3 does, or of its reality check."""
    from multislot import agents

    kind: AgentFactory = getattr(agents, unchecked(agent))
    return kind if unchecked(agent) == agent else reality_check(kind)


def run_cell(cell: Cell) -> Result:
    """Return, for each of 20 parts of the run, the reward a step, the share of steps penalised and the falls."""
    environment = cartpole(handicapping(cell.handicap), cell.bins)
    return balanced(environment, factory_of(cell.agent), cell.steps, cell.seed)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return reward a step and share of steps penalised."""
    rows = []
    for by in HANDICAPS:
        for agent in AGENTS:
            condition = f"{agent}, handicap {by}, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
            for quantity, key in (("reward a step", "reward"), ("share of steps penalised", "penalised")):
                series = by_agent(results, by, agent, key)
                rows.append(Measured(quantity, condition + trained_by(agent), *summary(series)))
    return rows


def by_agent(results: Results, by: str, agent: str, key: str) -> list[list[float]]:
    """Return one series of 20 numbers a seed."""
    return [
        [float(number) for number in result[key]]  # type: ignore[attr-defined]  # lists, as read back from JSON
        for cell, result in results
        if (cell.handicap, cell.agent) == (by, agent)
    ]


def story(settings: Settings, results: Results) -> str:
    """Return what the reality checks gain."""
    lines = []
    for by in HANDICAPS:
        for agent in ("DQN", "PPO"):
            plain, checked = (summary(by_agent(results, by, a, "reward"))[0] for a in (agent, f"RC({agent})"))
            lines.append(f"Under {by} {agent} earns {plain:.3f} a step, its reality check {checked:.3f}.")
    return "\n".join(lines)
