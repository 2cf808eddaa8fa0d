"""Small worlds that the tests of the engine share."""

from collections.abc import Iterable, Mapping

import numpy as np

from multislot import ArrayTurn, Percept, Turn, World
from multislot.engine.agent import IntArray

Copies = Mapping[int, Iterable[int]]


class Scripted(World):
    """Answers step t with ``script[t - 1]``; slot s observes 1 + s mod 7 and is paid s."""

    n_observations, n_actions = 8, 2

    def __init__(
        self,
        script: list[Copies],
        *,
        start: Iterable[int] = (1,),
        ended: Mapping[int, Iterable[int]] | None = None,
        spawned: Mapping[int, Iterable[int]] | None = None,
    ) -> None:
        self.script, self.first = script, tuple(start)
        self.ended, self.spawned = ended or {}, spawned or {}
        self.time = 0

    def start(self, seed: int) -> dict[int, Percept]:
        self.time = 0
        return {slot: Percept(0) for slot in self.first}

    def step(self, actions: Mapping[int, int]) -> Turn | ArrayTurn:
        self.time += 1
        copies = {source: tuple(targets) for source, targets in self.script[self.time - 1].items()}
        percepts = {
            target: Percept(1 + target % 7, float(target))
            for source, targets in copies.items()
            for target in targets
            if source in actions
        }
        spawned = tuple(self.spawned.get(self.time, ()))
        percepts |= {slot: Percept(0) for slot in spawned}
        return Turn(copies, percepts, ended=self.ended.get(self.time, ()), spawned=spawned)


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
