"""What the tests of composed environments share: agents, an encoder, and the practical loop written out."""

from typing import ClassVar

import gymnasium

import extenv.battery
from extenv.composing.compose import Bins, handicap
from extenv.measuring.running import stored_streams
from multislot.agents.tabular import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from multislot.engine.agent import Agent

CARTPOLE = Bins(low=(-2.4, -3.0, -0.2, -3.0), high=(2.4, 3.0, 0.2, 3.0), counts=(1, 2, 6, 4))
LEARNERS = [ConstantAgent, RandomAgent, SimpleLearner, QLearner]
ON_THE_WAY = {"LimitedMemory"}
COMPOSABLE = [name for name in extenv.battery.BATTERY if name not in ON_THE_WAY]


def cartpole(by="IgnoreRewards", **settings):
    return handicap("CartPole-v1", by, encoder=CARTPOLE, **settings)


class Diary(Agent):
    """Remembers what it learned, in a list that all diaries write to."""

    lessons: ClassVar[list] = []

    def __init__(self, n_observations, n_actions, stream):
        self.age = 0

    def act(self, observation):
        return self.age % 2

    def learn(self, observation, action, reward, next_observation):
        self.age += 1
        self.lessons.append((observation, action, reward, next_observation))

    def learn_last(self, observation, action, reward):
        self.age += 1
        self.lessons.append((observation, action, reward, "end"))


def trace(environment, factory, seed=1, steps=60):
    """Run the practical loop and return every (observation, action, reward, next observation)."""
    agent_stream, stream = stored_streams(seed)
    agent_stream = agent_stream.again()
    observation = environment.begin(factory, agent_stream, stream)
    agent = factory(environment.n_observations, environment.n_actions, agent_stream)
    turns = []
    for _ in range(steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        turns.append((observation, action, reward, following))
        observation = following
    return turns


class Restless(gymnasium.Env):
    """Pays 1 always."""

    observation_space = gymnasium.spaces.Discrete(1)
    action_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 0, 1, False, False, {}
