"""``handicapped-cartpole``: five agents on CartPole, under no handicap and under two.

Expected: an agent that ignores rewards does what its unrewarded copy does, so under IgnoreRewards it keeps CartPole's
own reward of 1 at every step (Alexander et al. 2021, Example 3; Alexander 2022, Def. 4). Without a handicap the reality
check changes nothing (Alexander et al. 2021, Proposition 13, part 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from extenv.battery import make
from extenv.compose import Bins, Handicapped, handicap
from extenv.environment import ExtendedEnvironment
from extenv.reality_checks import reality_check
from extenv.running import stored_streams
from multislot.agent import AgentFactory
from multislot.agents.tabular import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from multislot.statistics import mean_and_error
from scenarios.self_reflection.handicapped_cartpole.settings import Settings
from scenarios.table import Measured

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
        """There is nothing to begin."""
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
    """Every agent under every handicap with every seed."""
    return [
        Cell(agent, by, settings.steps, settings.bins, seed)
        for by in HANDICAPS
        for agent in AGENTS
        for seed in range(1, settings.seeds + 1)
    ]


def cartpole(by: str, bins: int) -> Handicapped:
    """Return the handicapped CartPole, of which the agent sees the pole's angle and angular velocity in bins."""
    seen = Bins(low=(-2.4, -3.0, -0.21, -3.0), high=(2.4, 3.0, 0.21, 3.0), counts=(1, 1, bins, bins))
    return handicap("CartPole-v1", Approval() if by == NONE else make(by), encoder=seen)


def run_cell(cell: Cell) -> Result:
    """Return, for each of 20 parts of the run, the reward a step, the share of steps penalised and the falls."""
    environment = cartpole(cell.handicap, cell.bins)
    agent_stream, stream = stored_streams(cell.seed)
    observation = environment.begin(AGENTS[cell.agent], agent_stream, stream)
    agent = AGENTS[cell.agent](environment.n_observations, environment.n_actions, agent_stream)
    rewards, falls = [], []
    for _ in range(cell.steps):
        action, episode = agent.act(observation), environment.episode
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        rewards.append(reward)
        falls.append(environment.episode > episode)
        observation = following
    parts = [slice(cell.steps * part // BLOCKS, cell.steps * (part + 1) // BLOCKS) for part in range(BLOCKS)]
    return {
        "reward": [mean(rewards[part]) for part in parts],
        "penalised": [mean(reward < 0 for reward in rewards[part]) for part in parts],
        "steps an episode": [len(rewards[part]) / max(sum(falls[part]), 1) for part in parts],
    }


def by_agent(results: Results, by: str, agent: str, key: str) -> list[list[float]]:
    """Return one series of 20 numbers a seed."""
    return [
        [float(number) for number in result[key]]  # type: ignore[attr-defined]  # lists, as read back from JSON
        for cell, result in results
        if (cell.handicap, cell.agent) == (by, agent)
    ]


def summary(series: list[list[float]], first: int = 0) -> tuple[float, float]:
    """Return mean and standard error over seeds of the mean from part `first` on."""
    means = [mean(numbers[first:]) for numbers in series]
    return mean(means), mean_and_error(means)[1]


def table(settings: Settings, results: Results) -> list[Measured]:
    """Reward a step, share of steps penalised, and how long the pole stands in the last quarter of the run."""
    rows = []
    for by in HANDICAPS:
        for agent in AGENTS:
            condition = f"{agent}, handicap {by}, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
            certain = 1 if by == NONE or (by == "IgnoreRewards" and agent in UNMOVED) else None
            for quantity, key, first, paper in (
                ("reward a step", "reward", 0, certain),
                ("share of steps penalised", "penalised", 0, None if certain is None else 0),
                ("steps an episode, last quarter", "steps an episode", BLOCKS * 3 // 4, None),
            ):
                ours, uncertainty = summary(by_agent(results, by, agent, key), first)
                rows.append(Measured(quantity, condition, ours, uncertainty, paper))
    return [*rows, unchecked(settings, results)]


def unchecked(settings: Settings, results: Results) -> Measured:
    """Without a handicap nobody looks at the agent, and the reality check changes nothing (Proposition 13, part 4)."""
    plain, checked = (by_agent(results, NONE, agent, "steps an episode") for agent in ("Q", "RC(Q)"))
    condition = f"handicap none, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
    difference = summary(checked)[0] - summary(plain)[0]
    return Measured("steps an episode, RC(Q) less Q", condition, difference, paper=0)


def story(settings: Settings, results: Results) -> str:
    """What the reality check gains."""
    lines = []
    for by in HANDICAPS[1:]:
        plain, checked = (summary(by_agent(results, by, agent, "reward"))[0] for agent in ("Q", "RC(Q)"))
        lines.append(f"Under {by} the Q-learner earns {plain:.3f} a step, its reality check {checked:.3f}.")
    return "\n".join(lines)
