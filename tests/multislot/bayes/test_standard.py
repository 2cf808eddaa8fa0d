"""The standard agents: the full mixture, the most likely model, Thompson sampling and Q-learning."""

from itertools import pairwise

import numpy as np
import pytest

from multislot import run
from multislot.bayes import (
    MentorAgent,
    MentoredWorld,
    ModelClass,
    ModelWorld,
    QLearningAgent,
    TabularMentor,
    TabularModel,
    ThompsonAgent,
)
from multislot.engine.agent import Agent
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError
from tests.multislot.bayes.examples import first_decides
from tests.multislot.bayes.test_agents import HORIZON


def test_a_drawn_model_is_kept_for_a_period_or_until_it_is_refuted():
    coin = [TabularModel(np.ones((1, 2, 1)), [[[1 - p, p]] * 2], reward_values=[0, 1]) for p in (0.4, 0.5, 0.6)]
    agent = ThompsonAgent(ModelClass(coin), 0.8, HORIZON, period=5, stream=EndlessStream(2, 1))
    believed = []
    for step in range(40):
        believed.append(agent.believed)
        agent.observe(0, (0, float(step % 2)))
    changes = [step for step, (old, new) in enumerate(pairwise(believed), start=1) if old != new]
    assert changes
    assert all(step % 5 == 0 for step in changes)
    sure = ThompsonAgent(ModelClass(first_decides((1, 0), (0, 1))), 0.8, HORIZON, period=1000)
    sure.observe(0, (1, 1.0 if sure.believed else 0.0))
    assert sure.posterior.weights[sure.believed] == 1
    with pytest.raises(SettingError, match="got period=0"):
        ThompsonAgent(ModelClass(coin), 0.8, HORIZON, period=0)


def test_q_learning_learns_from_the_mentors_steps_too():
    agent = QLearningAgent(3, 2, EndlessStream(0, 1), epsilon=0.0)
    agent.observe(1, (2, 1.0), by_mentor=True)
    agent.state = 0
    assert agent.decide().action == 1


def test_q_learning_is_an_agent_of_the_engine_and_finds_the_better_door():
    truth = TabularModel(np.ones((1, 2, 1)), [[0.2, 0.9]])
    world, agent = MentoredWorld(ModelWorld(truth, 1)), QLearningAgent(1, 2, EndlessStream(3, 1), epsilon=0.3)
    assert isinstance(agent, Agent)
    run(world, {1: agent, 2: MentorAgent(TabularMentor([0], n_actions=2), world.code)}, steps=200)
    assert agent.decide().action == 1
    assert {done.action for done in agent.done} == {0, 1}
    assert not any(done.by_mentor for done in agent.done)
