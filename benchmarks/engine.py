"""The engine: arrays against dictionaries, `run` against a bare loop, and the universal world to a million agents.

Run with ``python benchmarks/engine.py``. Times are of the process, so that a busy machine disturbs them little.
"""

import resource
import time
from collections.abc import Callable, Mapping

import numpy as np

from multislot import ArrayTurn, EndlessStream, HistoryAgent, Percept, Turn, VectorAgent, VectorHistoryAgent, World, run
from multislot.agents import ConstantAgent
from multislot.engine.agent import IntArray
from multislot.exact import UniversalWorld


class Staying(World):
    """One slot, the same turn at every step: what is measured is the engine."""

    n_observations, n_actions = 2, 2
    turn = Turn({1: (1,)}, {1: Percept(1, 1.0)})

    def start(self, seed: int) -> dict[int, Percept]:
        return {1: Percept(0)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        return self.turn


class Crowd(World):
    """Ten thousand slots whose agents stay."""

    n_observations, n_actions, size = 3, 2, 10_000

    def start(self, seed: int) -> dict[int, Percept]:
        return {slot: Percept(0) for slot in range(1, self.size + 1)}

    def step_many(self, slots: IntArray, actions: IntArray) -> ArrayTurn:
        return Turn.from_arrays(slots, slots, actions + 1, actions * 0.5)


class Parity(VectorAgent):
    """Acts on the parity of what it sees."""

    def act_many(self, observations: IntArray, slots: IntArray) -> IntArray:
        return observations % 2


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def bare_loop(steps: int) -> None:
    world, agent = Staying(), ConstantAgent(2, 2, EndlessStream(0, 1))
    observation = world.start(0)[1].observation
    for _ in range(steps):
        action = agent.act(observation)
        percept = world.step({1: action}).percepts[1]
        agent.learn(observation, action, percept.reward, percept.observation)
        observation = percept.observation


def parity(histories: object) -> IntArray:
    return np.asarray(histories.last(1)[1].sum(axis=1) % 2)  # type: ignore[attr-defined]


def one_slot(steps: int = 200_000) -> None:
    ours, bare = seconds(lambda: run(Staying(), {1: ConstantAgent}, steps)), seconds(lambda: bare_loop(steps))
    print(f"one slot: {steps / ours:,.0f} steps/s (target 200,000), {ours / bare:.0f} times a bare loop")


def crowd(steps: int = 400) -> None:
    everybody = Parity()
    ours = seconds(lambda: run(Crowd(), dict.fromkeys(range(1, Crowd.size + 1), everybody), steps))
    print(f"10,000 slots: {steps * Crowd.size / ours:,.0f} slot-steps/s (target 2,000,000)")


def universal(small: int = 10, large: int = 20) -> None:
    agent = HistoryAgent(lambda history: history.last[1] % 2 if history else 0)
    slow = seconds(lambda: run(UniversalWorld(), {1: agent}, small))
    fast = seconds(lambda: run(UniversalWorld(), {1: VectorHistoryAgent(parity)}, small))
    print(f"universal world to t = {small}: dictionaries / arrays = {slow / fast:.0f}")
    started = time.process_time()
    trace = run(UniversalWorld(), {1: VectorHistoryAgent(parity)}, large)
    took, peak = time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = f"{len(trace.occupied(large)):,} agents"
    print(f"universal world to t = {large}: {size}, {took:.2f} s (target 3), peak {peak:.2f} GiB (target 1)")
    slots = range(1, 2**large, 2**large // 1000)
    each = seconds(lambda: [trace.agent_history(slot) for slot in slots]) / len(slots)
    print(f"one agent's history of {large} steps out of {2**large:,}: {each * 1e6:.0f} µs")


def main() -> None:
    one_slot()
    crowd()
    universal()


if __name__ == "__main__":
    main()
