"""Small worlds that the tests of the engine share."""

from collections.abc import Mapping

import numpy as np

from multislot import ArrayTurn, Percept, Turn, World
from multislot.engine.agent import IntArray
from tests.multislot.bustle import Script


class Scripted(Script):
    """Answers step t with ``script[t - 1]``; slot s observes 1 + s mod 7 and is paid s."""

    n_observations = 8

    def __init__(self, script, *, start=(1,), ended=None, spawned=None):
        turns = []
        for time, copies in enumerate(script, start=1):
            new = (spawned or {}).get(time, ())
            targets = [target for targets in copies.values() for target in targets]
            percepts = {target: Percept(1 + target % 7, float(target)) for target in targets}
            percepts |= {slot: Percept(0) for slot in new}
            turns.append(Turn(copies, percepts, (ended or {}).get(time, ()), new))
        super().__init__(*turns, start=start)


class Doubling(World):
    """The universal world in array form: slot i stays (observes 1) and is copied to 2^(t-1) + i (observes 2)."""

    n_observations, n_actions = 3, 2

    def start(self, seed: int) -> dict[int, Percept]:
        self.time = 0
        return {1: Percept(0)}

    def step_many(self, slots: IntArray, actions: IntArray) -> ArrayTurn:
        self.time += 1
        half = 2 ** (self.time - 1)
        seen = np.repeat([1, 2], len(slots))
        return Turn.from_arrays(np.tile(slots, 2), np.concatenate([slots, slots + half]), seen, seen * 0.5)

    def step(self, actions: Mapping[int, int]) -> ArrayTurn:
        slots = sorted(actions)
        return self.step_many(np.array(slots), np.array([actions[slot] for slot in slots]))
