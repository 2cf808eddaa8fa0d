"""What episodes leave behind: memory and open descriptors.

``python -m tests.multislot.engine.leaks [EPISODES]`` plays 100,000 episodes (by default) of every kind in `EPISODES`
and prints both after each tenth of them.
"""

import gc
import resource
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import extenv.zoo
from considerate.craftworld import task
from considerate.zoo.tasks import TaskEnv
from multislot import Stream, run
from multislot.agents import QLearner, RandomAgent
from multislot.exact import KernelWorld, copy
from multislot.zoo import FixedView

WARM_UP = 60
"""Episodes until caches are filled."""


class Left(NamedTuple):
    """What episodes left behind.

    Attributes:
        memory: bytes that Python has allocated and not freed since the first episodes.
        descriptors: files opened and not closed since then.
    """

    memory: int
    descriptors: int


def play_kernel(number: int) -> None:
    """An episode in which agents that learn are copied."""
    run(KernelWorld(copy()), {1: QLearner}, 4, seed=number)


def play_view(number: int) -> None:
    """An episode in PettingZoo's form."""
    view = FixedView(KernelWorld(copy()), 2)
    view.reset(seed=number)
    for _ in range(4):
        view.step(dict.fromkeys(view.agents, number % 2))


def random_agent(n_observations: int, n_actions: int, stream: Stream) -> RandomAgent:
    """A factory in Python: to read the parameters of a compiled class, `inspect` makes a class each time."""
    return RandomAgent(n_observations, n_actions, stream)


def play_extended(number: int) -> None:
    """An episode of an extended environment, which simulates its agent."""
    extenv.run("IgnoreRewards", random_agent, steps=4, seed=number % 2)  # a new seed's published numbers take 45 ms


@cache
def garden() -> TaskEnv:
    """A task; planning for the others when it is made takes 70 ms."""
    return TaskEnv(task("garden"), bootstrap_at_limit=True)  # episodes are left before their end


def play_task(number: int) -> None:
    """An episode of a Craft-World task."""
    env = garden()
    env.reset(seed=number)
    for _ in range(4):
        env.step(0)


EPISODES: dict[str, Callable[[int], None]] = {
    "kernel": play_kernel,
    "view": play_view,
    "extended": play_extended,
    "task": play_task,
}


def descriptors() -> int:
    """How many descriptors this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def left_behind(play: Callable[[int], None], episodes: int) -> Left:
    """What some episodes leave behind, after `WARM_UP` others."""
    tracemalloc.start()
    try:
        for number in range(WARM_UP):
            play(number)
        gc.collect()
        before = Left(tracemalloc.get_traced_memory()[0], descriptors())
        for number in range(episodes):
            play(WARM_UP + number)
        gc.collect()
        after = Left(tracemalloc.get_traced_memory()[0], descriptors())
    finally:
        tracemalloc.stop()
    return Left(after.memory - before.memory, after.descriptors - before.descriptors)


def main(episodes: int = 100_000) -> None:
    for name, play in EPISODES.items():
        for number in range(episodes):
            play(number)
            if (number + 1) % (episodes // 10) == 0 or number + 1 == episodes // 100:
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                print(f"{name}: {number + 1} episodes, at most {memory} KiB, {descriptors()} descriptors", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
