"""All agents × β on a world with cliffs: reward, queries, falls, first causes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from multislot.bayes import (
    BayesAgent,
    Life,
    MostLikelyAgent,
    PessimisticAgent,
    QLearningAgent,
    ThompsonAgent,
    live,
)
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.cliff import START
from multislot.bayes.mentored import AGENT_SLOT
from multislot.engine.stream import EndlessStream
from multislot.statistics import UNDECIDED, clopper_pearson, verdict
from scenarios.conservatism.cliff import CliffWorld, cliff_world, cliffs_of, truth_of
from scenarios.conservatism.conservative_vs_standard.settings import Settings
from scenarios.conservatism.controls import AlwaysDefers, claim, control
from scenarios.conservatism.random_classes import tabular, true_world
from scenarios.lab.table import Measured, mean_row, share_row

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


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
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


def _verdicts(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Return whether the most pessimistic agent keeps its bounds, and a standard one would break them."""
    beta = max(settings.betas)
    found = {(cell.agent, cell.beta, cell.truth): result for cell, result in results}
    falls, first = bounds(settings, beta)

    def judged(agent: str, beta: float, truth: str, name: str, bound: float) -> str:
        lives = found[agent, beta, truth][name]
        return verdict(clopper_pearson(sum(lives), len(lives)), bound, AT_MOST, MORE) if bound < 1 else UNDECIDED

    largest = f"largest β: {beta:g}"
    return [
        Measured("δ for a fall", f"deadly, {largest}", falls),
        Measured("δ for being the first on some suspect cell", f"safe, {largest}", first),
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
