"""What every design does to every other agent, on every task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from considerate.craftworld import PAPER_TASKS, task
from considerate.exact.comparators import DESIGNS, compare_designs
from scenarios.consideration.comparators.settings import Settings
from scenarios.lab.table import Measured

MORAL = (
    "A design that protects the acting agent's own future, or what can still be reached, protects the others only\n"
    "where they happen to need the same. The considerate agent looks at what the others can still do. Even it may\n"
    "harm one of them where that helps the rest more."
)


@dataclass(frozen=True)
class Cell:
    """All designs on one task at one strength."""

    task: str
    strength: Fraction


Results = Sequence[tuple[Cell, Mapping[str, Any]]]


def cells(settings: Settings) -> list[Cell]:
    """Return a cell for each task and strength."""
    return [Cell(name, strength) for strength in settings.strengths for name in PAPER_TASKS]


def run_cell(cell: Cell) -> dict[str, Any]:
    """Return the returns and the harm by design and agent."""
    return {
        found.design: {"returns": dict(found.behaviour.returns), "harm": dict(found.harm)}
        for found in compare_designs(task(cell.task), cell.strength)
    }


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the acting agent's own return and the harm to each other agent, for each task, design and strength."""
    rows = []
    for cell, designs in results:
        for design in DESIGNS:
            own, *_ = designs[design]["returns"].values()
            condition = f"{design}, {cell.task}, strength {cell.strength}"
            rows.append(Measured("acting agent's return", condition, own, case=design))
            for agent, harm in designs[design]["harm"].items():
                rows.append(Measured(f"harm to {agent}", condition, harm, case=design))
    return rows


def story(settings: Settings, results: Results) -> str:
    """Return whom each design hurts, a line for each design and strength."""
    lines = []
    for strength in settings.strengths:
        of_strength = [(cell, designs) for cell, designs in results if cell.strength == strength]
        for design in DESIGNS:
            hurt = [hurting(cell, designs[design]) for cell, designs in of_strength]
            lines.append(f"{design}, strength {strength}, hurts " + ("; ".join(filter(None, hurt)) or "nobody"))
    return "\n".join(lines)


def hurting(cell: Cell, found: Mapping[str, Any]) -> str:
    """Return whom a design hurts in a task and by how much; an empty text if nobody."""
    hurt = [f"{agent} by {harm}" for agent, harm in found["harm"].items() if harm]
    return f"{cell.task}: {', '.join(hurt)}" if hurt else ""
