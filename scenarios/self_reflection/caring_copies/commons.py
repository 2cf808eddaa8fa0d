"""A commons: everybody may restrain themselves or be greedy, and greed may end the resource for all.

While the resource lives, restraint pays 1 a step and greed `extra` more. If k of n players are greedy the resource dies
with probability (k/n)²; a dead one pays nothing until the episode is over.

*Exactly*: let everybody else always restrain themselves. Restraint is then worth ``V = 1/(1 − γ)`` to each. A step of
greed gains `extra` and risks, with probability 1/n², the future ``γV`` of each of n players. A player who gives the
rewards of the others a weight α therefore stays restrained iff ``extra ≤ γV(1 + α(n − 1))/n²``: from
``α* = (extra·n²/(γV) − 1)/(n − 1)`` on restraint is an equilibrium. If all players are copies of one agent and act
alike, a step of greed costs ``γV`` for sure, and restraint is best for every α iff ``extra ≤ γV``.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv

from multislot.checks import checked_seed

ALIVE, DEAD = 0, 1
RESTRAIN, GREEDY = 0, 1
LENGTH = 10


class Commons(ParallelEnv):  # type: ignore[misc]  # PettingZoo ships no type information
    """The game of a number of players in episodes of `LENGTH` steps.

    Args:
        players: how many.
        extra: what greed pays on top of 1.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "commons_v0", "render_modes": []}
    render_mode = None

    def __init__(self, players: int, extra: int) -> None:
        self.possible_agents = [f"player_{number}" for number in range(players)]
        self.extra, self.two = extra, Discrete(2)
        self.generator = np.random.default_rng(0)

    def observation_space(self, agent: str) -> Discrete:
        """Return the two states of the resource."""
        return self.two

    def action_space(self, agent: str) -> Discrete:
        """Return restraint and greed."""
        return self.two

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, ...]:
        """Begin an episode with a living resource."""
        if seed is not None:
            self.generator = np.random.default_rng(checked_seed(seed))
        self.agents = list(self.possible_agents)
        self.state_now, self.steps = ALIVE, 0
        return dict.fromkeys(self.agents, ALIVE), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> tuple[Any, ...]:
        """Pay everybody and let the resource live or die."""
        agents, alive = self.agents, self.state_now == ALIVE
        greedy = [agent for agent in agents if actions[agent] == GREEDY]
        rewards = {agent: float(alive * (1 + self.extra * (agent in greedy))) for agent in agents}
        if self.generator.random() < (len(greedy) / len(agents)) ** 2:
            self.state_now = DEAD
        self.steps += 1
        over = self.steps == LENGTH
        if over:
            self.agents = []
        observations = dict.fromkeys(agents, self.state_now)
        ended, truncated = dict.fromkeys(agents, False), dict.fromkeys(agents, over)
        return observations, rewards, ended, truncated, {agent: {} for agent in agents}


def threshold(players: int, extra: int, discount: Fraction) -> Fraction:
    """Return α*, from which on restraint is an equilibrium; 0 or less if it always is."""
    future = discount / (1 - discount)
    return (Fraction(extra * players**2) / future - 1) / (players - 1)


def greed_gains(players: int, extra: int, discount: Fraction, caring: Fraction) -> Fraction:
    """Return what one step of greed is worth to one player among restrained ones, by its values before and after.

    It is computed from the rewards of every player one by one, and not by the formula of `threshold`.
    """
    value = 1 / (1 - discount)
    weights = [Fraction(1), *[caring] * (players - 1)]
    restrained = sum((weight * (1 + discount * value) for weight in weights), Fraction(0))
    survives = 1 - Fraction(1, players**2)
    greedy = extra + sum((weight * (1 + discount * survives * value) for weight in weights), Fraction(0))
    return greedy - restrained
