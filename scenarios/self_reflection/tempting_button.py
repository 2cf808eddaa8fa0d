"""A button pays, but agents that would push it are punished where there is none: who learns not to push?

Alexander et al. 2021, Table 1. In a quarter of the rooms there is a button, and pushing it pays. In the other rooms the
agent is paid if it would not push a button there (Alexander et al. 2021, Example 4). Always pushing earns −0.5 in each
step, and never pushing +0.5. The printed ± is the population deviation over five seeds, divided by 5.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import pstdev
from typing import Annotated

import numpy as np
from pydantic import Field

from extenv.battery import make
from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Figures, Result, Results, collect
from scenarios.lab.table import Row, read_expected
from scenarios.self_reflection import measuring


@dataclass(frozen=True)
class Settings:
    """Which agents, how long and how often."""

    agents: measuring.AgentNames = ("Q",)
    steps: Annotated[int, Field(ge=20, description="steps a run")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=5_000, seeds=2)
FULL = Settings(agents=("Q", *measuring.DEEP))
CORE = True


BLOCKS = 20
PRINTED = read_expected(Path(__file__).with_suffix(".csv"))
FIXED = measuring.fixed_policies("always push", "never push")
ALWAYS = {"always push": -0.5, "never push": 0.5}
"""What the fixed policies earn a step, up to three standard errors: a quarter of the rooms has a button (Example 4)."""
MORAL = (
    "Pushing a button pays. An agent that would push a button is punished in rooms without one, and loses more than\n"
    "it gains. A learner that credits each reward to its last action does not notice that it is punished for what it\n"
    "would do. The Q-learner comes to push the button, and earns nearly as little as an agent that always pushes."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    return measuring.agent_cells((*FIXED, *settings.agents), settings.steps, settings.seeds)


def run_cell(cell: measuring.AgentCell) -> Result:
    """Total rewards of 20 parts of the run."""
    factory = FIXED.get(cell.agent) or measuring.agent_factory(cell.agent, "first")
    ends = [cell.steps * (part + 1) // BLOCKS for part in range(BLOCKS)]
    totals = measuring.totals_after(ends, make("TemptingButton"), factory, cell.seed, False)
    return {"totals": [after - before for before, after in pairwise([0.0, *totals])]}


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    three_errors = 3 * 2 * (0.25 * 0.75 / (settings.steps * settings.seeds)) ** 0.5
    for agent in (*FIXED, *settings.agents):
        rewards = [sum(totals) / settings.steps for totals in collect(results, "totals", agent=agent)]
        condition = f"{agent}, {settings.steps} steps, {settings.seeds} seeds{measuring.trained_by(agent)}"
        row = Row("reward a step", condition, *mean_and_error(rewards))
        if agent in FIXED:
            rows.append(replace(row, paper=ALWAYS[agent], tolerance=three_errors))
            continue
        if agent in measuring.DEEP:
            printed = f"{agent}, {settings.steps} steps, 5 seeds, trainer one_hot"
            row = measuring.with_fewer_seeds(row, PRINTED, printed, settings.seeds)
        rows.append(row)
        if settings.seeds > 1:
            spread = pstdev(rewards) / settings.seeds
            rows.append(Row("the paper's ± (deviation / number of seeds)", row.condition, spread))
    return rows


def figures(settings: Settings, results: Results) -> Figures:
    figure = new_figure(7.0, 4.0)
    axes = figure.subplots()
    ends = [settings.steps * (part + 1) // BLOCKS for part in range(BLOCKS)]
    for agent in (*FIXED, *settings.agents):
        rewards = np.array(collect(results, "totals", agent=agent)) / (settings.steps / BLOCKS)
        draw_curve(axes, ends, rewards, label=agent, linestyle="--" if agent in FIXED else "-")
    axes.set(xlabel="step", ylabel=with_errors("reward per step", settings.seeds))
    axes.legend(ncols=4, **BELOW)
    return {"tempting-button": figure}
