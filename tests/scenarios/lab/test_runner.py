"""Cells finish in any process with the same bits, and a killed run goes on where it was."""

import io
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from distributed import LocalCluster
from rich.console import Console

from multislot.cells import CellError, executors, progress
from multislot.errors import MissingExtraError, SettingError
from scenarios.lab import runner
from tests.scenarios.conftest import TOYS
from tests.scenarios.toys import squares as squares_module

SLOW = """
from scenarios.lab import registry
from scenarios.lab import runner
from scenarios.lab import store
store.code_hash = lambda scenario: "as it is"
squares = registry.find("squares", {toys!r})
settings = squares.settings({{"seeds": {seeds}, "seconds": {seconds}}})
if __name__ == "__main__":
    outcome = runner.run(squares, settings, jobs={jobs}, cluster={cluster!r}, results={results!r})
    print(outcome.resumed, outcome.results[-1][1]["square"])
"""
PATIENCE_SECONDS = 600


def start(results, *, seeds=30, seconds=0.1, jobs=1, cluster=None):
    code = SLOW.format(toys=TOYS, seeds=seeds, seconds=seconds, jobs=jobs, cluster=cluster, results=str(results))
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(results):
    """How many cells the one run under `results` has stored."""
    for path in results.glob("*/*/cells.sqlite"):
        try:
            return sqlite3.connect(path).execute("SELECT count(*) FROM cells").fetchone()[0]
        except sqlite3.OperationalError:  # the table is not there yet
            return 0
    return 0


def wait_for_cells(results, number, process):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while finished(results) < number:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_cells_are_run_once_and_found_again(squares, results):
    first, second = (runner.run(squares, results=results) for _ in range(2))
    assert (first.resumed, second.resumed) == (0, 3)
    assert (first.rows, first.results) == (second.rows, second.results)
    assert first.record.uncovered == 1


def test_processes_give_the_same_rows_as_one(squares, tmp_path):
    alone = runner.run(squares, results=tmp_path / "one")
    together = runner.run(squares, results=tmp_path / "two", jobs=2)
    assert alone.rows == together.rows
    for name in ("cells.csv", "table.csv", "squares.png", "squares.pdf", "squares.svg"):
        assert (alone.folder / name).read_bytes() == (together.folder / name).read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_cell_is_named_and_the_others_are_kept(squares, results, jobs):
    settings = squares.settings({"failing": 1})
    with pytest.raises(CellError, match=r"1 of 3 cells failed.*Cell\(seed=1.*RuntimeError: no square today.*kept"):
        runner.run(squares, settings, results=results, jobs=jobs)
    assert finished(results) == 2


def test_the_message_of_a_failing_cell_stays_short_without_a_torn_sentence(squares, results, monkeypatch):
    monkeypatch.setattr(squares_module, "run_cell", fail_at_length)
    with pytest.raises(CellError, match=r"^3 of 3 cells failed.* It was so …; finished cells are kept") as caught:
        runner.run(squares, results=results)
    assert len(str(caught.value)) < 1000


def fail_at_length(cell):
    raise RuntimeError("It was so. " * 1_000)


def test_a_worker_that_dies_is_an_error_and_the_next_run_goes_on(squares, results):
    with pytest.raises(CellError, match=r"cells failed.*TerminatedWorkerError: .*run again to go on"):
        runner.run(squares, squares.settings({"dying": 1}), results=results, jobs=2)
    assert len(runner.run(squares, results=results, jobs=2).results) == 3


def test_the_same_cell_twice_is_refused(squares, results):
    with pytest.raises(SettingError, match="3 cells are listed twice"):
        runner.run(squares, squares.settings({"offsets": "1,1"}), results=results)


def test_jobs_and_cluster_are_checked(squares, results):
    with pytest.raises(SettingError, match="--jobs 0: give the number of processes"):
        runner.run(squares, results=results, jobs=0)
    with pytest.raises(SettingError, match="leave --jobs 2 out"):
        runner.run(squares, results=results, jobs=2, cluster="tcp://127.0.0.1:1")


@pytest.mark.parametrize("jobs", [1, 2])
def test_kill_9_loses_only_running_cells(results, jobs):
    process = start(results, jobs=jobs)
    wait_for_cells(results, 5, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = finished(results)
    assert 5 <= kept < 30
    resumed, last = start(results, jobs=jobs).communicate()[0].split()
    assert (int(resumed), last) == (kept, "841/2")


def test_a_dask_cluster_may_lose_a_worker(results):
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": "CRITICAL"}
    with LocalCluster(**options) as cluster:
        process = start(results, seeds=20, cluster=cluster.scheduler_address)
        wait_for_cells(results, 2, process)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        output, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert output.split() == ["0", "361/2"]
    assert errors == ""


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
