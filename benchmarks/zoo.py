"""A step through PettingZoo against a step of `run`: same world, same agents, same trace.

Run with ``python benchmarks/zoo.py``. Times are of the process, so that a busy machine disturbs them little.
"""

import time
from collections.abc import Callable

from multislot import EndlessStream, run
from multislot.agents import ConstantAgent
from multislot.exact import KernelWorld, copy
from multislot.zoo import DynamicView, FixedView, rollout

STEPS = 10_000
TARGET = 4.0


def pressing() -> ConstantAgent:
    return ConstantAgent(4, 2, EndlessStream(0, 1), action=1)


def inside() -> None:
    run(KernelWorld(copy()), {1: pressing()}, STEPS)


def outside() -> None:
    rollout(DynamicView(KernelWorld(copy()), max_cycles=STEPS), {"copy_0": pressing()}, seed=0)


def in_fixed_slots() -> None:
    environment = FixedView(KernelWorld(copy()), 2, max_cycles=STEPS)
    environment.reset(seed=0)
    while environment.agents:
        environment.step({"slot_1": 1, "slot_2": 1})


def microseconds(work: Callable[[], object]) -> float:
    """Return the time of a step, the best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best / STEPS * 1e6


def main() -> None:
    base = microseconds(inside)
    print(f"run():                 {base:6.1f} µs a step with two agents")
    for name, work in (("dynamic view, rollout", outside), ("fixed view, bare", in_fixed_slots)):
        took = microseconds(work)
        print(f"{name + ':':<23}{took:6.1f} µs a step, {took / base:.1f} times run() (target: at most {TARGET:g})")


if __name__ == "__main__":
    main()
