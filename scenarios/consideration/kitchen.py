"""Four kitchens from the later version of the paper: in which state does a cook leave the kitchen to the next cook?

Salad (a fridge left open), peanut (an oven that the next cook needs clean), salt (put back where the next cook can
reach it) and cookie (an oven that the next cook needs hot). The table shows the *extra steps* of both cooks over their
own optimum; 43 stands for a failure within 50 steps. Plain Q-learning does not care. A future-task reward cares for
what the acting agent itself could still do (Krakovna et al. 2020). The considerate agent cares for what the next cook
can do (equation 1, α₂ = 1).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from considerate import solve
from considerate.craftworld import task
from considerate.exact.comparators import future_task_rewards, solve_by_rewards
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, GREEN, RED
from scenarios.consideration import behavior
from scenarios.consideration.behavior import run_cell as run_behavior
from scenarios.lab.cells import Axes, Figures, Result, Results
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    """The coefficient, and how often to learn."""

    alpha: Annotated[Fraction, Field(gt=0, description="α₂, and β of the future-task reward")] = Fraction(1)
    seeds: behavior.Seeds = 10


QUICK = Settings(seeds=1)
CORE = True

DISHES = ("salad", "peanut", "salt", "cookie")
DESIGNS = ("plain Q-learning", "future task", "considerate")
FUTURE_TASK = "future task"
MORAL = (
    "With one or two more steps, the considerate cook saves the next cook all extra steps. A cook that cares only\n"
    "for what it could still do itself fails the next cook in one kitchen, because the two cooks do not need the\n"
    "same things."
)


def cells(settings: Settings) -> list[behavior.Cell]:
    names = [f"kitchen-{dish}" for dish in DISHES]
    plain = [behavior.Cell(name, "value", behavior.for_others(settings.alpha * 0)) for name in names]
    future = [behavior.Cell(name, FUTURE_TASK, behavior.for_others(settings.alpha)) for name in names]
    considerate = [behavior.Cell(name, "value", behavior.for_others(settings.alpha)) for name in names]
    return plain + future + behavior.with_seeds(considerate, settings.seeds)


def run_cell(cell: behavior.Cell) -> Result:
    if cell.criterion != FUTURE_TASK:
        return run_behavior(cell)
    chosen = task(cell.task)
    solved = behavior.describe_solution(solve_by_rewards(chosen, future_task_rewards(chosen, cell.alpha)))
    return solved | {"ties": [], "tied_ends": []}


def table(settings: Settings, results: Results) -> list[Row]:
    """Report extra steps over one's own optimum, acting cook first."""
    rows = []
    for cell, result in behavior.exact_results(results):
        extra = [best - value for best, value in zip(own_optima(cell.task), result["returns"], strict=True)]
        condition = f"{cell.task.removeprefix('kitchen-')}, {design(cell)}"
        rows.append(Row("extra steps of the acting cook; of the next", condition, "; ".join(map(str, extra))))
    considerate = [(cell, result) for cell, result in results if design(cell) == "considerate"]
    return rows + behavior.agreement(considerate)


def own_optima(name: str) -> tuple[int, int]:
    """The return of each cook if it does its own task in the initial kitchen, in the fewest steps."""
    kitchen = task(name)
    following = kitchen.value_functions()[kitchen.agents[1]](kitchen.start)
    return int(solve(kitchen, "value", 0).own_return), int(following)


def design(cell: behavior.Cell) -> str:
    if cell.criterion == FUTURE_TASK:
        return FUTURE_TASK
    return "considerate" if cell.alpha else "plain Q-learning"


FAILED, TOP = 43, 4
"""Extra steps that stand for a failure, and where the bars of failures end."""
COLORS = (RED, BLUE, GREEN)
HATCH = "////"


def figures(settings: Settings, results: Results) -> Figures:
    """Draw bars of extra steps: the acting cook's solid, the next one's hatched."""
    from matplotlib.patches import Patch

    figure = new_figure(8.0, 4.6)
    axes = figure.add_subplot()
    returns = {(cell.task, design(cell)): result["returns"] for cell, result in behavior.exact_results(results)}
    for column, dish in enumerate(DISHES):
        best = own_optima(f"kitchen-{dish}")
        for number, (name, color) in enumerate(zip(DESIGNS, COLORS, strict=True)):
            acting, following = (b - r for b, r in zip(best, returns[f"kitchen-{dish}", name], strict=True))
            place = column + 0.28 * (number - 1)
            for offset, value, hatch in ((-0.065, acting, ""), (0.065, following, HATCH)):
                _bar(axes, place + offset, value, color, hatch)
    looks: list[tuple[str, dict[str, Any]]] = [
        *((name, {"color": color}) for name, color in zip(DESIGNS, COLORS, strict=True)),
        ("the acting cook", {"color": "0.5"}),
        ("the next cook", {"facecolor": "white", "edgecolor": "0.5", "hatch": HATCH}),
    ]
    axes.legend(handles=[Patch(label=name, **look) for name, look in looks], ncols=3, **BELOW)
    axes.set(ylim=(-3, TOP + 1.6), yticks=range(-2, TOP))
    axes.axhline(0, color="black", lw=0.6)
    axes.set_xticks(range(len(DISHES)), DISHES)
    axes.set(xlabel="dish", ylabel=f"extra steps; cut off where it says “failed”: {FAILED}")
    axes.set_title("Extra steps of both cooks, by design of the acting one")
    return {"kitchen": figure}


def _bar(axes: Axes, place: float, value: float, color: str, hatch: str) -> None:
    """Draw one cook's extra steps, with their number; a failure is cut off."""
    failed = value >= FAILED
    fill: dict[str, Any] = {"facecolor": "white" if hatch else color, "edgecolor": color, "hatch": hatch}
    axes.bar(place, TOP if failed else value, 0.115, **fill)
    words, top = ("failed" if failed else f"{value:g}"), TOP if failed else max(value, 0)
    axes.annotate(words, (place, top + 0.06), ha="center", va="bottom", rotation=90 * failed)
