"""Results depend neither on the number of jobs nor on the order in which cells are run; one that does is noticed."""

from functools import partial
from itertools import count

import pytest

from multislot.cells import cell_key, finish
from scenarios.lab import registry, runner
from tests.scenarios.toys import squares as squares_module

CHEAP = ("doll", "reward-hacking", "garden", "tempting-button")
"""Of several families; whole reproductions are compared by hand."""


def rows(scenario, *, jobs=1, backwards=False):
    """The table of a scenario at its smallest settings, its cells run in an order."""
    settings = scenario.settings({"seeds": 2} if scenario.has_seeds else {}, preset="QUICK")
    cells = {cell_key(cell): cell for cell in scenario.cells(settings)}
    ordered = dict(reversed(cells.items())) if backwards else cells
    done = finish(partial(runner.perform, scenario.module), ordered, None, jobs=jobs)
    return scenario.table(settings, [(cell, done[key]) for key, cell in cells.items()])


@pytest.mark.parametrize("name", CHEAP)
def test_jobs_and_order_change_no_row(name):
    scenario = registry.find(name)
    assert rows(scenario) == rows(scenario, jobs=2, backwards=True)


def test_cells_that_depend_on_their_order_are_noticed(squares, monkeypatch):
    """The control: a cell that counts how many came before it."""

    def rows_of_counting(**order):
        earlier = count()
        counted = lambda cell: {"square": cell.factor * next(earlier), "digits": [cell.seed]}  # noqa: E731
        monkeypatch.setattr(squares_module, "run_cell", counted)
        return rows(squares, **order)

    assert rows_of_counting() == rows_of_counting()
    assert rows_of_counting() != rows_of_counting(backwards=True)
