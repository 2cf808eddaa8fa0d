"""Cells finish in any process with the same bits, and a killed run goes on where it was."""

import io
import sys

import pytest
from rich.console import Console

from multislot.cells import executors, progress
from multislot.errors import MissingExtraError, SettingError
from scenarios.lab import runner


def test_processes_give_the_same_rows_as_one(squares, tmp_path):
    alone = runner.run(squares, results=tmp_path / "one")
    together = runner.run(squares, results=tmp_path / "two", jobs=2)
    assert alone.rows == together.rows
    for name in ("cells.csv", "table.csv", "squares.png", "squares.pdf", "squares.svg"):
        assert (alone.folder / name).read_bytes() == (together.folder / name).read_bytes()


def test_the_same_cell_twice_is_refused(squares, results):
    with pytest.raises(SettingError, match="3 cells are listed twice"):
        runner.run(squares, squares.settings({"offsets": "1,1"}), results=results)


def test_jobs_and_a_cluster_exclude_each_other(squares, results):
    with pytest.raises(SettingError, match="leave --jobs 2 out"):
        runner.run(squares, results=results, jobs=2, cluster="tcp://127.0.0.1:1")


def test_a_cluster_needs_its_extra(squares, results, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match='--cluster needs the extra "cluster"'):
        runner.run(squares, results=results, cluster="tcp://127.0.0.1:9")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere"])
def test_no_scheduler_at_the_address_is_one_sentence(squares, results, monkeypatch, address):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 1)
    with pytest.raises(SettingError, match=f"--cluster {address}: no Dask scheduler answers there") as caught:
        runner.run(squares, results=results, cluster=address)
    assert "\n" not in str(caught.value)


def test_progress_shows_cells_done_and_the_time_left(squares, results, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda stderr: Console(file=screen, force_terminal=True, width=100))
    runner.run(squares, results=results, progress=True)
    assert "3/3" in screen.getvalue()
    assert "left" in screen.getvalue()
