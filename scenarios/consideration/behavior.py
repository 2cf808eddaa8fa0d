"""What the scenarios of this family share: a behavior as a cell, its returns as rows, its walk as a figure.

A cell is one task with one criterion and its coefficients, solved exactly or learned with one seed. Learned cells are
compared with the exact ones: the paper trains every experiment with Q-learning and draws the learned behavior.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from considerate import solve
from considerate.craftworld import Task, task
from considerate.craftworld.partner import AT, FINISHED, HAS, HELD_BY_OTHER, KEY, Partner
from considerate.craftworld.rules import Things, first_change
from considerate.exact.solutions import Solution
from considerate.training.learning import learn
from multislot.statistics import clopper_pearson
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXACT = "exact"
LEAST_SHARE = Fraction(9, 10)
"""The share of runs in which Q-learning is claimed to reach the exact optimum, away from thresholds."""
ENOUGH_SEEDS = 10
"""Fewer runs cannot decide that claim: they are counted, with an interval."""
DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

known_task = cache(task)
"""A task by name; its graph and values are then computed once in a process."""


@dataclass(frozen=True)
class Cell:
    """One behavior: solved exactly, or learned with one seed.

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


def for_others(alpha: Fraction) -> tuple[tuple[str, Fraction], ...]:
    """Return one coefficient for all others."""
    return (("others", alpha),)


def with_seeds(exact: Iterable[Cell], seeds: int) -> list[Cell]:
    """Return the exact cells, then each learned with every seed."""
    solved = list(exact)
    learned = [Cell(c.task, c.criterion, c.caring, f"seed {seed}") for c in solved for seed in range(seeds)]
    return solved + learned


def run_cell(cell: Cell) -> dict[str, Any]:
    """Solve or learn one cell: returns by agent, the walk, what is left, and behaviors that are as good."""
    chosen = known_task(cell.task)
    caring = cell.caring[0][1] if cell.caring[0][0] == "others" else dict(cell.caring)
    if cell.how != EXACT:
        learned = learn(chosen, cell.criterion, caring, seed=int(cell.how.split()[1])).solution
        return {"returns": None} if learned is None else described(learned)
    solution = solve(chosen, cell.criterion, caring)
    ties = [list(other.returns.values()) for other in solution.ties]
    return described(solution) | {"ties": ties, "tied_ends": [str(other.end_state.things) for other in solution.ties]}


def described(solution: Solution) -> dict[str, Any]:
    """Return a behavior as plain values; where both act at the same time, with the second walk and who waits."""
    return described_waiting(solution) | {
        "returns": list(solution.returns.values()),
        "path": [list(cell) for cell in solution.path],
        "end": str(solution.end_state.things),
        "facts": {name: str(value) for name, value in solution.end_state.things.facts},
    }


def described_waiting(solution: Solution) -> dict[str, Any]:
    """Return a second agent's walk, and the steps in which each only waits; nothing without a second agent."""
    if solution.task.partner is None:
        return {}
    things = seconds_things(solution.task.partner, solution)
    return {
        "second": [list(cell) for cell in (facts[AT] for facts in things) if isinstance(cell, tuple)],
        "waits": waits(solution),
        "second_waits": [step for step, (before, after) in enumerate(pairwise(things), 1) if stands(before, after)],
    }


def seconds_things(partner: Partner, solution: Solution) -> list[Things]:
    """Return the facts after each step of a second agent, to its own end."""
    passed = [state.things for state in solution.trajectory]
    while not passed[-1][FINISHED]:
        passed.append(partner.moves(passed[-1]))
    return passed[: 1 + sum(not things[FINISHED] for things in passed)]


def stands(before: Things, after: Things) -> bool:
    """Whether a second agent neither moves in a step nor takes, makes or leaves anything."""
    held = [things[KEY] == HELD_BY_OTHER for things in (before, after)]
    return (before[AT], before[HAS], held[0]) == (after[AT], after[HAS], held[1])


def waits(solution: Solution) -> list[int]:
    """Return the steps, counted from 1, in which the acting agent neither moves nor triggers a rule."""
    changes, steps = solution.task.acting.changes, zip(pairwise(solution.trajectory), solution.actions, strict=True)
    return [
        step
        for step, ((before, after), action) in enumerate(steps, 1)
        if before.cell == after.cell and first_change(changes, action, before.things, before.cell) is None
    ]


def exact_results(results: Results) -> Results:
    """Return the cells that were solved."""
    return [(cell, result) for cell, result in results if cell.how == EXACT]


def joined(returns: Sequence[object]) -> str:
    """Return the returns of several agents in one text, as the paper's table writes them."""
    return "; ".join(map(str, returns))


def agreement(results: Results) -> list[Row]:
    """Return, for each cell, in how many seeds Q-learning reaches the exact optimum (or one that is as good)."""
    rows = []
    for solved, exact in exact_results(results):
        same = [r for c, r in results if c.how != EXACT and (c.task, c.criterion, c.caring) == key(solved)]
        if same:
            good = [exact["returns"], *exact["ties"]]
            rows.append(reached(sum(r["returns"] in good for r in same), len(same), condition_of(solved)))
    return rows


def reached(exact: int, seeds: int, condition: str) -> Row:
    """Return in how many seeds Q-learning is exact: a share and the claim, or too few runs for a verdict."""
    where = f"{condition}, {seeds} seeds"
    if seeds >= ENOUGH_SEEDS:
        share, slack = Fraction(exact, seeds), float(1 - LEAST_SHARE)
        return Row(
            f"share of seeds in which learning is exact (≥ {LEAST_SHARE})", where, share, 0.0, 1, slack, kind="claim"
        )
    low, high = clopper_pearson(exact, seeds)
    ours = f"{exact} of {seeds} ({low:.2f} to {high:.2f})"
    return Row("seeds in which learning is exact (95% interval of the share)", where, ours)


def key(cell: Cell) -> tuple[object, ...]:
    """Return task, criterion and coefficients of a cell, solved or learned."""
    return (cell.task, cell.criterion, cell.caring)


def condition_of(cell: Cell) -> str:
    """Return the coefficients of a cell as text."""
    caring = ", ".join(f"{coefficient_of(agent)} = {alpha}" for agent, alpha in cell.caring)
    return f"{cell.task}, {cell.criterion}, {caring}"


def coefficient_of(agent: str) -> str:
    """Return the name of an agent's coefficient; that of all others is α₂."""
    return "α₂" if agent == "others" else "α" + agent.removeprefix("agent_").translate(DIGITS)


def map_figure(name: str, walks: Sequence[tuple[str, Result]], title: str = "") -> "Figure":
    """Return a task's map with walks drawn over it."""
    from considerate.craftworld.drawing import Walk, figure

    shown: Task = known_task(name)
    return figure(shown, [Walk(label, [(x, y) for x, y in result["path"]]) for label, result in walks], title=title)
