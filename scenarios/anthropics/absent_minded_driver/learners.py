"""Drivers who learn and do not remember: by values, which are of one action each, and by the gradient of a policy."""

import math
from collections.abc import Callable
from typing import Any

from multislot import Agent, run
from multislot.agents import QLearner
from multislot.engine.stream import EndlessStream, Stream
from multislot.exact import KernelWorld
from scenarios.anthropics.absent_minded_driver.roads import Road

JUNCTION, OUT = 1, 2  # as KernelWorld numbers what the road shows
Q_LEARNING, GRADIENT = "Q-learning", "policy gradient"
KINDS = (Q_LEARNING, GRADIENT)


class PolicyGradient(Agent):
    """Continues with a probability that follows the gradient of what a drive is worth (Williams 1992, REINFORCE).

    At the end of a drive ``θ += η (G − baseline) Σ_t ∂ log π(a_t) / ∂θ``, with ``π(continue) = 1 / (1 + exp(−θ))``.

    Args:
        stream: where chance is read; its index advances with learning.
        rate: η.
    """

    def __init__(self, stream: Stream, rate: float = 0.05) -> None:
        self.stream, self.rate = stream, rate
        self.theta = self.baseline = self.trace = 0.0
        self.counter = 0

    @property
    def chance(self) -> float:
        """The probability of continuing."""
        return 1 / (1 + math.exp(-self.theta))

    def act(self, observation: int) -> int:
        """Return 1, to continue, with that probability."""
        return int(self.stream.at(self.counter) < self.chance)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Remember the gradient of this drive; at its end, follow it."""
        self.counter += 1
        if observation == JUNCTION:
            self.trace += action - self.chance
        if next_observation == OUT and observation == JUNCTION:
            self.theta += self.rate * (reward - self.baseline) * self.trace
            self.baseline += self.rate * (reward - self.baseline)
            self.trace = 0.0


def drives(road: Road, kind: str, rounds: int, seed: int) -> list[float]:
    """Return what each drive was worth while a driver without memory learned; shape [rounds]."""
    world = KernelWorld(road)
    stream = EndlessStream(seed, 1)
    made: dict[str, Callable[[], Any]] = {
        Q_LEARNING: lambda: QLearner(world.n_observations, world.n_actions, stream, 0.05, 1.0, 0.1),
        GRADIENT: lambda: PolicyGradient(stream),
    }
    driver = made[kind]()
    worths = []
    for number in range(rounds):
        trace = run(world, {1: driver}, road.length, seed=number, check_sharing=False)
        worths.append(sum(reward for rewards in trace.rewards for reward in rewards.values()))
    return worths
