"""How much of two workers short cells use: a Dask cluster and ``--jobs 2`` next to each other, against the ideal.

Run with ``python benchmarks/cluster.py``; it starts a scheduler and two workers of one thread on this machine. A cell
sleeps, so that the processor is not what is measured. The ratio is the time that the cells take together, divided by
two workers and by the time that passed; 1 is ideal.
"""

import time
from dataclasses import dataclass

from distributed import LocalCluster

from multislot.cells import cell_key, finish

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


if __name__ == "__main__":
    main()
