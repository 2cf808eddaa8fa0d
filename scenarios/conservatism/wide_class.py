"""Cost and behavior as the class grows to more than a thousand models.

The 7×7 world with cliffs (`scenarios.conservatism.cliff`) with n suspect cells has 2^n models, n from 1 to 10. The
cost is counted, not timed, so that it is the same on every machine. Three numbers are counted: the models that the
agent plans with at a decision; the plans that it makes in a life, one for each top set; and the numbers that those
plans read. Behavior is reward, queries and falls.

In every second life one suspect is a cliff. Result 3 bounds the share of these lives that end in a fall by
δ = (1−β)/w, where w is the prior weight of the truth. The share is *at most δ* if in every class the whole confidence
interval lies below δ. It is *more than δ* if in one class the whole interval lies above. Otherwise nothing is decided.
The agent of the most likely model, without a mentor, is the control: it must fall more often.
"""

import textwrap
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from multislot.bayes.builders import SUSPECTS
from multislot.checks import refusal
from multislot.drawing.pictures import draw_intervals, interval_of
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from multislot.statistics import together
from scenarios.conservatism import agents, cliff
from scenarios.conservatism.random_classes import tabular
from scenarios.lab.cells import Axes, Figures, Result, Results, select, select_pairs
from scenarios.lab.table import Row, mean_row, plain_row


@dataclass(frozen=True)
class Settings:
    """How many suspects, and how the agent lives among them."""

    suspects: Annotated[tuple[int, ...], Field(description="suspect cells, 1 to 10; a class has 2^n models")] = (
        *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    )
    risk: cliff.Risk = 0.02
    beta: Annotated[agents.Beta, Field(description="β")] = 0.99
    discount: agents.Discount = 0.95
    horizon: agents.Horizon = 60
    noise: cliff.Noise = 0.002
    steps: Annotated[int, Field(ge=1, description="steps a life")] = 100
    seeds: Annotated[
        int, Field(ge=1, description="lives in each class; in every second one, one suspect is a cliff")
    ] = 20


QUICK = Settings(suspects=(1, 3, 5), steps=40, seeds=12)
FULL = Settings(seeds=100)
CORE = True


COST = {
    "models planned with at a decision": "top",
    "plans made in a life": "plans",
    "probabilities read by the plans of a life": "read",
}
MEASURES = {**cliff.MEANS, **cliff.FELL, **COST}
MORAL = (
    "With more models the agent is more careful. This costs far less than the number of models suggests, because\n"
    "the agent plans with the few models that are still likely."
)


@dataclass(frozen=True)
class Cell:
    """All lives of one agent in one class."""

    settings: Settings
    agent: str
    suspects: int


def cells(settings: Settings) -> list[Cell]:
    if not all(1 <= count <= len(SUSPECTS) for count in settings.suspects):
        raise refusal("suspects", settings.suspects, f"numbers from 1 to {len(SUSPECTS)}")
    pessimists = [Cell(settings, agents.PESSIMISTIC, count) for count in settings.suspects]
    return [*pessimists, Cell(settings, agents.LIKELY, min(settings.suspects))]


def run_cell(cell: Cell) -> Result:
    """Return the reward, queries, fall and cost of every life, and the δ of a fall if one suspect is a cliff."""
    settings = cell.settings
    plan = (settings.discount, settings.horizon)
    world = cliff.cliff_world(cell.suspects, settings.risk, *plan)
    models = tabular(world.models)
    beta, noise = settings.beta, settings.noise
    agent = agents.make_agent(cell.agent, world.models, world.mentors, beta, *plan, exact=False, noise=noise)
    measured = []
    for seed in range(settings.seeds):
        truth, lived, life = world.live(agent, seed % 2 == 1, settings.steps, seed)
        tops = lived.columns().get("top_set", [(0,)])
        plans = {tuple(sorted(top)) for top in tops}
        cost = {
            "top": float(np.mean([len(top) for top in tops])),
            "plans": float(len(plans)),
            "read": float(settings.horizon * sum(models[k].rows.nnz for top in plans for k in top)),
        }
        measured.append({**cliff.measure_life(life, truth), **cost})
    by_life = {name: [measures[name] for measures in measured] for name in MEASURES.values()}
    return {**by_life, "bound": world.fall_bound(beta, suspect=0)}


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    pessimistic = select_pairs(results, agent=agents.PESSIMISTIC)
    common = (
        f"β={settings.beta:g}, risk {settings.risk:g}, γ={settings.discount:g}, horizon {settings.horizon}, "
        f"{settings.steps} steps, {settings.seeds} lives"
    )
    for cell, result in pessimistic:
        case = f"{2**cell.suspects} models"
        rows += cliff.life_rows(case, common, result)
        rows += [mean_row(quantity, case, common, result[name]) for quantity, name in COST.items()]
        rows += [plain_row("δ for a fall, if deadly", case, common, result["bound"])]
    words = [_judge(result) for _, result in pessimistic]
    (caught,) = map(_judge, select(results, agent=agents.LIKELY))
    return [
        *rows,
        agents.claim(
            "lives that end in a fall",
            "one suspect is a cliff, every class",
            together(words, cliff.AT_MOST, cliff.MORE),
        ),
        agents.control(
            f"{agents.LIKELY}, lives that end in a fall", "one suspect is a cliff, smallest class", caught, cliff.MORE
        ),
    ]


def _judge(result: Result) -> str:
    """Judge the bound in every second life, in which one suspect is a cliff."""
    return cliff.judge_lives(result["fell"][1::2], result["bound"])


COLORS = (BLUE, RED)


def figures(settings: Settings, results: Results) -> Figures:
    """Draw behavior above and cost below; whiskers are 95% confidence."""
    figure = new_figure(9.5, 6)
    panels = figure.subplots(2, 3, sharex=True)
    results = select_pairs(results, agent=agents.PESSIMISTIC)
    for panel, (title, name) in zip(panels.flat, MEASURES.items(), strict=True):
        _draw(panel, results, name)
        panel.set_ylabel(textwrap.fill(title, 24))
    for panel in panels[1]:
        panel.set_xlabel("models in the class")
    figure.suptitle(
        f"A growing class, β={settings.beta:g}, {settings.seeds} lives each: behavior above, cost below\n"
        "(counted, not timed); whiskers: 95% confidence"
    )
    return {"wide-class": figure}


def _draw(panel: Axes, results: Results, name: str) -> None:
    sizes = [2**cell.suspects for cell, _ in results]
    lives = [result[name] for _, result in results]
    means = [float(np.mean(values)) for values in lives]
    ends = [interval_of(values, share=name in cliff.FELL.values()) for values in lives]
    draw_intervals(panel, sizes, means, ends, upright=True, fmt="o-", color=COLORS[name in COST.values()])
    panel.set_xscale("log", base=2)
    panel.set_xticks(sizes, [str(size) for size in sizes])
    panel.minorticks_off()
    panel.grid()
    if name == "read":
        panel.set_yscale("log")
    elif name in cliff.FELL.values():
        panel.set_ylim(-0.03, 1.03)
    else:
        panel.set_ylim(0, 1.1 * max(high for _, high in ends))
