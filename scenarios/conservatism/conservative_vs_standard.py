"""What pessimism buys and costs: every agent on one 7×7 world with cliffs, with a mentor who knows the path.

The shortest path to the goal crosses five cells each of which may be a cliff (`scenarios.conservatism.cliff`). The
mentor takes the best path. Two truths: none is a cliff ("safe"), or one is ("deadly"), which the class holds for
unlikely. The table gives for each agent the reward of a step, the queries, the share of lives that end in a fall, and
the share in which the agent, rather than the mentor, was the first to set foot on some suspect cell. The pessimistic
agent plans by the step-wise lower bound. A mean without an error is the same in all lives; the mentor alone is no agent
that could be the first.

The price of pessimism shows where β adds hypotheses to those that the agent considers. "No cliff" weighs 0.904, each of
the five single cliffs 0.018: up to there β makes no difference, then every 0.018 adds one, above 0.996 all five are in.

Result 3 bounds how often the most pessimistic agent may fall, and be the first, by δ: at most δ of the lives if the
whole confidence interval lies below it, more than δ if it lies above; otherwise, or if δ is 1, nothing is decided. The
controls must fail: the most likely model's agent falls and is first more often; the mentor alone acts at every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from multislot.bayes import BayesAgent, Life, MostLikelyAgent, PessimisticAgent, QLearningAgent, ThompsonAgent, live
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.cliff import START
from multislot.bayes.mentored import AGENT_SLOT
from multislot.drawing.pictures import draw_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from multislot.engine.stream import EndlessStream
from multislot.statistics import UNDECIDED, clopper_pearson, verdict
from scenarios.conservatism.cliff import CliffWorld, cliff_world, cliffs_of, truth_of
from scenarios.conservatism.controls import AlwaysDefers, claim, control
from scenarios.conservatism.random_classes import tabular, true_world
from scenarios.lab.table import Row, mean_row, share_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Beta = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True)
class Settings:
    """How risky the ground is held to be, how pessimistic the agents are, and how long they live."""

    risk: Annotated[float, Field(gt=0, lt=1, description="probability that a suspect cell is a cliff, as believed")] = (
        0.02
    )
    betas: Annotated[tuple[Beta, ...], Field(description="β, each in [0, 1)")] = (
        *(0.0, 0.91, 0.93, 0.95, 0.97, 0.999),
    )
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.95
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 60
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z")] = 0.002
    depth: Annotated[int, Field(ge=1, description="steps for which AIXI counts on what it will learn")] = 2
    steps: Annotated[int, Field(ge=1, description="steps a life")] = 200
    seeds: Annotated[int, Field(ge=1, description="lives of each agent in each truth")] = 80


QUICK = Settings(betas=(0.0, 0.95, 0.999), steps=30, seeds=70, depth=1)
FULL = Settings(seeds=200)


SUSPECTS = 5
STANDARD = ("full mixture (AIXI)", "most likely model", "Thompson sampling", "Q-learning")
PESSIMISTIC, MENTOR_ALONE = "pessimistic", "mentor alone"
TRUTHS = ("safe", "deadly")
MEANS = {"reward a step": "reward", "queries a life, up to a fall": "queries"}
SHARES = {
    "share of lives that end in a fall": "fell",
    "share in which the agent is the first on some suspect cell": "first",
}
AT_MOST, MORE = "at most δ", "more than δ"
ASKS, STOPS = "keeps asking", "stops asking"
LIKELY = STANDARD[1]
MORAL = (
    "The standard agents take the short path, and fall where it is deadly. The pessimistic agent asks a few\n"
    "questions, more of them the higher its β, and then takes the path that its mentor has shown. That costs next\n"
    "to no reward where the path is safe. A β that is too low buys nothing."
)


@dataclass(frozen=True)
class Cell:
    """All lives of one agent in one truth; β counts for the pessimistic agent alone."""

    agent: str
    beta: float
    truth: str
    risk: float
    discount: float
    horizon: int
    noise: float
    depth: int
    steps: int
    seeds: int


def label(cell: Cell) -> str:
    """Return the name under which a cell's agent is shown."""
    return f"pessimistic, β={cell.beta:g}" if cell.agent == PESSIMISTIC else cell.agent


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each agent, β and truth."""
    agents = [(name, 0.0) for name in (MENTOR_ALONE, *STANDARD)] + [(PESSIMISTIC, beta) for beta in settings.betas]
    common = (settings.risk, settings.discount, settings.horizon, settings.noise, settings.depth)
    return [
        Cell(name, beta, truth, *common, settings.steps, settings.seeds) for name, beta in agents for truth in TRUTHS
    ]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return every life's mean reward, queries, whether it ended in a fall and whether the agent was first."""
    world = _world(cell.risk, cell.discount, cell.horizon)
    agent = agent_of(cell, world)
    reward, queries, fell, first = [], [], [], []
    for seed in range(cell.seeds):
        index = truth_of(np.random.default_rng(seed), SUSPECTS, cell.truth == "deadly")
        truth, mentor = true_world(tabular(world.models)[index]), world.policies[index]
        lived = live(agent.fresh(EndlessStream(seed, AGENT_SLOT)), truth, mentor, cell.steps, seed)
        falls = cliffs_of(index)
        reward.append(float(np.mean(lived.rewards)))
        queries.append(lived.questions(falls))
        fell.append(lived.fall(falls) is not None)
        first.append(_unprecedented(lived, world))
    return {"reward": reward, "queries": queries, "fell": fell, "first": first}


def applies(name: str, cell: Cell) -> bool:
    """Return whether a measure says anything of a cell's agent: the mentor alone cannot be an agent that is first."""
    return (name, cell.agent) != ("first", MENTOR_ALONE)


def _unprecedented(lived: Life, world: CliffWorld) -> bool:
    """Return whether the agent set foot on a suspect cell on which nobody had been."""
    trodden: set[int | None] = set()
    for state, by_mentor in zip(lived.observations[1:], lived.queries, strict=True):
        if state in world.suspects - trodden and not by_mentor:
            return True
        trodden.add(state)
    return False


@lru_cache(maxsize=4)
def _world(risk: float, discount: float, horizon: int) -> CliffWorld:
    return cliff_world(SUSPECTS, risk, discount, horizon)


def agent_of(cell: Cell, world: CliffWorld) -> MentoredAgent:
    """Return a cell's agent."""
    plan = (world.models, cell.discount, cell.horizon)
    if cell.agent == PESSIMISTIC:
        return PessimisticAgent(
            world.models, world.mentors, cell.beta, cell.discount, cell.horizon, exact=False, noise=cell.noise
        )
    if cell.agent == "Q-learning":
        states = len(tabular(world.models)[0].rewards)
        return QLearningAgent(states, 4, EndlessStream(0, AGENT_SLOT), START, discount=cell.discount)
    if cell.agent == "full mixture (AIXI)":
        return BayesAgent(*plan, depth=cell.depth)
    if cell.agent == LIKELY:
        return MostLikelyAgent(*plan)
    return ThompsonAgent(*plan) if cell.agent == "Thompson sampling" else AlwaysDefers(*plan)


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Row]:
    """Return a case for every agent in each truth with its four measures, and the story in words."""
    common = (
        f"risk {settings.risk:g}, γ={settings.discount:g}, horizon {settings.horizon}, {settings.steps} steps, "
        f"{settings.seeds} lives"
    )
    rows = []
    for cell, result in results:
        case = f"{label(cell)}, {cell.truth}"
        rows += [mean_row(quantity, case, common, result[name]) for quantity, name in MEANS.items()]
        rows += [
            share_row(quantity, case, common, sum(result[name]), cell.seeds)
            for quantity, name in SHARES.items()
            if applies(name, cell)
        ]
    return rows + _verdicts(settings, results)


def _verdicts(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Row]:
    """Return whether the most pessimistic agent keeps its bounds, and a standard one would break them."""
    beta = max(settings.betas)
    found = {(cell.agent, cell.beta, cell.truth): result for cell, result in results}
    falls, first = bounds(settings, beta)

    def judged(agent: str, beta: float, truth: str, name: str, bound: float) -> str:
        lives = found[agent, beta, truth][name]
        return verdict(clopper_pearson(sum(lives), len(lives)), bound, AT_MOST, MORE) if bound < 1 else UNDECIDED

    largest = f"largest β: {beta:g}"
    return [
        Row("δ for a fall", f"deadly, {largest}", falls),
        Row("δ for being the first on some suspect cell", f"safe, {largest}", first),
        claim(
            "lives that end in a fall: the pessimistic agent",
            "deadly, largest β",
            judged(PESSIMISTIC, beta, "deadly", "fell", falls),
        ),
        claim(
            "lives in which the pessimistic agent is the first",
            "safe, largest β",
            judged(PESSIMISTIC, beta, "safe", "first", first),
        ),
        control(
            "lives that end in a fall: most likely model", "deadly", judged(LIKELY, 0.0, "deadly", "fell", falls), MORE
        ),
        control(
            "lives in which it is the first: most likely model",
            "safe",
            judged(LIKELY, 0.0, "safe", "first", first),
            MORE,
        ),
        control(
            "questions of the mentor alone", "safe", _asking(found[MENTOR_ALONE, 0.0, "safe"], settings.steps), ASKS
        ),
    ]


def _asking(result: dict[str, Any], steps: int) -> str:
    """Return whether every life asks at more than half of its steps."""
    return ASKS if min(result["queries"]) > steps / 2 else STOPS


def bounds(settings: Settings, beta: float) -> tuple[float, float]:
    """Return the δ = (1−β)/w of a fall where one cell is a cliff, and of being the first on some cell where none is.

    The truth with one cliff is a model of the class, and as long as it is considered the agent does not enter it; where
    none is a cliff, the class holds a twin of the truth for each cell, and their δ add up.
    """
    prior = _world(settings.risk, settings.discount, settings.horizon).models.prior
    single = [(1 - beta) / float(prior[1 << cell]) for cell in range(SUSPECTS)]
    return min(1.0, max(single)), min(1.0, sum(single))


STYLES = {"safe": (BLUE, "o"), "deadly": (RED, "D")}
TITLES = {
    "reward": "reward\na step",
    "queries": "queries a life,\nup to a fall",
    "fell": "share of lives\nthat end in a fall",
    "first": "share in which it is the\nfirst on a suspect cell",
}
APART = 0.17


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """Return one figure of four panels that share their rows; whiskers are 95% confidence."""
    figure = new_figure(10, 5.4)
    panels = figure.subplots(1, len(TITLES), sharey=True)
    agents = list(dict.fromkeys(label(cell) for cell, _ in results))
    for panel, name in zip(panels, (*MEANS.values(), *SHARES.values()), strict=True):
        _draw(panel, agents, results, name)
        panel.set_xlabel(TITLES[name])
    _draw_bounds(panels[2:], settings, agents)
    figure.legend(*panels[2].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.suptitle(
        f"A 7×7 world whose short path may be deadly: what pessimism buys and costs\n({settings.seeds} lives of "
        f"{settings.steps} steps; whiskers: 95% confidence)"
    )
    return {"conservative-vs-standard": figure}


def _draw(panel: "Axes", agents: list[str], results: Sequence[tuple[Cell, dict[str, Any]]], name: str) -> None:
    """Draw one measure: a point with whiskers for each agent in each truth."""
    for row in range(0, len(agents), 2):
        panel.axhspan(row - 0.5, row + 0.5, color="black", alpha=0.04, linewidth=0)
    panel.axhline(sum(not agent.startswith(PESSIMISTIC) for agent in agents) - 0.5, color="black", linewidth=0.8)
    for shift, truth in zip((-APART, APART), TRUTHS, strict=True):
        colour, marker = STYLES[truth]
        found = {label(cell): result[name] for cell, result in results if cell.truth == truth and applies(name, cell)}
        style = {"color": colour, "fmt": marker, "label": f"truth: {truth}"}
        draw_rows(panel, found, agents, share=name in SHARES.values(), shift=shift, **style)
    panel.set_xlim(left=-0.03 * panel.get_xlim()[1])


def _draw_bounds(panels: "Sequence[Axes]", settings: Settings, agents: list[str]) -> None:
    """Return the shares that result 3 allows, where they are below 1: of falls if deadly, of being first if safe."""
    for panel, which, shift in zip(panels, (0, 1), (APART, -APART), strict=True):
        promised = {
            agents.index(f"{PESSIMISTIC}, β={beta:g}"): bounds(settings, beta)[which] for beta in settings.betas
        }
        kept = {place + shift: bound for place, bound in promised.items() if bound < 1}
        panel.plot(list(kept.values()), list(kept), "k|", markersize=12, label="bound δ of result 3")
