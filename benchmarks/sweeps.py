"""Sweeps of trivial cells: rate, memory and resuming of `stream`, in pairs with `finish`.

Run with ``python benchmarks/sweeps.py [CELLS [PAIRS]]`` (by default 100,000 and 3). Each measurement is a process of
its own with two workers. The ratio of each pair is what counts: both ran on the same machine at the same time of day.
"""

import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from multislot.cells import CellStore, cell_key, finish, stream


@dataclass(frozen=True)
class Trivial:
    """A cell that takes no time."""

    number: int


def perform(cell: Trivial) -> int:
    return cell.number


def run(how: str, count: int, path: str) -> None:
    """Print seconds, the parent's processor seconds, and its largest memory in MB."""
    began, used = time.perf_counter(), time.process_time()
    if how == "stream":
        done = sum(1 for _ in stream(perform, map(Trivial, range(count)), path, jobs=2))
    else:
        with CellStore(path) as store:
            done = len(finish(perform, {cell_key(cell): cell for cell in map(Trivial, range(count))}, store, jobs=2))
    if done != count:
        sys.exit(f"{done} of {count} cells came back")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - began, time.process_time() - used, memory)


def measured(how: str, count: int, path: Path) -> list[float]:
    command = [sys.executable, __file__, "run", how, str(count), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()[-3:]]


def main(count: int = 100_000, pairs: int = 3) -> None:
    ratios: dict[str, list[float]] = {"fresh": [], "resumed": []}
    for pair in range(pairs):
        with TemporaryDirectory() as folder:
            for turn, found in ratios.items():
                seconds = {}
                for how in ("stream", "finish"):
                    taken, used, memory = measured(how, count, Path(folder) / f"{how}.sqlite")
                    seconds[how] = taken
                    print(
                        f"pair {pair + 1}, {turn}, {how}: {count / taken:,.0f} cells/s in {taken:.1f} s, of which the "
                        f"parent computes {used:.1f} s; {memory:.0f} MB",
                        flush=True,
                    )
                found.append(seconds["finish"] / seconds["stream"])
    for turn, found in ratios.items():
        print(f"{turn}: stream is {median(found):.2f} times as fast as finish (median of {pairs} pairs)")


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main(*map(int, sys.argv[1:]))
