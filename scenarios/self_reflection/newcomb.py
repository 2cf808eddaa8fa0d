"""Newcomb's paradox, repeated many times: do learners come to take only the closed box?

A copy of the agent is asked before each turn. If it would take only the opaque box, a million is put into that box. The
other box holds a thousand, which the agent can see (Alexander et al. 2021, Example 7). Agents that always take one box
get 1,000,000 in each turn, and those that always take both get 1,000.

Learners are paid in millions, because their step sizes and networks are made for rewards of about 1. The table shows
what this is in money.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from pydantic import Field

from extenv.battery import make
from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.statistics import mean_and_error, student, verdict
from scenarios.lab.cells import Figures, Result, Results, collect
from scenarios.lab.table import Row, word_row
from scenarios.self_reflection import measuring


@dataclass(frozen=True)
class Settings:
    """Which learners, how long and how often."""

    agents: measuring.AgentNamesOrChecks = ("Naive", "Q", "RC(Q)")
    steps: Annotated[int, Field(ge=100, description="turns a run")] = 5_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 10


QUICK = Settings(steps=2_000, seeds=3)
FULL = Settings(agents=("Naive", "Q", "RC(Q)", "DQN", "A2C", "PPO"), steps=20_000)
CORE = True


BLOCKS = 50
LAST = BLOCKS // 2
MILLION = 1_000_000
MOST_TURNS = 0.9
ONE_BOX, BOTH_BOXES = "one box", "both boxes, too often"
UNTAUGHT = "Random"
"""The control: an agent that learns nothing."""
FIXED = measuring.fixed_policies("always one box", "always both boxes")
MORAL = (
    "To take only the closed box, an agent needs no theory of decision. A learner that knows nothing of predictors\n"
    "gets more reward when it takes only the closed box, and learns from that."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    return [
        *measuring.agent_cells(FIXED, settings.steps, 1),
        *measuring.agent_cells(learners(settings), settings.steps, settings.seeds),
    ]


def learners(settings: Settings) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*settings.agents, UNTAUGHT)))


def run_cell(cell: measuring.AgentCell) -> Result:
    """Return, for each of 50 parts of the run, money a turn and the share of turns on which one box is taken."""
    factory = FIXED.get(cell.agent) or measuring.agent_factory(cell.agent, "first")
    environment = make("NewcombEnvironment" if cell.agent in FIXED else "NormalisedNewcombEnvironment")
    unit = 1 if cell.agent in FIXED else MILLION
    steps = list(measuring.live(environment, factory, cell.seed, cell.steps))
    return {
        "money": measuring.parts_of([round(step.reward * unit) for step in steps], BLOCKS),
        "one box": measuring.parts_of([step.action == 0 for step in steps], BLOCKS),
    }


def table(settings: Settings, results: Results) -> list[Row]:
    rows = [Row("money a turn", agent, fmean(collect(results, "money", agent=agent)[0])) for agent in FIXED]
    for agent in learners(settings):
        condition = f"{agent}, second half of {settings.steps} turns, {settings.seeds} seeds"
        for quantity, key in (("money a turn", "money"), ("share of turns with one box", "one box")):
            means = [fmean(series[LAST:]) for series in collect(results, key, agent=agent)]
            rows.append(Row(quantity, condition, *mean_and_error(means)))
        learned = f"{agent}, on over {MOST_TURNS:.0%} of the turns"
        taken, control = comes_to_take(means), agent == UNTAUGHT
        must = BOTH_BOXES if control else ONE_BOX
        rows.append(word_row("learners come to take", learned, taken, must, "", control=control))
    return rows


def comes_to_take(shares: Sequence[float]) -> str:
    """What learners come to take, by their shares of turns with one box, one a seed; one seed decides nothing."""
    return verdict(student(shares), MOST_TURNS, BOTH_BOXES, ONE_BOX)


def figures(settings: Settings, results: Results) -> Figures:
    figure = new_figure(7.0, 4.0)
    axes = figure.subplots()
    ends = [settings.steps * (part + 1) // BLOCKS for part in range(BLOCKS)]
    for agent in settings.agents:
        style = "--" if agent.startswith("RC(") else "-"
        draw_curve(axes, ends, collect(results, "one box", agent=agent), linestyle=style, label=agent)
    axes.set(xscale="log", xlabel="turn (logarithmic)", ylim=(-0.02, 1.02))
    axes.set_ylabel(with_errors("share of turns with one box", settings.seeds))
    axes.legend(ncols=3, **BELOW)
    return {"newcomb": figure}
