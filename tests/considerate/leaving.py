"""A small environment that agents leave one after the other; actions of rock, paper, scissors."""

import numpy as np
from gymnasium.spaces import Discrete

from tests.games import Game

ROCK, PAPER, SCISSORS = range(3)


class Leaving(Game):
    """Each agent is paid −1 a step, times 10 per index, until it leaves after its own number of steps.

    The state is the number of steps done, and the acting agent's action, 0 or 1, is what it leaves behind.
    """

    seen, moves = Discrete(100), Discrete(2)

    def __init__(self, lives=(2, 4), cut_short=False):
        self.possible_agents = [f"agent_{index}" for index in range(len(lives))]
        self.lives, self.cut_short = dict(zip(self.possible_agents, lives, strict=True)), cut_short

    def state(self):
        return self.now

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.now = np.array([0, 0])  # written into at every step, as some environments do
        return dict.fromkeys(self.agents, np.int64(0)), {agent: {} for agent in self.agents}

    def step(self, actions):
        present = self.agents
        assert set(actions) == set(present)
        self.now[0] += 1
        if "agent_0" in actions:
            self.now[1] = actions["agent_0"]
        ended = {agent: bool(self.now[0] >= self.lives[agent]) for agent in present}
        never = dict.fromkeys(present, False)
        rewards = {agent: -1.0 * 10 ** self.possible_agents.index(agent) for agent in present}
        self.agents = [agent for agent in present if not ended[agent]]
        flags = (never, ended) if self.cut_short else (ended, never)
        return dict.fromkeys(present, self.now[0]), rewards, *flags, {agent: {} for agent in present}
