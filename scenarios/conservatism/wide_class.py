"""Cost and behavior as the class grows to more than a thousand models.

The 7×7 world with cliffs (`scenarios.conservatism.cliff`) with n suspect cells has 2^n models, n from 1 to 10. The
cost is counted, not timed, so that it is the same on every machine. Three numbers are counted: the models that the
agent plans with at a decision; the plans that it makes in a life, one for each top set; and the numbers that those
plans read. Behavior is reward, queries and falls.

In every second life one suspect is a cliff. Result 3 bounds the share of these that end in a fall by δ = (1−β)/w, w the
prior weight of the truth: *at most δ* if, in every class, the whole confidence interval lies below it, *more than δ* if
in one all of it lies above; otherwise nothing is decided. The most likely model's agent, without a mentor, is the
control: it must fall more often.
"""

import textwrap
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from multislot.bayes.builders import SUSPECTS
from multislot.checks import refusal
from multislot.drawing.pictures import draw_intervals
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from multislot.statistics import UNDECIDED, clopper_pearson, student, together, verdict
from scenarios.conservatism import agents
from scenarios.conservatism.cliff import cliff_world, cliffs_of, truth_of
from scenarios.conservatism.random_classes import tabular
from scenarios.lab.cells import Axes, Figures, Result, Results, select, select_pairs
from scenarios.lab.table import Row, mean_row, plain_row, share_row


@dataclass(frozen=True)
class Settings:
    """How many suspects, and how the agent lives among them."""

    suspects: Annotated[tuple[int, ...], Field(description="suspect cells, 1 to 10; a class has 2^n models")] = (
        *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    )
    risk: Annotated[float, Field(gt=0, lt=1, description="probability that a suspect cell is a cliff, as believed")] = (
        0.02
    )
    beta: Annotated[agents.Beta, Field(description="β")] = 0.99
    discount: agents.Discount = 0.95
    horizon: agents.Horizon = 60
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z")] = 0.002
    steps: Annotated[int, Field(ge=1, description="steps a life")] = 100
    seeds: Annotated[
        int, Field(ge=1, description="lives in each class; in every second one, one suspect is a cliff")
    ] = 20


QUICK = Settings(suspects=(1, 3, 5), steps=40, seeds=12)
FULL = Settings(seeds=100)
CORE = True


BEHAVIOR = {"reward a step": "reward", "queries a life, up to a fall": "queries"}
FELL = {"share of lives that end in a fall": "fell"}
COST = {
    "models planned with at a decision": "top",
    "plans made in a life": "plans",
    "probabilities read by the plans of a life": "read",
}
SINGLE = 1
AT_MOST, MORE = "at most δ", "more than δ"
MORAL = (
    "More models make the agent more careful, and cost far less than their number suggests: the agent plans with\n"
    "those that it still considers, and these are few."
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
    """Return for every life its reward, queries, fall and cost; and the δ of a fall where one suspect is a cliff."""
    settings = cell.settings
    plan = (settings.discount, settings.horizon)
    world = cliff_world(cell.suspects, settings.risk, *plan)
    models = tabular(world.models)
    beta, noise = settings.beta, settings.noise
    agent = agents.make_agent(cell.agent, world.models, world.mentors, beta, *plan, exact=False, noise=noise)
    by_life: dict[str, list[float]] = {name: [] for name in (*BEHAVIOR.values(), *FELL.values(), *COST.values())}
    for seed in range(settings.seeds):
        index = truth_of(np.random.default_rng(seed), cell.suspects, _deadly(seed))
        falls = cliffs_of(index)
        lived, life = world.live(agent, index, settings.steps, seed)
        tops = lived.columns().get("top_set", [(0,)])
        plans = {tuple(sorted(top)) for top in tops}
        by_life["reward"].append(float(np.mean(life.rewards)))
        by_life["queries"].append(float(life.questions(falls)))
        by_life["fell"].append(float(life.fall(falls) is not None))
        by_life["top"].append(float(np.mean([len(top) for top in tops])))
        by_life["plans"].append(float(len(plans)))
        by_life["read"].append(float(settings.horizon * sum(models[k].rows.nnz for top in plans for k in top)))
    return {**by_life, "bound": min(1.0, (1 - settings.beta) / float(world.models.prior[SINGLE]))}


def _deadly(seed: int) -> bool:
    """Whether one suspect is a cliff: in every second life."""
    return seed % 2 == 1


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    pessimistic = select_pairs(results, agent=agents.PESSIMISTIC)
    common = (
        f"β={settings.beta:g}, risk {settings.risk:g}, γ={settings.discount:g}, horizon {settings.horizon}, "
        f"{settings.steps} steps, {settings.seeds} lives"
    )
    for cell, result in pessimistic:
        case = f"{2**cell.suspects} models"
        rows += [mean_row(quantity, case, common, result[name]) for quantity, name in BEHAVIOR.items()]
        rows += [
            share_row(quantity, case, common, int(sum(result[name])), len(result[name]))
            for quantity, name in FELL.items()
        ]
        rows += [mean_row(quantity, case, common, result[name]) for quantity, name in COST.items()]
        rows += [plain_row("δ for a fall, if deadly", case, common, result["bound"])]
    words = [_judge(result) for _, result in pessimistic]
    (caught,) = map(_judge, select(results, agent=agents.LIKELY))
    return [
        *rows,
        agents.claim("lives that end in a fall", "one suspect is a cliff, every class", together(words, AT_MOST, MORE)),
        agents.control(
            f"{agents.LIKELY}, lives that end in a fall", "one suspect is a cliff, smallest class", caught, MORE
        ),
    ]


def _judge(result: Result) -> str:
    deadly = [fell for seed, fell in enumerate(result["fell"]) if _deadly(seed)]
    bound = result["bound"]
    return verdict(clopper_pearson(int(sum(deadly)), len(deadly)), bound, AT_MOST, MORE) if bound < 1 else UNDECIDED


COLORS = (BLUE, RED)


def figures(settings: Settings, results: Results) -> Figures:
    """Draw behavior above and cost below; whiskers are 95% confidence."""
    figure = new_figure(9.5, 6)
    panels = figure.subplots(2, 3, sharex=True)
    measures = {**BEHAVIOR, **FELL, **COST}
    results = select_pairs(results, agent=agents.PESSIMISTIC)
    for panel, (title, name) in zip(panels.flat, measures.items(), strict=True):
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
    ends = [
        clopper_pearson(int(sum(values)), len(values)) if name in FELL.values() else student(values) for values in lives
    ]
    draw_intervals(panel, sizes, means, ends, upright=True, fmt="o-", color=COLORS[name in COST.values()])
    panel.set_xscale("log", base=2)
    panel.set_xticks(sizes, [str(size) for size in sizes])
    panel.minorticks_off()
    panel.grid()
    if name == "read":
        panel.set_yscale("log")
    elif name in FELL.values():
        panel.set_ylim(-0.03, 1.03)
    else:
        panel.set_ylim(0, 1.1 * max(high for _, high in ends))
