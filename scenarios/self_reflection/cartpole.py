"""CartPole with two joysticks and a handicap, and what is measured of an agent that balances."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Annotated

from pydantic import Field

from extenv.composing.compose import Bins, handicap
from extenv.environment import ExtendedEnvironment
from multislot.engine.agent import AgentFactory
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Result, Results, collect
from scenarios.lab.table import Row
from scenarios.self_reflection.measuring import live, parts_of, trained_by, trainer_of

BLOCKS = 20


@dataclass(frozen=True)
class CartPoleSettings:
    """How long, how finely the cart is seen, and how often it is repeated."""

    steps: Annotated[int, Field(ge=100, description="steps a run")] = 10_000
    bins: Annotated[int, Field(ge=1, le=20, description="bins of the pole's angle and of its angular velocity")] = 6
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 3


@dataclass(frozen=True)
class Cell:
    """One agent under one handicap, with one seed and trainer."""

    agent: str
    handicap: str
    steps: int
    bins: int
    seed: int
    trainer: str = ""


def balancing_cells(agents: Iterable[str], handicaps: Sequence[str], settings: CartPoleSettings) -> list[Cell]:
    return [
        Cell(agent, by, settings.steps, settings.bins, seed, trainer_of(agent))
        for by in handicaps
        for agent in agents
        for seed in range(1, settings.seeds + 1)
    ]


def balance(cell: Cell, by: ExtendedEnvironment, factory: AgentFactory) -> Result:
    """Let an agent balance, and measure each of 20 parts of the run: reward a step, share of steps penalized, falls.

    The agent sees the pole's angle and angular velocity in bins.
    """
    counts = (1, 1, cell.bins, cell.bins)
    seen = Bins(low=(-2.4, -3.0, -0.21, -3.0), high=(2.4, 3.0, 0.21, 3.0), counts=counts)
    environment = handicap("CartPole-v1", by, encoder=seen)
    rewards, episodes = [], [1]
    for step in live(environment, factory, cell.seed, cell.steps):
        rewards.append(step.reward)
        episodes.append(environment.episode)
    ends = [cell.steps * part // BLOCKS for part in range(BLOCKS + 1)]
    return {
        "reward": parts_of(rewards, BLOCKS),
        "penalized": parts_of([float(reward < 0) for reward in rewards], BLOCKS),
        "falls": [episodes[end] - episodes[start] for start, end in pairwise(ends)],
    }


def summary(results: Results, by: str, agent: str, key: str) -> tuple[float, float]:
    """Mean and standard error over seeds of the mean of all parts of a run."""
    return mean_and_error([mean(parts) for parts in collect(results, key, handicap=by, agent=agent)])


def describe(settings: CartPoleSettings, by: str, agent: str) -> str:
    size = f"{settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
    return f"{agent}, handicap {by}, {size}{trained_by(agent)}"


def reward_rows(results: Results, by: str, agent: str, condition: str, is_certain: bool = False) -> list[Row]:
    """Reward a step, and the share of steps penalized; for an agent that is certain not to be moved, both are known."""
    rewards, penalized = (summary(results, by, agent, key) for key in ("reward", "penalized"))
    return [
        Row("reward a step", condition, *rewards, paper=1 if is_certain else None),
        Row("share of steps penalized", condition, *penalized, paper=0 if is_certain else None),
    ]


def gain_lines(results: Results, handicaps: Iterable[str], agents: Iterable[tuple[str, str]]) -> str:
    """What the reality checks gain under each handicap, for agents by name and in words."""
    lines = []
    for by in handicaps:
        for agent, words in agents:
            plain, checked = (summary(results, by, name, "reward")[0] for name in (agent, f"RC({agent})"))
            lines.append(f"Under {by} {words} earns {plain:.3f} a step, its reality check {checked:.3f}.")
    return "\n".join(lines)
