"""Cells for tests: plain dataclasses and what is done with them; importable by other processes."""

import os
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from multislot.cells import CellStore, cell_key, finish
from multislot.errors import MissingExtraError


@dataclass(frozen=True)
class Square:
    """A number to be squared, which may take a while, fail or end its process."""

    number: int
    seconds: float = 0.0
    fate: str = "squared"


def squares(count, **fields):
    """Cells by key."""
    return {cell_key(cell): cell for cell in (Square(number, **fields) for number in range(count))}


def square(cell):
    """One cell's result."""
    if cell.seconds:  # even a sleep of no time gives the processor away
        time.sleep(cell.seconds)
    if cell.fate == "fails":
        raise ValueError(f"no square of {cell.number} today")
    if cell.fate == "dies":
        os._exit(1)
    return {"square": cell.number**2, "half": cell.number / 2}


def noted(folder, cell):
    """The same; leaves a file for every cell that is run."""
    (Path(folder) / str(cell.number)).touch()
    return square(cell)


def needs_an_extra(cell):
    raise MissingExtraError("a deep agent", "deep")


class ForgetfulStore(CellStore):
    """Keeps no result."""

    def add(self, cells):
        pass


def main(path, count, seconds, jobs, store_class="CellStore"):
    """Finish squares with a store; what a process that is to be killed runs."""
    with globals()[store_class](Path(path)) as store:
        work = partial(noted, Path(path).parent / "ran")
        finish(work, squares(int(count), seconds=float(seconds)), store, jobs=int(jobs))


if __name__ == "__main__":
    main(*sys.argv[1:])
