"""What learners come to do: a considerate Q-learner in every slot, round after round, and a PPO that all share.

Everyone's reward is its own plus α times the sum of all others' (`considerate.copies`). A round is the steps of a
kernel and a pause. Whose memory goes on to the next round makes the difference between two ways to count:

- ``one survivor``: one of those alive at the end is drawn evenly; the others are deleted. A world with many copies
  counts no more than one with few.
- ``everyone``: all learn into one memory, so a world with many copies is met as often as there are copies in it.

Copies share the random numbers of their founder and so explore alike: what one does, all with its history do. A PPO
draws for each slot apart, so that none of them ever sees what it brings about by being copied.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from considerate.copies import considerate_copies
from multislot.exact import Kernel
from multislot.zoo import FixedView, rollout
from scenarios.rounds import Newcomers, Rounds

ONE_SURVIVOR, EVERYONE = "one survivor", "everyone"
MEMORIES = (ONE_SURVIVOR, EVERYONE)
LEARNER = {"learning_rate": 0.02, "epsilon": 0.3, "discount": 1.0}


@dataclass
class Seated:
    """A Q-learner that sees the vectors of a fixed view.

    Attributes:
        learner: what acts and learns.
        shared: whether copies share its memory.
    """

    learner: Any
    shared: bool

    def act(self, observation: Any) -> int:
        """Return the action after an observation, [1 + n_observations]."""
        return int(self.learner.act(seen(observation)))

    def learn(self, observation: Any, action: int, reward: float, next_observation: Any) -> None:
        """Learn a transition."""
        self.learner.learn(seen(observation), action, reward, seen(next_observation))

    def copy(self) -> "Seated":
        """Return a copy, with the same memory or with one of its own."""
        return Seated(self.learner if self.shared else self.learner.copy(), self.shared)


def seen(observation: Any) -> int:
    """Return the index that a vector of a fixed view holds as a one-hot after the occupied flag."""
    return int(np.argmax(observation[1:]))


@dataclass(frozen=True)
class Lesson:
    """What is learned, and where.

    Args:
        kernel: what is repeated.
        slots: how many slots it needs.
        length: steps a round, without the pause.
        step: the step of a round whose decision is recorded, counted from 0.
        rounds: how many.
    """

    kernel: Kernel
    slots: int
    length: int
    step: int
    rounds: int

    def decisions(self, memory: str, caring: float, seed: int) -> list[float]:
        """Return the share of those alive that take the second action at the step, round by round; shape [rounds].

        Args:
            memory: whose goes on, one of `MEMORIES`.
            caring: α.
            seed: of the learners, of the world and of who goes on.
        """
        world = Rounds(self.kernel, self.length, "any survivor", pause=True)
        steps = self.rounds * (self.length + 1)
        env = considerate_copies(world, self.slots, caring, max_cycles=steps)
        newcomers = Newcomers(seed, LEARNER)
        shared = memory == EVERYONE

        def fresh(name: str) -> Seated:
            return Seated(newcomers(world.n_observations, world.n_actions, cast("Any", None)), shared)

        rollout(cast("FixedView", env), fresh, seed=seed, steps=steps)
        actions = cast("FixedView", env.unwrapped).trace.actions
        return [_share(actions[number * (self.length + 1) + self.step]) for number in range(self.rounds)]


def _share(actions: Mapping[int, int]) -> float:
    return sum(actions.values()) / len(actions)
