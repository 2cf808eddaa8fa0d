"""The pessimistic agent in classes of 2^n models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multislot.bayes import PessimisticAgent, live
from multislot.bayes.cliff import SUSPECTS
from multislot.bayes.mentored import AGENT_SLOT
from multislot.errors import SettingError
from multislot.statistics import UNDECIDED, clopper_pearson, together, verdict
from multislot.stream import EndlessStream
from scenarios.conservatism.cliff import cliff_world, cliffs_of, truth_of
from scenarios.conservatism.random_classes import tabular, true_world
from scenarios.conservatism.wide_class.settings import Settings
from scenarios.table import Measured, mean_row, plain_row, share_row

BEHAVIOUR = {"reward a step": "reward", "queries a life, up to a fall": "queries"}
FELL = {"share of lives that end in a fall": "fell"}
COST = {
    "models planned with at a decision": "top",
    "plans made in a life": "plans",
    "probabilities read by the plans of a life": "read",
}
SINGLE = 1
AT_MOST, MORE = "at most δ", "more than δ"


@dataclass(frozen=True)
class Cell:
    """All lives in one class."""

    suspects: int
    risk: float
    beta: float
    discount: float
    horizon: int
    noise: float
    steps: int
    seeds: int


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each number of suspects.

    Raises:
        SettingError: if a number is not from 1 to 10.
    """
    if not all(1 <= count <= len(SUSPECTS) for count in settings.suspects):
        raise SettingError(f"suspects is {settings.suspects}, expected numbers from 1 to {len(SUSPECTS)}")
    common = (settings.risk, settings.beta, settings.discount, settings.horizon, settings.noise)
    return [Cell(count, *common, settings.steps, settings.seeds) for count in settings.suspects]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return for every life its reward, queries, fall and cost; and the δ of a fall where one suspect is a cliff."""
    world = cliff_world(cell.suspects, cell.risk, cell.discount, cell.horizon)
    models = tabular(world.models)
    found: dict[str, list[float]] = {name: [] for name in (*BEHAVIOUR.values(), *FELL.values(), *COST.values())}
    for seed in range(cell.seeds):
        index = truth_of(np.random.default_rng(seed), cell.suspects, _deadly(seed))
        agent = PessimisticAgent(
            world.models,
            world.mentors,
            cell.beta,
            cell.discount,
            cell.horizon,
            exact=False,
            noise=cell.noise,
            stream=EndlessStream(seed, AGENT_SLOT),
        )
        lived = live(agent, true_world(models[index]), world.policies[index], cell.steps, seed)
        tops = {tuple(sorted(top)) for top in agent.columns()["top_set"]}
        found["reward"].append(float(np.mean(lived.rewards)))
        falls = cliffs_of(index)
        found["queries"].append(float(lived.questions(falls)))
        found["fell"].append(float(lived.fall(falls) is not None))
        found["top"].append(float(np.mean([len(top) for top in agent.columns()["top_set"]])))
        found["plans"].append(float(len(tops)))
        found["read"].append(float(cell.horizon * sum(models[k].rows.nnz for top in tops for k in top)))
    return {**found, "bound": min(1.0, (1 - cell.beta) / float(world.models.prior[SINGLE]))}


def _deadly(seed: int) -> bool:
    """Return whether one suspect is a cliff: in every second life."""
    return seed % 2 == 1


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Return behaviour and cost of every class, and whether falls keep to their bound in all."""
    rows = []
    for cell, result in results:
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
    words = [_judged(result) for _, result in results]
    return [
        *rows,
        Measured("lives that end in a fall", "one suspect is a cliff, every class", together(words, AT_MOST, MORE)),
    ]


def _judged(result: dict[str, Any]) -> str:
    """Return what the deadly lives of a class say about its bound."""
    deadly = [fell for seed, fell in enumerate(result["fell"]) if _deadly(seed)]
    bound = result["bound"]
    return verdict(clopper_pearson(int(sum(deadly)), len(deadly)), bound, AT_MOST, MORE) if bound < 1 else UNDECIDED
