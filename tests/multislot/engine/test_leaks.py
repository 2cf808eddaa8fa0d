"""Episodes leave neither memory nor descriptors behind; two that do are noticed."""

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pytest

import extenv.zoo
from considerate.craftworld import task
from considerate.zoo.tasks import TaskEnv
from multislot import Stream, run
from multislot.agents import QLearner, RandomAgent
from multislot.exact import KernelWorld, copy
from multislot.zoo import FixedView

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are listed in /proc")
SOME = 100
LITTLE = 40
"""Bytes an episode: less than the smallest object that it could leave behind."""
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


@pytest.mark.parametrize("name", EPISODES)
def test_episodes_leave_nothing_behind(name):
    left = left_behind(EPISODES[name], SOME)
    assert left.memory < LITTLE * SOME
    assert left.descriptors == 0


def keep_a_little(kept, number):
    EPISODES["kernel"](number)
    kept.append(bytes(64))


def open_a_file(opened, number):
    opened.append(os.open(os.devnull, os.O_RDONLY))


def test_memory_that_is_kept_and_files_that_stay_open_are_noticed():
    assert left_behind(partial(keep_a_little, []), SOME).memory > LITTLE * SOME
    opened = []
    assert left_behind(partial(open_a_file, opened), SOME).descriptors == SOME
    for descriptor in opened:
        os.close(descriptor)
