"""Cells on a Dask cluster: what is lost is said in a sentence, and what joins is used."""

import subprocess
import sys
import time
from functools import partial

import pytest
from distributed import Client

from multislot.cells import CellStore, ClusterError, finish
from tests.build import ROOT
from tests.multislot.cells.work import needs_an_extra, noted, square, squares

PATIENCE_SECONDS = 600
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.file.unlink(missing_ok=True)
        arguments = ["--port", "0", "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", self.file]
        self.scheduler = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", *arguments], **QUIET)
        self.workers = []
        waited(self.file.exists)
        with Client(scheduler_file=str(self.file), set_as_default=False) as client:
            self.address = client.scheduler.address

    def add(self, path=ROOT):
        """Start another worker, which finds modules in `path`."""
        arguments = ["--nthreads", "1", "--no-nanny", "--no-dashboard", self.address]
        command = [sys.executable, "-m", "distributed.cli.dask_worker", *arguments]
        self.workers.append(subprocess.Popen(command, env={"PYTHONPATH": str(path)}, cwd=path, **QUIET))
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=PATIENCE_SECONDS)

    def end(self):
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    started = Cluster(tmp_path)
    yield started
    started.end()


def waited(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_cluster_gives_the_same_results_and_what_joins_later_is_used(cluster, tmp_path):
    cluster.add()
    (tmp_path / "ran").mkdir()

    def grow(done, _):
        if done == 3:
            cluster.add()

    work = partial(noted_where, str(tmp_path / "ran"))
    cells = squares(60, seconds=0.1)
    assert finish(work, cells, cluster=cluster.address, progress=grow) == {
        key: square(cell) for key, cell in squares(60, seconds=0.1).items()
    }
    assert len({ran.read_text() for ran in (tmp_path / "ran").iterdir()}) == 2


def noted_where(folder, cell):
    """The result, and a file that says which process ran it."""
    import os
    from pathlib import Path

    result = noted(folder, cell)
    (Path(folder) / str(cell.number)).write_text(str(os.getpid()))
    return result


def test_losing_the_scheduler_is_one_sentence_and_keeps_what_is_finished(cluster, tmp_path, capfd):
    cluster.add()
    path = tmp_path / "cells.sqlite"
    said = r"^the cluster at tcp://\S+ was lost; (5|6|7) of 500 cells were finished and are kept, run again to go on"
    with CellStore(path) as store, pytest.raises(ClusterError, match=said):
        finish(
            square,
            squares(500, seconds=0.2),
            store,
            cluster=cluster.address,
            progress=lambda done, _: done == 5 and cluster.scheduler.kill(),
        )
    assert capfd.readouterr().err == ""
    with CellStore(path) as store:
        assert len(store.finished) >= 5


def test_a_package_that_the_workers_lack_is_named(cluster, tmp_path):
    (tmp_path / "multislot.py").write_text("raise ModuleNotFoundError('no such module', name='multislot')\n")
    cluster.add(path=tmp_path)
    with pytest.raises(ClusterError, match=r"^the cluster at \S+ lacks the package 'multislot'; install there"):
        finish(square, squares(3), cluster=cluster.address)


def test_an_extra_that_the_workers_lack_is_named(cluster):
    cluster.add()
    with pytest.raises(ClusterError, match=r'^the workers of the cluster at .* lack something: .* the extra "deep"'):
        finish(needs_an_extra, squares(3), cluster=cluster.address)
