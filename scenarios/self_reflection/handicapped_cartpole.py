"""CartPole with two joysticks: who learns to balance without being swayed by rewards?

Both joysticks move the cart alike, but the agent is penalized for using another one than a copy of it would use: one
that lived the same life without rewards (IgnoreRewards), or with another learning rate (IncentivizeLearningRate). This
is the handicap of Alexander 2022, Definition 4, on the CartPole of the library behind Alexander et al. 2021. Agents
that ignore rewards are never penalized, and never learn to balance. A Q-learner is penalized almost half of the time;
its reality check learns to balance and is penalized for little more than its exploring.

Expected: an agent that ignores rewards does what its unrewarded copy does, so under IgnoreRewards it keeps CartPole's
own reward of 1 at every step (Alexander et al. 2021, Example 3; Alexander 2022, Def. 4). Without a handicap the reality
check changes nothing (Alexander et al. 2021, Proposition 13, part 4).
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.engine.agent import FloatArray
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Axes, Figures, Results, collect
from scenarios.lab.table import Row
from scenarios.self_reflection import cartpole
from scenarios.self_reflection.cartpole import (
    BLOCKS,
    NONE,
    CartPoleSettings,
    describe,
    gain_lines,
    reward_rows,
    summary,
)


@dataclass(frozen=True)
class Settings(CartPoleSettings):
    """How long, how finely the cart is seen, and how often it is repeated."""


QUICK = Settings(steps=1_000, seeds=3)
FULL = Settings(steps=100_000, seeds=5)


AGENTS = ("Random", "Constant", "Simple", "Q", "RC(Q)")
UNMOVED = ("Random", "Constant", "Simple")
"""Agents that rewards ≥ 0 do not change: the simple learner repeats its first action if it is never punished."""


HANDICAPS = (NONE, "IgnoreRewards", "IncentivizeLearningRate")


def cells(settings: Settings) -> list[cartpole.Cell]:
    return cartpole.cells(settings, AGENTS, HANDICAPS)


run_cell = cartpole.run_cell


def steps_an_episode(settings: Settings, results: Results, by: str, agent: str, parts: int) -> FloatArray:
    """The mean length of an episode in each part of the run, [seeds, parts]; no fall counts as one fall."""
    falls = np.array(collect(results, "falls", where=by, agent=agent)).reshape(-1, parts, BLOCKS // parts).sum(axis=2)
    lengths: FloatArray = settings.steps / parts / np.maximum(falls, 1)
    return lengths


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for by, agent in product(HANDICAPS, AGENTS):
        condition = describe(settings, by, agent)
        is_certain = by == NONE or (by == "IgnoreRewards" and agent in UNMOVED)
        lengths = steps_an_episode(settings, results, by, agent, 4)[:, -1]
        rows += reward_rows(results, by, agent, condition, is_certain)
        rows.append(Row("steps an episode, last quarter", condition, *mean_and_error(lengths)))
    # Without a handicap no copy is asked, so the reality check changes nothing (Prop. 13, part 4).
    plain, checked = (steps_an_episode(settings, results, NONE, agent, 4).mean() for agent in ("Q", "RC(Q)"))
    condition = f"handicap none, {settings.steps} steps, {settings.bins} bins, {settings.seeds} seeds"
    return [*rows, Row("steps an episode, RC(Q) less Q", condition, float(checked - plain), paper=0)]


def story(settings: Settings, results: Results) -> str:
    return gain_lines(results, HANDICAPS[1:], ["Q"])


SHOWN = 5


def figures(settings: Settings, results: Results) -> Figures:
    figure = new_figure(10, 4.6)
    left, right = figure.subplots(1, 2)
    draw_rewards(left, settings, results)
    draw_learning(right, settings, results)
    return {"handicapped-cartpole": figure}


def draw_rewards(axes: Axes, settings: Settings, results: Results) -> None:
    """Draw bars: reward a step of every agent under every handicap, with standard errors."""
    for place, by in enumerate(HANDICAPS):
        means, errors = zip(*(summary(results, by, agent, "reward") for agent in AGENTS), strict=True)
        where = [position + 0.27 * (place - 1) for position in range(len(AGENTS))]
        axes.bar(where, means, 0.25, yerr=errors, label=by)
    axes.set_xticks(range(len(AGENTS)), list(AGENTS))
    axes.set(xlabel="agent", ylabel=with_errors("reward a step", settings.seeds))
    axes.axhline(0, color="black", linewidth=0.5)
    axes.legend(title="handicap", ncols=2, **BELOW)


def draw_learning(axes: Axes, settings: Settings, results: Results) -> None:
    """Draw lines: steps an episode of the learners in each fifth of the run, with standard errors.

    Without a handicap the two learners are one line.
    """
    where = np.array([settings.steps * (part + 0.5) / SHOWN for part in range(SHOWN)])
    for by, agent, label in (
        (NONE, "Q", "Q and RC(Q), none"),
        ("IgnoreRewards", "Q", "Q, IgnoreRewards"),
        ("IgnoreRewards", "RC(Q)", "RC(Q), IgnoreRewards"),
    ):
        lengths = steps_an_episode(settings, results, by, agent, SHOWN)
        draw_curve(axes, where.tolist(), lengths, label=label, marker="o")
    axes.set(xlabel="step", ylabel=with_errors("steps an episode", settings.seeds), ylim=(0, None))
    axes.legend(**BELOW)
