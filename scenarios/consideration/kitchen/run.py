"""Extra steps of both cooks in the four kitchens, for three designs of the first one."""

from considerate.exact.comparators import by_rewards, future_task_rewards
from scenarios.consideration.behaviour import (
    EXACT,
    Cell,
    Result,
    Results,
    agreement,
    described,
    for_others,
    joined,
    known_task,
    with_seeds,
)
from scenarios.consideration.behaviour import run_cell as run_behaviour
from scenarios.consideration.kitchen.settings import Settings
from scenarios.lab.table import Measured

__all__ = ["Cell", "cells", "run_cell", "table"]

DISHES = ("salad", "peanut", "salt", "cookie")
DESIGNS = ("plain Q-learning", "future task", "considerate")
FUTURE_TASK = "future task"
MORAL = (
    "For a step or two the considerate cook spares the next one all of the trouble. A cook that cares for what it\n"
    "could still do itself fails the next one in one kitchen, since the two do not need the same things."
)


def cells(settings: Settings) -> list[Cell]:
    """Return the exact cells of each dish and design, and the considerate agent's learned ones."""
    names = [f"kitchen-{dish}" for dish in DISHES]
    plain = [Cell(name, "value", for_others(settings.alpha * 0)) for name in names]
    future = [Cell(name, FUTURE_TASK, for_others(settings.alpha)) for name in names]
    considerate = [Cell(name, "value", for_others(settings.alpha)) for name in names]
    return plain + future + with_seeds(considerate, settings.seeds)


def run_cell(cell: Cell) -> Result:
    """Solve or learn one cell."""
    if cell.criterion != FUTURE_TASK:
        return run_behaviour(cell)
    chosen = known_task(cell.task)
    found = described(by_rewards(chosen, future_task_rewards(chosen, cell.caring[0][1])))
    return found | {"ties": [], "tied_ends": []}


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return extra steps over one's own optimum, acting cook first."""
    rows = []
    for cell, result in results:
        if cell.how == EXACT:
            extra = [best - value for best, value in zip(own_optima(cell.task), result["returns"], strict=True)]
            condition = f"{cell.task.removeprefix('kitchen-')}, {design(cell)}"
            rows.append(Measured("extra steps of the acting cook; of the next", condition, joined(extra)))
    considerate = [(cell, r) for cell, r in results if design(cell) == "considerate"]
    return rows + agreement(considerate)


def own_optima(name: str) -> tuple[int, int]:
    """Return each cook's return if it does its own task in the initial kitchen, in the fewest steps."""
    kitchen = known_task(name)
    costs = kitchen.graph.distances_from(int(kitchen.graph.starts[0]))
    first = min(int(costs[end]) for end in kitchen.end_states)
    following = kitchen.value_functions()[kitchen.agents[1]](kitchen.start)
    return -first, int(following)


def design(cell: Cell) -> str:
    """Return what the acting cook maximises."""
    if cell.criterion == FUTURE_TASK:
        return FUTURE_TASK
    return "considerate" if cell.caring[0][1] else "plain Q-learning"
