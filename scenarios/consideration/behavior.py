"""What the scenarios of this family share: a behavior as a cell, its returns as rows, its walk as a figure.

A cell is one task with one criterion and its coefficients, solved exactly or learned with one seed. Learned cells are
compared with the exact ones: the paper trains every experiment with Q-learning and draws the learned behavior.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, TypeAlias

from pydantic import Field

from considerate import solve
from considerate.craftworld import task
from considerate.craftworld.drawing import Walk, figure
from considerate.craftworld.partner import AT, FINISHED, HAS, HELD, HELD_BY_OTHER, KEY
from considerate.exact.frontiers import frontier
from considerate.exact.solutions import Solution
from considerate.training.learning import learn
from multislot.statistics import clopper_pearson
from scenarios.lab.cells import Figures, Result, Results, select_pairs
from scenarios.lab.table import Row

Alphas: TypeAlias = Annotated[tuple[Fraction, ...], Field(min_length=1, description="α₂, the caring coefficients")]
Seeds: TypeAlias = Annotated[
    int, Field(ge=0, description="Q-learning runs for each behavior, seeds 0 … n−1; 0 for none")
]
LEAST_SHARE = Fraction(9, 10)
"""The share of runs in which Q-learning is claimed to reach the exact optimum, away from thresholds."""
ENOUGH_SEEDS = 10
"""Fewer runs cannot decide that claim: they are counted, with an interval."""
DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Cell:
    """One behavior: solved exactly, or learned with one seed.

    Args:
        task: a task of Craft-World by name.
        criterion: by name.
        caring: (agent, coefficient) for each agent considered; the name ``others`` stands for all of them.
        seed: of Q-learning; None if the behavior is solved exactly.
    """

    task: str
    criterion: str
    caring: tuple[tuple[str, Fraction], ...]
    seed: int | None = None

    @property
    def alpha(self) -> Fraction:
        return self.caring[0][1]

    @property
    def condition(self) -> str:
        caring = ", ".join(f"{coefficient_of(agent)} = {alpha}" for agent, alpha in self.caring)
        return f"{self.task}, {self.criterion}, {caring}"


def coefficient_of(agent: str) -> str:
    """The name of an agent's coefficient; that of all others is α₂."""
    return "α₂" if agent == "others" else "α" + agent.removeprefix("agent_").translate(DIGITS)


def for_others(alpha: Fraction) -> tuple[tuple[str, Fraction], ...]:
    return (("others", alpha),)


def with_seeds(exact: Sequence[Cell], seeds: int) -> list[Cell]:
    """List the exact cells, then each of them learned with every seed."""
    return [*exact, *(replace(cell, seed=seed) for cell in exact for seed in range(seeds))]


def run_cell(cell: Cell) -> Result:
    """Solve or learn one cell: returns by agent, the walk, what is left, and behaviors that are as good."""
    chosen = task(cell.task)
    caring = cell.alpha if cell.caring[0][0] == "others" else dict(cell.caring)
    if cell.seed is not None:
        learned = learn(chosen, cell.criterion, caring, seed=cell.seed).solution
        return {"returns": None} if learned is None else describe_solution(learned)
    solution = solve(chosen, cell.criterion, caring)
    ties = [list(other.returns.values()) for other in solution.ties]
    return describe_solution(solution) | {
        "ties": ties,
        "tied_ends": [str(other.end_state.things) for other in solution.ties],
    }


def describe_solution(solution: Solution) -> Result:
    """Describe a behavior by plain values; where both act at the same time, with the second walk and who waits."""
    return describe_waiting(solution) | {
        "returns": list(solution.returns.values()),
        "path": [list(cell) for cell in solution.path],
        "end": str(solution.end_state.things),
        "facts": {name: str(value) for name, value in solution.end_state.things.facts},
    }


def describe_waiting(solution: Solution) -> Result:
    """Describe a second agent's walk, and the steps in which each only waits; nothing without a second agent."""
    partner, passed = solution.task.partner, [state.things for state in solution.trajectory]
    if partner is None:
        return {}
    first = [
        (state.cell, state.things.put({AT: None, HAS: None, FINISHED: None, KEY: state.things[KEY] == HELD}))
        for state in solution.trajectory
    ]
    while not passed[-1][FINISHED]:
        passed.append(partner.moves(passed[-1]))
    passed = passed[: 1 + sum(not things[FINISHED] for things in passed)]  # to its own end
    second = [(things[AT], things[HAS], things[KEY] == HELD_BY_OTHER) for things in passed]
    return {
        "second": [list(cell) for cell, _, _ in second if isinstance(cell, tuple)],
        "waits": waits(first),
        "second_waits": waits(second),
    }


def waits(situations: Sequence[object]) -> list[int]:
    """The steps, counted from 1, in which an agent neither moves nor takes, makes or leaves anything."""
    return [step for step, (before, after) in enumerate(pairwise(situations), 1) if before == after]


def exact_results(results: Results) -> Results:
    return select_pairs(results, seed=None)


def agreement(results: Results) -> list[Row]:
    """Report, for each cell, in how many seeds Q-learning reaches the exact optimum (or one that is as good)."""
    rows = []
    for solved, exact in exact_results(results):
        runs = [result for cell, result in results if cell != solved and replace(cell, seed=None) == solved]
        if runs:
            good = [exact["returns"], *exact["ties"]]
            rows.append(learned_row(sum(run["returns"] in good for run in runs), len(runs), solved.condition))
    return rows


def threshold_rows(name: str, criterion: str, also: str = "", caring: Mapping[str, int] | int = 1) -> list[Row]:
    """Report the coefficients α₂ at which the optimal behavior of a task changes; `also` says what else holds."""
    vary = None if isinstance(caring, int) else ("agent_2",)
    thresholds = frontier(task(name), criterion, vary=vary, caring=caring).thresholds
    return [Row("threshold", f"number {number} in α₂{also}", value) for number, value in enumerate(thresholds, 1)]


def learned_row(exact: int, seeds: int, condition: str) -> Row:
    """Report in how many seeds Q-learning is exact: a share and the claim, or too few runs for a verdict."""
    where = f"{condition}, {seeds} seeds"
    if seeds >= ENOUGH_SEEDS:
        share, slack = Fraction(exact, seeds), float(1 - LEAST_SHARE)
        return Row(
            f"share of seeds in which learning is exact (≥ {LEAST_SHARE})", where, share, 0.0, 1, slack, kind="claim"
        )
    low, high = clopper_pearson(exact, seeds)
    ours = f"{exact} of {seeds} ({low:.2f} to {high:.2f})"
    return Row("seeds in which learning is exact (95% interval of the share)", where, ours)


def map_figure(results: Results, describe: Callable[[Cell, Result], str], title: str) -> Figures:
    """Draw a task's map with the walk of every exact cell over it, described in words."""
    solved = exact_results(results)
    name = solved[0][0].task
    walks = [Walk(describe(cell, result), result["path"]) for cell, result in solved]
    return {name: figure(task(name), walks, title=title)}
