"""``handicapped-cartpole``: five agents on CartPole, under no handicap and under two.

Expected: an agent that ignores rewards does what its unrewarded copy does, so under IgnoreRewards it keeps CartPole's
own reward of 1 at every step (Alexander et al. 2021, Example 3; Alexander 2022, Def. 4). Without a handicap the reality
check changes nothing (Alexander et al. 2021, Proposition 13, part 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np

from extenv.battery import make
from extenv.composing.compose import Bins, Handicapped, handicap
from extenv.environment import ExtendedEnvironment
from extenv.reality_checks import reality_check
from multislot.agents.tabular import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from multislot.engine.agent import AgentFactory, FloatArray
from multislot.statistics import mean_and_error
from scenarios.lab.table import Measured
from scenarios.self_reflection.handicapped_cartpole.settings import Settings
from scenarios.self_reflection.measuring import begun

BLOCKS = 20
NONE = "none"
HANDICAPS = (NONE, "IgnoreRewards", "IncentivizeLearningRate")
AGENTS: dict[str, AgentFactory] = {
    "Random": RandomAgent,
    "Constant": ConstantAgent,
    "Simple": SimpleLearner,
    "Q": QLearner,
    "RC(Q)": reality_check(QLearner),
}
UNMOVED = ("Random", "Constant", "Simple")
"""Agents that rewards ≥ 0 do not move: never punished, the simple learner stays with its first action."""

Result = dict[str, object]
Results = Sequence[tuple["Cell", Result]]


class Approval(ExtendedEnvironment):
    """No handicap: two actions of which it approves, always."""

    def start(self) -> int:
        """Return the only observation."""
        return 0

    def step(self, action: int) -> tuple[float, int]:
        """Pay 1."""
        return 1.0, 0


@dataclass(frozen=True)
class Cell:
    """One agent under one handicap, with one seed."""

    agent: str
    handicap: str
    steps: int
    bins: int
    seed: int


def cells(settings: Settings) -> list[Cell]:
    """Return a cell for every agent, handicap and seed."""
    return [
        Cell(agent, by, settings.steps, settings.bins, seed)
        for by in HANDICAPS
        for agent in AGENTS
        for seed in range(1, settings.seeds + 1)
    ]


def cartpole(by: ExtendedEnvironment, bins: int) -> Handicapped:
    """Return the handicapped CartPole, of which the agent sees the pole's angle and angular velocity in bins."""
    seen = Bins(low=(-2.4, -3.0, -0.21, -3.0), high=(2.4, 3.0, 0.21, 3.0), counts=(1, 1, bins, bins))
    return handicap("CartPole-v1", by, encoder=seen)


def run_cell(cell: Cell) -> Result:
    """Return, for each of 20 parts of the run, the reward a step, the share of steps penalised and the falls."""
    by = Approval() if cell.handicap == NONE else make(cell.handicap)
    return balanced(cartpole(by, cell.bins), AGENTS[cell.agent], cell.steps, cell.seed)


def balanced(environment: Handicapped, factory: AgentFactory, steps: int, seed: int) -> Result:
    """Let an agent balance; return what `run_cell` does."""
    agent, observation = begun(environment, factory, seed)
    rewards, falls = [], []
    for _ in range(steps):
        action, episode = agent.act(observation), environment.episode
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        rewards.append(reward)
        falls.append(environment.episode > episode)
        observation = following
    parts = [slice(steps * part // BLOCKS, steps * (part + 1) // BLOCKS) for part in range(BLOCKS)]
    return {
        "reward": [mean(rewards[part]) for part in parts],
        "penalised": [mean(reward < 0 for reward in rewards[part]) for part in parts],
        "falls": [sum(falls[part]) for part in parts],
    }


def by_agent(results: Results, by: str, agent: str, key: str) -> list[list[float]]:
    """Return one series of 20 numbers a seed."""
    return [
        [float(number) for number in result[key]]  # type: ignore[attr-defined]  # lists, as read back from JSON
        for cell, result in results
        if (cell.handicap, cell.agent) == (by, agent)
    ]


def summary(series: list[list[float]]) -> tuple[float, float]:
    """Return mean and standard error over seeds of the mean of a series."""
    return mean_and_error([mean(numbers) for numbers in series])


def steps_an_episode(settings: Settings, results: Results, by: str, agent: str, parts: int) -> FloatArray:
    """Return the mean length of an episode in so many parts of the run, shape [seeds, parts]; no fall counts as one."""
    falls = np.array(by_agent(results, by, agent, "falls")).reshape(-1, parts, BLOCKS // parts).sum(axis=2)
    lengths: FloatArray = settings.steps / parts / np.maximum(falls, 1)
    return lengths


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return reward a step, share of steps penalised, and how long the pole stands in the last quarter of the run."""
    rows = []
    for by in HANDICAPS:
        for agent in AGENTS:
            condition = f"{agent}, handicap {by}, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
            certain = 1 if by == NONE or (by == "IgnoreRewards" and agent in UNMOVED) else None
            lengths = steps_an_episode(settings, results, by, agent, 4)[:, -1]
            rows += [
                Measured("reward a step", condition, *summary(by_agent(results, by, agent, "reward")), paper=certain),
                Measured(
                    "share of steps penalised",
                    condition,
                    *summary(by_agent(results, by, agent, "penalised")),
                    paper=None if certain is None else 0,
                ),
                Measured("steps an episode, last quarter", condition, *mean_and_error(lengths)),
            ]
    return [*rows, unchecked(settings, results)]


def unchecked(settings: Settings, results: Results) -> Measured:
    """Return what the reality check changes without a handicap: nothing, nobody looks at the agent (Prop. 13, 4)."""
    plain, checked = (steps_an_episode(settings, results, NONE, agent, 4).mean() for agent in ("Q", "RC(Q)"))
    condition = f"handicap none, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
    return Measured("steps an episode, RC(Q) less Q", condition, float(checked - plain), paper=0)


def story(settings: Settings, results: Results) -> str:
    """Return what the reality check gains."""
    lines = []
    for by in HANDICAPS[1:]:
        plain, checked = (summary(by_agent(results, by, agent, "reward"))[0] for agent in ("Q", "RC(Q)"))
        lines.append(f"Under {by} the Q-learner earns {plain:.3f} a step, its reality check {checked:.3f}.")
    return "\n".join(lines)
