"""CartPole with two joysticks: which agents learn to balance, but act as they would without rewards?

Both joysticks move the cart alike, but the agent is penalized for using another one than a copy of it would use: one
that lived the same life without rewards (IgnoreRewards), or with another learning rate (IncentivizeLearningRate). This
is the handicap of Alexander 2022, Definition 4, on the CartPole of the library behind Alexander et al. 2021.

Expected: an agent that ignores rewards does what its unrewarded copy does, so under IgnoreRewards it keeps CartPole's
own reward of 1 at every step (Alexander et al. 2021, Example 3; Alexander 2022, Def. 4). Without a handicap the reality
check changes nothing (Alexander et al. 2021, Proposition 13, part 4).

The authors also released this experiment for DQN and PPO, with copies that learn at half of the agent's own rate:
``--set agents="DQN,RC(DQN),PPO,RC(PPO)" --set "handicaps=IgnoreRewards,half the rate"``. They printed no numbers. Here
the network is given the pole's angle and angular velocity in bins, and not as real numbers, so that the one-hot trainer
serves. Deep agents train as Stable-Baselines3 does.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise, product
from statistics import mean
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.composing.compose import Bins, handicap
from extenv.environment import ExtendedEnvironment
from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.engine.agent import FloatArray
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Axes, Figures, Result, Results, collect
from scenarios.lab.table import Row
from scenarios.self_reflection import measuring

BLOCKS = 20
NONE = "none"
Handicap = Literal["none", "IgnoreRewards", "IncentivizeLearningRate", "half the rate"]


@dataclass(frozen=True)
class Settings:
    """Who balances under which handicap, how long, how finely the cart is seen, and how often it is repeated."""

    steps: Annotated[int, Field(ge=100, description="steps a run")] = 10_000
    bins: Annotated[int, Field(ge=1, le=20, description="bins of the pole's angle and of its angular velocity")] = 6
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 3
    agents: measuring.AgentNamesOrChecks = ("Random", "Constant", "Simple", "Q", "RC(Q)")
    handicaps: Annotated[tuple[Handicap, ...], Field(min_length=1, description="what the copy learns otherwise")] = (
        "none",
        "IgnoreRewards",
        "IncentivizeLearningRate",
    )


QUICK = Settings(steps=1_000, seeds=3)
FULL = Settings(steps=100_000, seeds=5)


UNMOVED = ("Random", "Constant", "Simple")
"""Agents that rewards ≥ 0 do not change: the simple learner repeats its first action if it is never punished."""


class Approval(ExtendedEnvironment):
    """No handicap: it always approves of both actions."""

    def start(self) -> int:
        return 0

    def step(self, action: int) -> tuple[float, int]:
        return 1.0, 0


HANDICAPS: dict[str, Callable[[], ExtendedEnvironment]] = {
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


MORAL = (
    "The agent is paid if it acts like a copy of itself that gets no rewards. Agents that ignore rewards act like\n"
    "their copy without rewards, but never learn to balance the pole. A Q-learner learns from its rewards, so it\n"
    "often acts differently from a copy of itself that gets no rewards. A Q-learner whose copies repeat one action\n"
    "after an impossible past (a reality check) acts like the copy without rewards, and learns to balance."
)


def cells(settings: Settings) -> list[Cell]:
    runs = measuring.agent_cells(settings.agents, settings.steps, settings.seeds, settings.handicaps, freeze="first")
    return [Cell(**asdict(run), bins=settings.bins) for run in runs]


def run_cell(cell: Cell) -> Result:
    """Let an agent balance, and measure each of 20 parts of the run: reward a step, share of steps penalized, falls."""
    counts = (1, 1, cell.bins, cell.bins)
    seen = Bins(low=(-2.4, -3.0, -0.21, -3.0), high=(2.4, 3.0, 0.21, 3.0), counts=counts)
    environment = handicap("CartPole-v1", HANDICAPS[cell.where](), encoder=seen)
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


def steps_an_episode(settings: Settings, results: Results, by: str, agent: str, parts: int) -> FloatArray:
    """The mean length of an episode in each part of the run, [seeds, parts]; no fall counts as one fall."""
    falls = np.array(collect(results, "falls", where=by, agent=agent)).reshape(-1, parts, BLOCKS // parts).sum(axis=2)
    lengths: FloatArray = settings.steps / parts / np.maximum(falls, 1)
    return lengths


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    size = f"{settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
    for by, agent in product(settings.handicaps, settings.agents):
        condition = f"{agent}, handicap {by}, {size}{measuring.trained_by(agent)}"
        is_certain = by == NONE or (by == "IgnoreRewards" and agent in UNMOVED)
        rewards, penalized = (summary(results, by, agent, key) for key in ("reward", "penalized"))
        lengths = steps_an_episode(settings, results, by, agent, 4)[:, -1]
        rows += [
            Row("reward a step", condition, *rewards, paper=1 if is_certain else None),
            Row("share of steps penalized", condition, *penalized, paper=0 if is_certain else None),
            Row("steps an episode, last quarter", condition, *mean_and_error(lengths)),
        ]
    # Without a handicap no copy is asked, so the reality check changes nothing (Prop. 13, part 4).
    for agent in checked(settings) if NONE in settings.handicaps else ():
        plain, sane = (steps_an_episode(settings, results, NONE, one, 4).mean() for one in (agent, f"RC({agent})"))
        quantity = f"steps an episode, RC({agent}) less {agent}"
        rows.append(Row(quantity, f"handicap none, {size}", float(sane - plain), paper=0))
    return rows


def checked(settings: Settings) -> list[str]:
    """The agents that live next to their reality checks."""
    return [agent for agent in settings.agents if f"RC({agent})" in settings.agents]


def story(settings: Settings, results: Results) -> str:
    lines = []
    for by, agent in product(settings.handicaps, checked(settings)):
        if by != NONE:
            plain, sane = (summary(results, by, name, "reward")[0] for name in measuring.with_checks([agent]))
            words = "the Q-learner" if agent == "Q" else agent
            lines.append(f"Under {by} {words} earns {plain:.3f} a step, its reality check {sane:.3f}.")
    return "\n".join(lines)


SHOWN = 5


def figures(settings: Settings, results: Results) -> Figures:
    figure = new_figure(10, 4.6)
    left, right = figure.subplots(1, 2)
    draw_rewards(left, settings, results)
    draw_learning(right, settings, results)
    return {"handicapped-cartpole": figure}


def draw_rewards(axes: Axes, settings: Settings, results: Results) -> None:
    """Draw bars: reward a step of every agent under every handicap, with standard errors."""
    for place, by in enumerate(settings.handicaps):
        means, errors = zip(*(summary(results, by, agent, "reward") for agent in settings.agents), strict=True)
        where = [position + 0.27 * (place - 1) for position in range(len(settings.agents))]
        axes.bar(where, means, 0.25, yerr=errors, label=by)
    axes.set_xticks(range(len(settings.agents)), list(settings.agents))
    axes.set(xlabel="agent", ylabel=with_errors("reward a step", settings.seeds))
    axes.axhline(0, color="black", linewidth=0.5)
    axes.legend(title="handicap", ncols=2, **BELOW)


def draw_learning(axes: Axes, settings: Settings, results: Results) -> None:
    """Draw lines: steps an episode in each fifth of the run, with standard errors, by learner and handicap.

    Without a handicap a learner and its reality check are one line, so only the learner is drawn.
    """
    where = np.array([settings.steps * (part + 0.5) / SHOWN for part in range(SHOWN)])
    for by, agent in product(settings.handicaps, checked(settings)):
        for name in [agent] if by == NONE else measuring.with_checks([agent]):
            lengths = steps_an_episode(settings, results, by, name, SHOWN)
            draw_curve(axes, where.tolist(), lengths, label=f"{name}, {by}", marker="o")
    axes.set(xlabel="step", ylabel=with_errors("steps an episode", settings.seeds), ylim=(0, None))
    axes.legend(**BELOW)
