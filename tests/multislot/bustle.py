"""Small worlds for the tests of the views."""

from multislot import EndlessStream, Percept, Turn, World
from multislot.engine.stream import WORLD_FOUNDER


class Bustle(World):
    """Agents in four slots are copied, moved, deleted, ended and spawned at random, by the world's stream."""

    n_observations = 4
    n_actions = 2

    def __init__(self, spawning=False, slots=4):
        self.spawning, self.slots = spawning, slots

    def start(self, seed):
        self.stream, self.drawn = EndlessStream(seed, WORLD_FOUNDER), 0
        return {1: Percept(0), 2: Percept(0)}

    def draw(self):
        self.drawn += 1
        return self.stream.at(self.drawn)

    def step(self, actions):
        copies, taken = {}, set()
        for slot in sorted(actions):
            chance = 0.6 if actions[slot] else 0.3
            copies[slot] = [t for t in range(1, self.slots + 1) if t not in taken and self.draw() < chance]
            taken.update(copies[slot])
        free = [slot for slot in range(1, self.slots + 1) if slot not in taken]
        spawned = free[:1] if self.spawning and self.draw() < 0.3 else []
        percepts = {
            slot: Percept(1 + int(3 * self.draw()), round(self.draw(), 3), {"lucky": self.draw() < 0.5})
            for slot in sorted([*taken, *spawned])
        }
        return Turn(copies, percepts, [slot for slot in sorted(taken) if self.draw() < 0.15], spawned)

    def describe(self, observation):
        return f"sight {observation}"


class Script(World):
    """Answers the steps with the given Turns, one after the other, and repeats the last."""

    n_observations = 5
    n_actions = 2

    def __init__(self, *turns, start=(1,)):
        self.turns, self.first, self.now = turns, start, 0

    def start(self, seed):
        self.now = 0
        return {slot: Percept(0) for slot in self.first}

    def step(self, actions):
        turn = self.turns[min(self.now, len(self.turns) - 1)]
        self.now += 1
        return turn


def turn(copies, ended=(), spawned=(), reward=1.0):
    """Return a Turn in which slot s observes s, with s times the reward."""
    slots = [target for targets in copies.values() for target in targets] + list(spawned)
    return Turn(copies, {slot: Percept(slot, slot * reward) for slot in slots}, ended, spawned)
