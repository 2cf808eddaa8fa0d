"""Kill runs and the parts of a Dask cluster at random moments; no finished cell may be lost.

Run with ``python -m tests.multislot.cells.kills``: it kills `RUNS` runs on this machine, and `CLUSTER` workers, clients
and schedulers of a Dask cluster, in about an hour. It prints how often each part was killed. It ends with an error if a
finished cell is lost, a result is wrong, a run does not go on although it could, or a run ends with a traceback.
"""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import psutil

from multislot.cells import CellStore, finish
from multislot.errors import MultislotError
from tests.multislot.cells.test_cluster import Cluster
from tests.multislot.cells.test_store import kill_runs
from tests.multislot.cells.work import Square, squares

RUNS, CLUSTER = 1000, 300
CELLS_A_KILL = 25
KILLS_A_STORE = 50
CELL_SECONDS = 0.02
PATIENCE_SECONDS = 300
REFUSED = 3
"""Exit code of a run that ended in a sentence of ours."""


def square(note: str, cell: Square) -> int:
    """Square a number slowly; add a byte to the file `note`, so that the others see when work is being done."""
    time.sleep(CELL_SECONDS)
    with Path(note).open("ab") as file:
        file.write(b".")
    return cell.number**2


def work(folder: Path, count: int, jobs: int, cluster: str | None) -> None:
    """Run the cells that are not finished: the process that is killed."""
    try:
        with CellStore(folder / "cells.sqlite") as store:
            finish(partial(square, str(folder / "note")), squares(count), store, jobs=jobs, cluster=cluster)
    except MultislotError as error:
        print(error, file=sys.stderr)
        sys.exit(REFUSED)


def wait_until(condition: object, what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline:
            sys.exit(f"waited {PATIENCE_SECONDS} seconds in vain: {what}")
        time.sleep(0.01)


class Work:
    """A run that is killed and started again; what its store holds only grows.

    Args:
        folder: where the store and the notes are.
        count: how many cells there are.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.count = folder, count
        self.note, self.finished = folder / "note", set[str]()
        self.note.touch()
        self.errors: IO[str] = (folder / "errors").open("w+")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, jobs: int, cluster: str = "") -> None:
        command = [sys.executable, "-m", "tests.multislot.cells.kills", "work", self.folder, self.count, jobs, cluster]
        self.process = subprocess.Popen(list(map(str, command)), stderr=self.errors)

    @property
    def runs(self) -> bool:
        """Whether the run goes on; if it ended by itself, it must have said a sentence or be done."""
        if self.process is None or self.process.poll() is None:
            return self.process is not None
        code = self.process.returncode
        if code not in (0, REFUSED, -signal.SIGKILL):
            self.errors.seek(0)
            sys.exit(f"a run ended with code {code}: {self.errors.read()[-3000:]}")
        self.process = None
        return False

    def make_progress(self) -> None:
        """Wait until more cells are run, or the run ends."""
        before = self.note.stat().st_size
        wait_until(lambda: self.note.stat().st_size > before + 2 or not self.runs, "a run that goes on")

    def end(self) -> None:
        """Kill the run and what it started, and look whether everything that was finished is still there."""
        if self.process is not None:
            parts = [*psutil.Process(self.process.pid).children(recursive=True)] if self.runs else []
            if self.process is not None:
                self.process.kill()
                self.process.wait()
            for part in parts:
                if part.is_running():
                    part.kill()
        self.process = None
        self.check()

    def check(self) -> None:
        with CellStore(self.folder / "cells.sqlite") as store:
            finished, notes = store.finished, store.notes
        squared = squares(self.count)
        right = all(cell.value == squared[key].number ** 2 for key, cell in finished.items())
        if notes or not right or not self.finished <= set(finished):
            sys.exit(f"lost or wrong: {notes or sorted(self.finished - set(finished))[:3]}")
        self.finished = set(finished)


def kill_cluster(kills: int, dice: random.Random, folder: Path) -> Counter[str]:
    """Kill workers, clients and schedulers in any order."""
    run, cluster, counts = Work(folder, CELLS_A_KILL * kills), Cluster(folder), Counter[str]()
    try:
        while sum(counts.values()) < kills:
            if cluster.scheduler.poll() is not None:
                cluster.end()
                cluster = Cluster(folder)
            while len(cluster.workers) < 2:
                cluster.add()
            if not run.runs:
                run.check()
                if len(run.finished) == run.count:
                    sys.exit("a run came to its end before all kills were made")
                run.start(1, cluster.address)
            run.make_progress()
            time.sleep(dice.random() * 0.2)
            victim = dice.choice(("worker", "client", "scheduler"))
            if not run.runs:
                continue
            if victim == "client":
                run.end()
            elif victim == "worker":
                worker = cluster.workers.pop(dice.randrange(2))
                worker.kill()
                worker.wait()
            else:
                cluster.scheduler.kill()
                cluster.scheduler.wait()
                wait_until(lambda: not run.runs, "the end of a run whose scheduler is gone")
                run.check()
            counts[victim] += 1
        run.end()
    finally:
        cluster.end()
        if run.process is not None:
            run.process.kill()
    return counts


def kill_alone(kills: int, dice: random.Random, folder: Path) -> Counter[str]:
    """Kill runs of one and of two processes of this machine."""
    kill_runs(folder / "cells.sqlite", kills, seed=dice.random())
    return Counter({"run": kills})


def main() -> None:
    dice = random.Random(0)
    for kills, kill in ((RUNS, kill_alone), (CLUSTER, kill_cluster)):
        began, counts = time.monotonic(), Counter[str]()
        while sum(counts.values()) < kills:
            with TemporaryDirectory() as folder:
                counts += kill(min(KILLS_A_STORE, kills - sum(counts.values())), dice, Path(folder))
            parts = ", ".join(f"{number} of a {part}" for part, number in sorted(counts.items()))
            print(f"{sum(counts.values())} kills ({parts}): nothing lost; {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        folder, count, jobs, address = sys.argv[2:]
        work(Path(folder), int(count), int(jobs), address or None)
    else:
        main()
