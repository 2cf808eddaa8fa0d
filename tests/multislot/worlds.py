"""Small worlds that the tests of the engine share."""

from multislot import Percept, Turn
from multislot.exact import UniversalKernel, UniversalWorld
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


class Doubling(UniversalWorld):
    """Slot i stays (observes 1) and is copied to 2^(t-1) + i (observes 2); each is paid half of what it observes."""

    def __init__(self):
        super().__init__(UniversalKernel(rewards=(0.5, 1)))
