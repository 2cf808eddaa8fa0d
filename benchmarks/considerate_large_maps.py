"""How exact solving grows: the box task on square maps, from reading the map to every threshold.

    python benchmarks/considerate_large_maps.py [--largest 100]

Measured side by side: seconds per (state × action) on the largest map against a map a quarter as wide. Targets: the
ratio stays near 1 (at most 2: linear growth), the 100×100 map takes under 30 s and 2 GiB.
"""

import argparse
import resource
import time
from importlib.resources import files

from considerate.craftworld import parse_task
from considerate.exact.frontiers import frontier

RATIO, SECONDS, GIB = 2.0, 30.0, 2.0


def box_map(size: int) -> str:
    """The map of the paper stretched to size×size cells, walls included."""
    place = {"D": [(1, 1), (size - 2, size - 2)], "K": [(size // 3, 1), (size - 3, size - 3)]}
    place |= {"T": [(size - 2, 1)], "W": [(2 * size // 3, size // 2)], "F": [(size // 2, 2 * size // 3)]}
    rows = [["X" if {x, y} & {0, size - 1} else "." for x in range(size)] for y in range(size)]
    for mark, cells in place.items():
        for x, y in cells:
            rows[y][x] = mark
    return "\n".join("".join(row) for row in rows)


def box_task(size: int) -> str:
    """The box task's file with the stretched map."""
    text = (files("considerate.craftworld") / "tasks" / "box.toml").read_text(encoding="utf-8")
    first, last = text.index('"""') + 3, text.index("D  door")
    return text[:first] + box_map(size) + "\n\n" + text[last:].replace("key = [3, 1]", f"key = [{size // 3}, 1]")


def solved(size: int) -> tuple[float, int]:
    """Seconds from text to frontier, and states times actions of all walkers."""
    start = time.perf_counter()
    task = parse_task(box_task(size))
    found = frontier(task)
    seconds = time.perf_counter() - start
    graphs = [task.graph, *(task.visits(other).graph for other in task.others)]
    print(f"{size:4} × {size:<4} thresholds {', '.join(map(str, found.thresholds))}")
    return seconds, sum(graph.targets.size for graph in graphs)


def main() -> None:
    """Prints seconds, sizes, memory and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=100)
    largest = parser.parse_args().largest
    rates = []
    for size in (largest // 4, largest // 2, largest):
        seconds, pairs = solved(size)
        rates.append(seconds / pairs)
        print(f"            {seconds:6.2f} s for {pairs:,} state-action pairs: {1e9 * rates[-1]:.0f} ns each")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"ratio of the largest map's time per pair to the smallest's: {rates[-1] / rates[0]:.2f} (target ≤ {RATIO})")
    print(f"largest map: {seconds:.1f} s (target ≤ {SECONDS}), peak memory {peak:.2f} GiB (target ≤ {GIB})")


if __name__ == "__main__":
    main()
