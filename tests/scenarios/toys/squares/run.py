"""Squares of seeds; a cell may sleep, fail or kill its process."""

import os
import signal
import time
from dataclasses import dataclass
from fractions import Fraction

from scenarios.lab.table import Measured
from tests.scenarios.toys.squares.settings import Settings


@dataclass(frozen=True)
class Cell:
    seed: int
    factor: Fraction
    offset: int
    seconds: float
    failing: int | None
    dying: int | None


def cells(settings):
    return [
        Cell(seed, settings.factor, offset, settings.seconds, settings.failing, settings.dying)
        for seed in range(settings.seeds)
        for offset in settings.offsets
    ]


def run_cell(cell):
    time.sleep(cell.seconds)
    if cell.seed == cell.failing:
        raise RuntimeError("no square today")
    if cell.seed == cell.dying:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": cell.factor * cell.seed**2 + cell.offset, "digits": [cell.seed]}


def table(settings: Settings, results):
    for cell, result in results:
        yield Measured("square", f"seed {cell.seed}, offset {cell.offset}", Fraction(result["square"]))
    total = sum(Fraction(result["square"]) for _, result in results)
    yield Measured("sum", "all seeds", float(total), uncertainty=0.5, paper=Fraction(5, 2), tolerance=0.1)
    yield Measured("parity", "all seeds", "odd" if len(results) % 2 else "even")


def story(settings, results):
    return f"{len(results)} squares were taken."
