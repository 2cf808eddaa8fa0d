"""CartPole with two joysticks and a handicap, and what is measured of an agent that balances."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise, product
from statistics import mean
from typing import Annotated

from pydantic import Field

from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.composing.compose import Bins, handicap
from extenv.environment import ExtendedEnvironment
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Result, Results, collect
from scenarios.lab.table import Row
from scenarios.self_reflection import measuring

BLOCKS = 20
NONE = "none"


@dataclass(frozen=True)
class CartPoleSettings:
    """How long, how finely the cart is seen, and how often it is repeated."""

    steps: Annotated[int, Field(ge=100, description="steps a run")] = 10_000
    bins: Annotated[int, Field(ge=1, le=20, description="bins of the pole's angle and of its angular velocity")] = 6
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 3


class Approval(ExtendedEnvironment):
    """No handicap: it always approves of both actions."""

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        return 1.0, 0


HANDICAP_FACTORIES: dict[str, Callable[[], ExtendedEnvironment]] = {
    NONE: Approval,
    "IgnoreRewards": IgnoreRewards,
    "IncentivizeLearningRate": IncentivizeLearningRate,
    "half the rate": partial(IncentivizeLearningRate, "half"),
}
"""Every handicap by name; the learning rate of the copies is 1, or half of the agent's own."""


@dataclass(frozen=True)
class Cell(measuring.AgentCell):
    """One agent under one handicap, with one seed, and the bins in which it sees the cart."""

    bins: int = 6


def cells(settings: CartPoleSettings, agents: Iterable[str], handicaps: Sequence[str]) -> list[Cell]:
    runs = measuring.agent_cells(agents, settings.steps, settings.seeds, handicaps, freeze="first")
    return [Cell(**asdict(run), bins=settings.bins) for run in runs]


def run_cell(cell: Cell) -> Result:
    """Let an agent balance, and measure each of 20 parts of the run: reward a step, share of steps penalized, falls.

    The agent sees the pole's angle and angular velocity in bins. Deep agents train as Stable-Baselines3 does.
    """
    counts = (1, 1, cell.bins, cell.bins)
    seen = Bins(low=(-2.4, -3.0, -0.21, -3.0), high=(2.4, 3.0, 0.21, 3.0), counts=counts)
    environment = handicap("CartPole-v1", HANDICAP_FACTORIES[cell.where](), encoder=seen)
    factory = measuring.agent_factory(cell.agent, cell.freeze, mode="faithful")
    rewards, episodes = [], [1]
    for step in measuring.live(environment, factory, cell.seed, cell.steps):
        rewards.append(step.reward)
        episodes.append(environment.episode)
    ends = [cell.steps * part // BLOCKS for part in range(BLOCKS + 1)]
    return {
        "reward": measuring.parts_of(rewards, BLOCKS),
        "penalized": measuring.parts_of([float(reward < 0) for reward in rewards], BLOCKS),
        "falls": [episodes[end] - episodes[start] for start, end in pairwise(ends)],
    }


def summary(results: Results, by: str, agent: str, key: str) -> tuple[float, float]:
    """Mean and standard error over seeds of the mean of all parts of a run."""
    return mean_and_error([mean(parts) for parts in collect(results, key, where=by, agent=agent)])


def describe(settings: CartPoleSettings, by: str, agent: str) -> str:
    size = f"{settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
    return f"{agent}, handicap {by}, {size}{measuring.trained_by(agent)}"


def reward_rows(results: Results, by: str, agent: str, condition: str, is_certain: bool = False) -> list[Row]:
    """Reward a step and the share of steps penalized; both are known if rewards cannot change what the agent does."""
    rewards, penalized = (summary(results, by, agent, key) for key in ("reward", "penalized"))
    return [
        Row("reward a step", condition, *rewards, paper=1 if is_certain else None),
        Row("share of steps penalized", condition, *penalized, paper=0 if is_certain else None),
    ]


def gain_lines(results: Results, handicaps: Iterable[str], agents: Iterable[str]) -> str:
    """What the reality checks of agents gain under each handicap."""
    lines = []
    for by, agent in product(handicaps, agents):
        plain, checked = (summary(results, by, name, "reward")[0] for name in measuring.with_checks([agent]))
        words = "the Q-learner" if agent == "Q" else agent
        lines.append(f"Under {by} {words} earns {plain:.3f} a step, its reality check {checked:.3f}.")
    return "\n".join(lines)
