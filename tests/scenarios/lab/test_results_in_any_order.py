"""Several processes that write into one folder of results, in many orders: no content is lost and no cell."""

from contextlib import nullcontext
from functools import partial
from itertools import count

import pytest

from scenarios.lab import store as lab_store
from scenarios.lab.store import RUN, RunFolder
from tests.multislot.cells.schedules import all_switches, at_random, cell, pauses, run

CONTENT = {"scenario": "trial", "hash": "0" * 64}
TABLE, OTHER = "table.csv", b"of another version"
SOME, MANY = 10, 1000


def live(results, name):
    """Open the folder, add a cell and write a table."""
    folder = RunFolder(results, CONTENT, "run")
    with folder.cells as store:
        store.add([cell(name), cell("shared")])
        folder.keep(TABLE, name.encode())


def faults(results, choose, names):
    """What is missing after processes wrote in an order; the folder has a record of another version before."""
    folder = results / "trial" / f"run-{CONTENT['hash'][:12]}"
    folder.mkdir(parents=True)
    (folder / RUN).write_bytes(OTHER)
    found = [
        f"{type(error).__name__}: {error}" for error in run([partial(live, results, name) for name in names], choose)
    ]
    tables, records = ({path.read_bytes() for path in folder.glob(pattern)} for pattern in ("table*.csv", "run*.json"))
    found += [f"the table of {name} is lost" for name in names if name.encode() not in tables]
    found += ["the older record is lost"] * (OTHER not in records)
    with RunFolder(results, CONTENT, "run").cells as store:
        found += [f"the cell of {name} is lost" for name in names if name not in store.find([name])]
    return found + [str(path) for path in folder.glob("*.draft")]


@pytest.fixture
def attempt(tmp_path):
    """Try a schedule in a fresh folder."""
    numbers = count()
    with pauses():
        yield lambda choose, names=("x", "y"): faults(tmp_path / str(next(numbers)), choose, names)


def test_two_processes_lose_nothing_with_one_switch(attempt):
    def check(schedule):
        assert attempt(schedule) == []

    assert all_switches(1, check) > 20


@pytest.mark.parametrize(
    "number", [pytest.param(SOME, id="some"), pytest.param(MANY, id="many", marks=pytest.mark.full)]
)
def test_four_processes_lose_nothing_in_random_orders(attempt, number):
    for seed in range(number):
        assert (seed, attempt(at_random(seed), ("x", "y", "z", "w"))) == (seed, [])


def test_a_folder_without_a_lock_loses_a_table(attempt, monkeypatch):
    """The control."""
    monkeypatch.setattr(lab_store, "locked", lambda *given: nullcontext())
    lost = []
    all_switches(1, lambda schedule: lost.extend(attempt(schedule)))
    assert any("the table of" in fault for fault in lost)
