"""The harm that every design does to every other agent, on every task in which others come later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from considerate.comparators import compare
from considerate.craftworld import TASKS, task
from scenarios.consideration.comparators.settings import Settings
from scenarios.table import Measured

SEQUENTIAL = tuple(name for name in TASKS if name != "shared-key")


@dataclass(frozen=True)
class Cell:
    """All designs on one task at one strength."""

    task: str
    strength: Fraction


def cells(settings: Settings) -> list[Cell]:
    """Returns a cell for each task and strength."""
    return [Cell(name, strength) for strength in settings.strengths for name in SEQUENTIAL]


def run_cell(cell: Cell) -> dict[str, Any]:
    """Returns returns and harm by design and agent."""
    return {
        found.design: {"returns": dict(found.outcome.returns), "harm": dict(found.harm)}
        for found in compare(task(cell.task), cell.strength)
    }


def table(settings: Settings, results: Sequence[tuple[Cell, Mapping[str, Any]]]) -> list[Measured]:
    """Returns the sum of harm for each task and design, and its own return."""
    rows = []
    for cell, designs in results:
        for design, found in designs.items():
            condition = f"{cell.task}, {design}, strength {cell.strength}"
            rows.append(Measured("acting agent's return", condition, next(iter(found["returns"].values()))))
            rows.append(Measured("harm to others", condition, sum(found["harm"].values())))
    return rows


def story(settings: Settings, results: Sequence[tuple[Cell, Mapping[str, Any]]]) -> str:
    """Returns who gets hurt by which design, in words."""
    lines = []
    for cell, designs in results:
        for design, found in designs.items():
            hurt = [f"{agent} by {harm}" for agent, harm in found["harm"].items() if harm]
            if hurt:
                lines.append(f"{cell.task}, strength {cell.strength}: {design} hurts {', '.join(hurt)}")
    return "\n".join(lines)
