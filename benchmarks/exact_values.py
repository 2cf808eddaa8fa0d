"""Planning on beliefs against the naive recursion over whole histories; prints times, growth and their ratio.

Run as ``python benchmarks/exact_values.py [--plot FILE]``. Target: each value at horizon 200 in each identity world
under 1 s, and time that grows linearly with the horizon (about twofold from one horizon to its double; exact numbers
gain digits besides). Times are of the process, the better of two, so that a busy machine disturbs them little.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from time import process_time

from multislot.exact import Kernel, action_values
from multislot.exact.files import worlds

DISCOUNT = Fraction(9, 10)
WORLDS = {
    "stay": worlds.stay(),
    "teleport": worlds.teleport(),
    "copy": worlds.copy(b=3),
    "copy_delete": worlds.copy_delete(d=3),
}
NAIVE_HORIZONS = (2, 4, 6, 8, 10)
HORIZONS = (25, 50, 100, 200, 400)
TARGET_SECONDS = 1.0


def naive(kernel: Kernel, horizon: int, belief: dict[tuple[int, object], Fraction]) -> Fraction:
    """The copy-centered value of a deterministic kernel by plain recursion, nothing remembered."""
    if not horizon:
        return Fraction()
    total = sum(belief.values())
    values = []
    for action in kernel.actions:
        worth, after = Fraction(), {}
        for (slot, state), weight in belief.items():
            ((_, arrivals),) = kernel.outcomes(slot, state, action)
            for target, found in arrivals.items():
                share = weight / total / len(arrivals)
                worth += share * found.reward
                reached = after.setdefault(found.observation, [Fraction(), {}])
                reached[0] += share
                reached[1][target, found.state] = reached[1].get((target, found.state), 0) + weight
        later = sum(share * naive(kernel, horizon - 1, reached) for share, reached in after.values())
        values.append(worth + DISCOUNT * later)
    return max(values)


def seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(2):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)


def main() -> None:
    kernel = WORLDS["copy"]
    start = {place: Fraction(1) for place in kernel.start.items()}
    print("horizon    naive s   planned s   ratio   (copy-centered, copy)")
    recursion = {}
    for horizon in NAIVE_HORIZONS:
        planned = max(action_values(kernel, "cpy", discount=DISCOUNT, horizon=horizon).values())
        if naive(kernel, horizon, start) != planned:
            raise SystemExit(f"the naive recursion disagrees at horizon {horizon}")
        recursion[horizon] = seconds(lambda horizon=horizon: naive(kernel, horizon, start))
        ours = seconds(lambda horizon=horizon: action_values(kernel, "cpy", discount=DISCOUNT, horizon=horizon))
        print(f"{horizon:7} {recursion[horizon]:10.4f} {ours:11.4f} {recursion[horizon] / ours:7.1f}")
    print(
        f"\nseconds of each value and world, target {TARGET_SECONDS} at horizon 200; growth from 200 to 400, target 2"
    )
    print("world        value " + "".join(f"{horizon:9}" for horizon in HORIZONS) + "   growth")
    measured = {}
    for name, world in WORLDS.items():
        for value in ("cpy", "sta", "dyn"):
            times = [
                seconds(lambda h=horizon, v=value, w=world: action_values(w, v, discount=DISCOUNT, horizon=h))
                for horizon in HORIZONS
            ]
            measured[f"{name}, {value}"] = times
            print(f"{name:12} {value:5} " + "".join(f"{t:9.3f}" for t in times) + f"{times[-1] / times[-2]:9.1f}")
    if "--plot" in sys.argv:
        plot(recursion, measured, sys.argv[sys.argv.index("--plot") + 1])


def plot(recursion: dict[int, float], measured: dict[str, list[float]], path: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot(list(recursion), list(recursion.values()), "k--", label="naive recursion")
    for label, times in measured.items():
        axes.plot(HORIZONS, times, label=label)
    axes.set(xlabel="horizon", ylabel="seconds", xscale="log", yscale="log")
    axes.legend(fontsize=7)
    figure.savefig(path)


if __name__ == "__main__":
    main()
