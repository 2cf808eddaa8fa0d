"""How much of two workers short cells use: a Dask cluster and ``--jobs 2`` next to each other, against the ideal.

Run with ``python benchmarks/cluster.py``; it starts a scheduler and two workers of one thread on this machine. A cell
sleeps, so that the processor is not what is measured. The ratio is the time that the cells take together, divided by
two workers and by the time that passed; 1 is ideal.

Then, for a simulation on paper of a million cells on a thousand workers: how many tasks a scheduler takes a second, how
many results the store keeps a second, and how long the whole would last by these figures.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from distributed import Client, LocalCluster

from multislot.cells import CellStore, cell_key, finish
from multislot.cells.executors import batch_seconds
from multislot.cells.rows import Finished

WORKERS = 2
TARGETS = {0.5: 0.9, 0.05: 0.8}
SECONDS_IN_ALL = 10.0
ROUNDS = 3


@dataclass(frozen=True)
class Nap:
    """A cell that takes a time and does nothing."""

    number: int
    seconds: float


def sleep(cell: Nap) -> int:
    time.sleep(cell.seconds)
    return cell.number


def ratio(seconds: float, **where: object) -> float:
    cells = {cell_key(cell): cell for cell in (Nap(n, seconds) for n in range(round(SECONDS_IN_ALL / seconds)))}
    began = time.perf_counter()
    finish(sleep, cells, **where)
    return len(cells) * seconds / WORKERS / (time.perf_counter() - began)


def tasks_a_second(address: str, count: int = 2000) -> float:
    """Return how many tasks that do nothing a scheduler and its workers finish in a second."""
    with Client(address, set_as_default=False) as client:
        began = time.perf_counter()
        client.gather(client.map(abs, range(count), pure=False))
        return count / (time.perf_counter() - began)


def results_a_second(batch: int, count: int = 4000) -> float:
    """Return how many results the store keeps in a second, on the disk, in batches of a size."""
    finished = [Finished(f"cell {number}", '{"value":1.0,"seed":1}', 0.01) for number in range(count)]
    with TemporaryDirectory() as folder, CellStore(Path(folder) / "cells.sqlite") as store:
        began = time.perf_counter()
        for first in range(0, count, batch):
            store.add(finished[first : first + batch])
        return count / (time.perf_counter() - began)


def on_paper(tasks: float, cells: int = 10**6, workers: int = 1000) -> None:
    """Print how long a million cells take on a thousand workers, and what sets the pace."""
    for seconds in (0.01, 0.1, 1.0, 10.0):
        lasts = max(batch_seconds(workers), seconds)
        batch = max(1, round(lasts / seconds))
        stored = results_a_second(batch, 400 if batch == 1 else 4000)
        bounds = {
            "workers": cells * seconds / workers,
            "scheduler": cells / batch / tasks,
            "store": cells / stored,
        }
        slowest = max(bounds, key=lambda name: bounds[name])
        words = ", ".join(f"{name} {bound:,.0f} s" for name, bound in bounds.items())
        print(
            f"cells of {seconds} s in batches of {batch}, {stored:,.0f} results stored a second: {words}; "
            f"the {slowest} set{'s' * (slowest != 'workers')} the pace"
        )


def main() -> None:
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster:
        places = {"dask": {"cluster": cluster.scheduler_address}, "jobs": {"jobs": WORKERS}}
        for where in places.values():  # start the processes
            ratio(SECONDS_IN_ALL / WORKERS, **where)
        for seconds, target in TARGETS.items():
            found = {name: max(ratio(seconds, **where) for _ in range(ROUNDS)) for name, where in places.items()}
            words = ", ".join(f"{name} {one:.3f}" for name, one in found.items())
            print(f"cells of {seconds} s: ratio {words} (target: at least {target})")
        tasks = tasks_a_second(cluster.scheduler_address)
    print(f"the scheduler: {tasks:,.0f} tasks a second")
    on_paper(tasks)


if __name__ == "__main__":
    main()
