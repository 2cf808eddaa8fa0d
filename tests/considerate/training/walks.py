"""Small environments with every kind of observation and action, alone and as PettingZoo environments with births."""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete

from tests.games import Game

SIGHTS = {
    "vector": Box(-1, 1, (3,), np.float32),
    "image": Box(0, 255, (36, 36, 3), np.uint8),
    "dict": Dict({"x": Box(-1, 1, (2,), np.float32), "y": Discrete(3)}),
    "discrete": Discrete(4),
}
MOVES = {
    "discrete": Discrete(3),
    "multidiscrete": MultiDiscrete([2, 3]),
    "multibinary": MultiBinary(2),
    "box": Box(-1, 1, (2,), np.float32),
}


class Walk(gymnasium.Env):
    """Pays the sum of its actions; what it shows is random; half of its episodes end, half are cut off."""

    def __init__(self, sight="vector", moves="discrete"):
        self.observation_space, self.action_space = SIGHTS[sight], MOVES[moves]

    def see(self):
        self.observation_space.seed(int(self.np_random.integers(2**31)))
        return self.observation_space.sample()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time, self.length = 0, int(self.np_random.integers(3, 8))
        return self.see(), {}

    def step(self, action):
        self.time += 1
        over, even = self.time >= self.length, self.length % 2 == 0
        return self.see(), float(np.sum(action)) - self.time / 10, over and even, over and not even, {}


class Crowd(Game):
    """Walkers of one world: each has the lives of a schedule, ``{agent: (birth, death)}``, and sees who it is.

    Without an end of the episode, the schedule of lives is all there is.
    """

    def __init__(self, lives, length=None, sight="vector", moves="discrete"):
        self.lives, self.length, self.walk = lives, length, Walk(sight, moves)
        self.seen, self.moves = self.walk.observation_space, self.walk.action_space
        self.possible_agents, self.log, self.seeds = list(lives), [], []

    def see(self, agents):
        return {agent: self.walk.see() for agent in agents}

    def present(self):
        return [agent for agent, (birth, death) in self.lives.items() if birth <= self.time < death]

    def reset(self, seed=None, options=None):
        self.seeds.append(seed)
        self.walk.reset(seed=seed)
        self.time = 0
        self.agents = self.present()
        return self.see(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions):
        assert sorted(actions) == sorted(self.agents)
        self.log.append((self.time, {agent: np.asarray(action).tolist() for agent, action in actions.items()}))
        self.time += 1
        before, after = self.agents, self.present()
        over = self.length is not None and self.time >= self.length
        told = [*before, *(agent for agent in after if agent not in before)]
        self.agents = [] if over else after
        rewards = {agent: float(self.time) if agent in before else 0.0 for agent in told}
        ended = {agent: agent not in after for agent in told}
        cut = {agent: over and agent in after for agent in told}
        return self.see(told), rewards, ended, cut, {agent: {} for agent in told}


class One(Game):
    """A Gymnasium environment as a world with one agent."""

    def __init__(self, env):
        self.env, self.possible_agents = env, ["a"]
        self.seen, self.moves = env.observation_space, env.action_space

    def reset(self, seed=None, options=None):
        observation, info = self.env.reset(seed=seed)
        self.agents = ["a"]
        return {"a": observation}, {"a": info}

    def step(self, actions):
        observation, reward, terminated, truncated, info = self.env.step(actions["a"])
        self.agents = [] if terminated or truncated else ["a"]
        return {"a": observation}, {"a": reward}, {"a": terminated}, {"a": truncated}, {"a": info}
