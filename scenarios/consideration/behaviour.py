"""What the scenarios of this family share: a behaviour as a cell, its returns as rows, its walk as a figure.

A cell is one task with one criterion and its coefficients, solved exactly or learned with one seed. Learned cells are
held against the exact ones: the paper trains every experiment with Q-learning and draws what is learned.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from considerate import solve
from considerate.craftworld import Task, task
from considerate.learn import learn
from considerate.solve import Solution
from scenarios.table import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXACT = "exact"
LEAST_SHARE = Fraction(9, 10)
"""In how many of the runs Q-learning has to reach the exact optimum, away from thresholds."""


@dataclass(frozen=True)
class Cell:
    """One behaviour: solved exactly, or learned with one seed.

    Args:
        task: a task of Craft-World by name.
        criterion: by name.
        caring: (agent, coefficient) for each agent considered; the name ``others`` stands for all of them.
        how: `EXACT`, or ``seed n`` for Q-learning.
    """

    task: str
    criterion: str
    caring: tuple[tuple[str, Fraction], ...]
    how: str = EXACT


Result = Mapping[str, Any]
Results = Sequence[tuple[Cell, Result]]


def for_others(alpha: Fraction) -> tuple[tuple[str, Fraction], ...]:
    """One coefficient for all others."""
    return (("others", alpha),)


def with_seeds(exact: Iterable[Cell], seeds: int) -> list[Cell]:
    """The exact cells, then each learned with every seed."""
    solved = list(exact)
    learned = [Cell(c.task, c.criterion, c.caring, f"seed {seed}") for c in solved for seed in range(seeds)]
    return solved + learned


def run_cell(cell: Cell) -> dict[str, Any]:
    """Solves or learns one cell: returns by agent, the walk, what is left, and behaviours that are as good."""
    chosen = task(cell.task)
    caring = cell.caring[0][1] if cell.caring[0][0] == "others" else dict(cell.caring)
    if cell.how != EXACT:
        found = learn(chosen, cell.criterion, caring, seed=int(cell.how.split()[1])).solution
        return {"returns": None} if found is None else described(found)
    solution = solve(chosen, cell.criterion, caring)
    ties = [list(other.returns.values()) for other in solution.ties]
    return described(solution) | {"ties": ties, "tied_ends": [str(other.end_state.things) for other in solution.ties]}


def described(solution: Solution) -> dict[str, Any]:
    """A behaviour as plain values."""
    return {
        "returns": list(solution.returns.values()),
        "path": [list(cell) for cell in solution.path],
        "end": str(solution.end_state.things),
        "facts": {name: str(value) for name, value in solution.end_state.things.facts},
    }


def exact_results(results: Results) -> Results:
    """The cells that were solved."""
    return [(cell, result) for cell, result in results if cell.how == EXACT]


def joined(returns: Sequence[object]) -> str:
    """Returns of several agents in one word, as the paper's table writes them."""
    return "; ".join(map(str, returns))


def agreement(results: Results, name: str) -> list[Measured]:
    """For each cell, the share of seeds with which Q-learning reaches the exact optimum (or one that is as good)."""
    rows = []
    for solved, exact in exact_results(results):
        same = [r for c, r in results if c.how != EXACT and (c.task, c.criterion, c.caring) == key(solved)]
        if same:
            good = [exact["returns"], *exact["ties"]]
            share = Fraction(sum(result["returns"] in good for result in same), len(same))
            condition = f"{condition_of(solved)}, {len(same)} seeds"
            rows.append(Measured(f"{name}: share of seeds in which learning is exact", condition, share))
            rows.append(verdict(share, len(same), condition, f"{name}: "))
    return rows


def verdict(share: Fraction, seeds: int, condition: str, name: str = "") -> Measured:
    """Whether Q-learning is exact in enough of the runs, in words that say how many of how many that is."""
    enough = f"learning is exact in at least {math.ceil(LEAST_SHARE * seeds)} of {seeds} seeds"
    return Measured(f"{name}{enough}", condition, "yes" if share >= LEAST_SHARE else "no", paper="yes")


def key(cell: Cell) -> tuple[object, ...]:
    """What a cell is about, however it is done."""
    return (cell.task, cell.criterion, cell.caring)


def condition_of(cell: Cell) -> str:
    """The coefficients of a cell in words."""
    caring = ", ".join(f"α of {agent} = {alpha}" for agent, alpha in cell.caring)
    return f"{cell.task}, {cell.criterion}, " + caring.replace("α of others", "α₂").replace("α of agent_", "α")


def map_figure(name: str, walks: Sequence[tuple[str, Result]], title: str = "") -> "Figure":
    """A task's map with walks drawn over it."""
    from considerate.craftworld.render import Walk, figure

    shown: Task = task(name)
    return figure(shown, [Walk(label, [(x, y) for x, y in result["path"]]) for label, result in walks], title=title)
