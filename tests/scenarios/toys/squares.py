"""Squares of seeds, slowly.

A stand-in for a scenario; a cell may sleep or fail.
"""

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    seeds: Annotated[int, Field(ge=1, description="independent runs")] = 3
    factor: Annotated[Fraction, Field(gt=0, description="times what")] = Fraction(1, 2)
    offsets: tuple[int, ...] = (0,)
    seconds: float = 0.0
    failing: int | None = None


QUICK = Settings(seeds=2)
FULL = Settings(seeds=4)


@dataclass(frozen=True)
class Cell:
    seed: int
    factor: Fraction
    offset: int
    seconds: float
    failing: int | None


def cells(settings):
    return [
        Cell(seed, settings.factor, offset, settings.seconds, settings.failing)
        for seed in range(settings.seeds)
        for offset in settings.offsets
    ]


def run_cell(cell):
    time.sleep(cell.seconds)
    if cell.seed == cell.failing:
        raise RuntimeError("no square today")
    return {"square": cell.factor * cell.seed**2 + cell.offset, "digits": [cell.seed]}


def table(settings: Settings, results):
    for cell, result in results:
        yield Row("square", f"seed {cell.seed}, offset {cell.offset}", Fraction(result["square"]))
    total = sum(Fraction(result["square"]) for _, result in results)
    yield Row("sum", "all seeds", float(total), uncertainty=0.5, paper=Fraction(5, 2), tolerance=0.1)
    yield Row("parity", "all seeds", "odd" if len(results) % 2 else "even")


def story(settings, results):
    return f"{len(results)} squares were taken."


def figures(settings, results):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 2))
    figure.subplots().plot([cell.seed for cell, _ in results])
    return {"squares": figure}
