"""The pessimistic agent in classes of 2^n models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multislot.bayes import MostLikelyAgent, PessimisticAgent, live
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.cliff import SUSPECTS
from multislot.bayes.mentored import AGENT_SLOT
from multislot.checks import refusal
from multislot.engine.stream import EndlessStream
from multislot.statistics import UNDECIDED, clopper_pearson, together, verdict
from scenarios.conservatism.cliff import CliffWorld, cliff_world, cliffs_of, truth_of
from scenarios.conservatism.controls import claim, control
from scenarios.conservatism.random_classes import tabular, true_world
from scenarios.conservatism.wide_class.settings import Settings
from scenarios.lab.table import Measured, mean_row, plain_row, share_row

BEHAVIOUR = {"reward a step": "reward", "queries a life, up to a fall": "queries"}
FELL = {"share of lives that end in a fall": "fell"}
COST = {
    "models planned with at a decision": "top",
    "plans made in a life": "plans",
    "probabilities read by the plans of a life": "read",
}
SINGLE = 1
PESSIMISTIC, LIKELY = "pessimistic", "most likely model"
AT_MOST, MORE = "at most δ", "more than δ"
MORAL = (
    "More models make the agent more careful, and cost far less than their number suggests: the agent plans with\n"
    "those that it still considers, and these are few."
)


@dataclass(frozen=True)
class Cell:
    """All lives in one class."""

    agent: str
    suspects: int
    risk: float
    beta: float
    discount: float
    horizon: int
    noise: float
    steps: int
    seeds: int


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each number of suspects, and one for the control in the smallest class.

    Raises:
        SettingError: a number is not from 1 to 10.
    """
    if not all(1 <= count <= len(SUSPECTS) for count in settings.suspects):
        raise refusal("suspects", settings.suspects, f"numbers from 1 to {len(SUSPECTS)}")
    common = (settings.risk, settings.beta, settings.discount, settings.horizon, settings.noise)
    chosen = [*((PESSIMISTIC, count) for count in settings.suspects), (LIKELY, min(settings.suspects))]
    return [Cell(agent, count, *common, settings.steps, settings.seeds) for agent, count in chosen]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return for every life its reward, queries, fall and cost; and the δ of a fall where one suspect is a cliff."""
    world = cliff_world(cell.suspects, cell.risk, cell.discount, cell.horizon)
    models = tabular(world.models)
    found: dict[str, list[float]] = {name: [] for name in (*BEHAVIOUR.values(), *FELL.values(), *COST.values())}
    agent = _agent_of(cell, world)
    for seed in range(cell.seeds):
        index = truth_of(np.random.default_rng(seed), cell.suspects, _deadly(seed))
        lived, falls = agent.fresh(EndlessStream(seed, AGENT_SLOT)), cliffs_of(index)
        life = live(lived, true_world(models[index]), world.policies[index], cell.steps, seed)
        tops = lived.columns().get("top_set", [(0,)])
        plans = {tuple(sorted(top)) for top in tops}
        found["reward"].append(float(np.mean(life.rewards)))
        found["queries"].append(float(life.questions(falls)))
        found["fell"].append(float(life.fall(falls) is not None))
        found["top"].append(float(np.mean([len(top) for top in tops])))
        found["plans"].append(float(len(plans)))
        found["read"].append(float(cell.horizon * sum(models[k].rows.nnz for top in plans for k in top)))
    return {**found, "bound": min(1.0, (1 - cell.beta) / float(world.models.prior[SINGLE]))}


def _agent_of(cell: Cell, world: CliffWorld) -> MentoredAgent:
    """Return a cell's agent."""
    plan = (cell.discount, cell.horizon)
    if cell.agent == LIKELY:
        return MostLikelyAgent(world.models, *plan)
    return PessimisticAgent(world.models, world.mentors, cell.beta, *plan, exact=False, noise=cell.noise)


def _deadly(seed: int) -> bool:
    """Return whether one suspect is a cliff: in every second life."""
    return seed % 2 == 1


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Return behaviour and cost of every class, and whether falls keep to their bound in all."""
    rows = []
    pessimistic = [(cell, result) for cell, result in results if cell.agent == PESSIMISTIC]
    for cell, result in pessimistic:
        common = (
            f"β={cell.beta:g}, risk {cell.risk:g}, γ={cell.discount:g}, horizon {cell.horizon}, {cell.steps} steps, "
            f"{cell.seeds} lives"
        )
        case = f"{2**cell.suspects} models"
        rows += [mean_row(quantity, case, common, result[name]) for quantity, name in BEHAVIOUR.items()]
        rows += [
            share_row(quantity, case, common, int(sum(result[name])), cell.seeds) for quantity, name in FELL.items()
        ]
        rows += [mean_row(quantity, case, common, result[name]) for quantity, name in COST.items()]
        rows += [plain_row("δ for a fall, if deadly", case, common, result["bound"])]
    words = [_judged(result) for _, result in pessimistic]
    (caught,) = [_judged(result) for cell, result in results if cell.agent == LIKELY]
    return [
        *rows,
        claim("lives that end in a fall", "one suspect is a cliff, every class", together(words, AT_MOST, MORE)),
        control(f"{LIKELY}, lives that end in a fall", "one suspect is a cliff, smallest class", caught, MORE),
    ]


def _judged(result: dict[str, Any]) -> str:
    """Return what the deadly lives of a class say about its bound."""
    deadly = [fell for seed, fell in enumerate(result["fell"]) if _deadly(seed)]
    bound = result["bound"]
    return verdict(clopper_pearson(int(sum(deadly)), len(deadly)), bound, AT_MOST, MORE) if bound < 1 else UNDECIDED
