"""Who causes an event first: in random classes, in tight ones, among all described events, and by way of a fuse."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from scenarios.conservatism.precedent import described, drawn, fuse, tight
from scenarios.conservatism.precedent.settings import Settings
from scenarios.lab.table import Measured

Cell: TypeAlias = drawn.DrawnCell | tight.TightCell | described.DescribedCell | fuse.FuseCell
Results: TypeAlias = Sequence[tuple[Cell, dict[str, Any]]]
MORAL = (
    "Pessimism bounds what the agent is the first to do, for any event that somebody may name afterwards, and the\n"
    "bound is nearly met: half the care breaks it. The price is a β closer to 1 for events with longer\n"
    "descriptions."
)


def cells(settings: Settings) -> list[Cell]:
    """Return the cells of all parts."""
    return [*drawn.cells(settings), *tight.cells(settings), *described.cells(settings), *fuse.cells(settings)]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return the result of a cell, see the part that it belongs to."""
    if isinstance(cell, drawn.DrawnCell):
        return drawn.run_cell(cell)
    if isinstance(cell, tight.TightCell):
        return tight.run_cell(cell)
    return described.run_cell(cell) if isinstance(cell, described.DescribedCell) else fuse.run_cell(cell)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the rows of all parts."""
    return [
        *drawn.table(settings, drawn_of(results)),
        *tight.table(settings, tight_of(results)),
        *described.table(settings, described_of(results)),
        *fuse.table(settings, [(cell, result) for cell, result in results if isinstance(cell, fuse.FuseCell)]),
    ]


def drawn_of(results: Results) -> drawn.Results:
    """Return the results of the random classes."""
    return [(cell, result) for cell, result in results if isinstance(cell, drawn.DrawnCell)]


def tight_of(results: Results) -> tight.Results:
    """Return the results of the tight classes."""
    return [(cell, result) for cell, result in results if isinstance(cell, tight.TightCell)]


def described_of(results: Results) -> described.Results:
    """Return the results of the described events."""
    return [(cell, result) for cell, result in results if isinstance(cell, described.DescribedCell)]
