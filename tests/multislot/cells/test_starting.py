"""Clusters that start their own workers, from files; and workers that have another version of the project."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import pytest

from multislot import __version__
from multislot.cells import ClusterError, executors, finish
from multislot.cells.clusters import open_scheduler, read_cluster
from multislot.errors import MissingExtraError, SettingError, UnknownNameError
from tests.build import ROOT
from tests.multislot.cells.work import square, squares

SUBMIT = """#!/bin/sh
# Stands in for SLURM: runs a job's script at once, in the background.
cp "$1" {folder}/job.sh
sh {folder}/job.sh > {folder}/job.log 2>&1 &
echo $! >> {folder}/jobs
echo "Submitted batch job $!"
"""
CANCEL = '#!/bin/sh\nkill "$@" 2> /dev/null\ntrue\n'


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "cluster.yaml"
        path.write_text(text)
        return path

    return write


def test_a_worker_watches_its_parent_and_does_not_live_on_for_that(monkeypatch):
    codes, parents, wait = [], [7, 7], threading.Event()
    system = SimpleNamespace(getppid=lambda: parents.pop() if parents else 1, _exit=codes.append)
    monkeypatch.setattr(executors, "os", system)
    monkeypatch.setattr(executors, "time", SimpleNamespace(sleep=lambda seconds: wait.wait()))
    others = {*threading.enumerate()}
    executors._end_with_parent(7)
    (watcher,) = {*threading.enumerate()} - others
    early = [*codes]
    wait.set()
    watcher.join(9)
    assert (watcher.daemon, early, codes) == (True, [], [1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("workers: 2\noptoins: {}", "unknown entry of cluster.yaml 'optoins'; did you mean 'options'"),
        ("workers: many", r"cluster.yaml: got workers='many'; expected a whole number, at least 0"),
        ("options: {}", "expected a number of workers, or least and most; give one of the two"),
        ("workers: 2\nmost: 3", "give one of the two"),
        ("least: 5\nmost: 3", "got least=5; expected at most 3, the value of most"),
        ("workers: 2\noptions: 7", "got options=7; expected a table of arguments"),
        ("workers: [", r"cluster.yaml is not YAML \("),
        ("", "has no entries; expected workers and options"),
        ("options: " + "{" * 600 + "[" * 500, "has more than 1000 brackets"),
        ("options: " + "{" * 1001, "has more than 1000 brackets"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_a_sentence(file, text, message):
    with pytest.raises((SettingError, UnknownNameError), match=message):
        read_cluster(file(text))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a SLURMCluster that did not start
def test_what_cannot_start_is_said(file, tmp_path, monkeypatch):
    missing = tmp_path / "nothing.yaml"
    with pytest.raises(SettingError, match=f"--cluster: got path='{missing}'; this file does not exist"):
        finish(square, squares(2), cluster=f"slurm:{missing}")
    path = file("workers: 1\noptions: {cores: 1, memory: 1GB, qeueu: short}")
    with pytest.raises(SettingError, match=r"SLURMCluster cannot start \(.*qeueu"):
        finish(square, squares(2), cluster=f"slurm:{path}")
    monkeypatch.setitem(sys.modules, "dask_kubernetes", None)
    with pytest.raises(MissingExtraError, match='needs the extra "kubernetes"'):
        finish(square, squares(2), cluster=f"kubernetes:{path}")


@pytest.mark.parametrize(
    ("text", "calls"), [("workers: 2", [(2,)]), ("least: 1\nmost: 3", [{"minimum": 1, "maximum": 3}])]
)
def test_a_file_says_how_many_workers_are_started_and_they_end_with_the_run(file, monkeypatch, text, calls):
    told = []

    class Started:
        scheduler_address = "tcp://host:1"

        def __init__(self, **options):
            told.append(options)

        def scale(self, *workers):
            told.append(workers)

        def adapt(self, **bounds):
            told.append(bounds)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            told.append("ended")

    monkeypatch.setitem(sys.modules, "dask_kubernetes", ModuleType("dask_kubernetes"))
    monkeypatch.setitem(sys.modules, "dask_kubernetes.operator", SimpleNamespace(KubeCluster=Started))
    path = file(f"{text}\noptions: {{name: mine}}")
    with open_scheduler("tcp://other:2") as address:
        assert (address, told) == ("tcp://other:2", [])
    with open_scheduler(f"kubernetes:{path}") as address:
        assert (address, told) == ("tcp://host:1", [{"name": "mine"}, *calls])
    assert told[-1] == "ended"


@pytest.mark.full
def test_slurm_starts_the_workers_that_a_file_asks_for(file, tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue")
    for name, text in (("sbatch", SUBMIT), ("scancel", CANCEL)):
        (tmp_path / name).write_text(text.format(folder=tmp_path))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    options = f"{{queue: short, cores: 1, processes: 1, memory: 1GB, interface: lo, log_directory: {tmp_path}}}"
    path = file(f"workers: 1\noptions: {options}")
    found = finish(square, squares(5), cluster=f"slurm:{path}")
    assert found == {key: square(cell) for key, cell in squares(5).items()}
    assert "#SBATCH -p short" in (tmp_path / "job.sh").read_text()


def test_workers_with_another_version_are_refused_in_a_sentence(monkeypatch):
    with ThreadPoolExecutor(1) as threads:
        pool = executors.Pool(threads, lambda: 1, "the cluster at tcp://host:8786", is_remote=True)
        assert sum(len(found) for found in executors.answers(square, squares(3).items(), pool)) == 3
        monkeypatch.setattr(executors, "__version__", "0.0.9")
        with pytest.raises(
            ClusterError, match=r"^the cluster at \S+ has multislot .*, here it is 0\.0\.9; install the"
        ):
            list(executors.answers(square, squares(3).items(), pool))


def test_a_worker_answers_which_package_it_lacks():
    assert executors._make_remote_work()(b"cno_such_package\nwork\n.", __version__) == {"lacks": "no_such_package"}


def test_batches_of_many_workers_are_longer_so_that_a_scheduler_keeps_up():
    assert executors.batch_seconds(2) == executors.BATCH_SECONDS
    for workers in (2, 100, 1000, 100_000):
        assert workers / executors.batch_seconds(workers) <= executors.MOST_BATCHES_A_SECOND
