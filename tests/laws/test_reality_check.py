"""Alexander et al. 2021, Proposition 13, parts 3 and 4, for practical agents; the formal agents have all four parts."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv import BATTERY, reality_check, run
from extenv.environment import ExtendedEnvironment
from extenv.measuring.running import stored_streams
from multislot.agents import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner

pytestmark = pytest.mark.compiled

FACTORIES = (QLearner, NaiveLearner, SimpleLearner, RandomAgent, partial(ConstantAgent, action=1))
N_OBSERVATIONS, N_ACTIONS = 3, 2

factories = st.sampled_from(FACTORIES)
observations = st.integers(0, N_OBSERVATIONS - 1)
turns = st.tuples(st.booleans(), st.integers(0, N_ACTIONS - 1), st.sampled_from([-1.0, 0.0, 1.0]), observations)
seeds = st.integers(0, 5)


def fresh(factory, seed):
    return factory(N_OBSERVATIONS, N_ACTIONS, stored_streams(seed)[0])


@pytest.mark.parametrize("name", BATTERY)
def test_part_3_on_genuine_history_it_is_the_agent(name):
    """In every environment, the true agent never freezes: its inside has learned all turns."""
    seen = []

    def factory(n_observations, n_actions, stream, learning_rate=0.1):
        agent = reality_check(QLearner)(n_observations, n_actions, stream, learning_rate=learning_rate)
        seen.append(agent)
        return agent

    run(name, factory, steps=60, seed=2)
    true_agent = seen[-1] if name not in ("LimitedMemory",) else max(seen, key=lambda agent: agent.agent.counter)
    assert not true_agent.frozen
    assert true_agent.agent.counter == 2 * 60


class Plain(ExtendedEnvironment):
    """A non-extended environment: it never asks for a copy."""

    n_observations = N_OBSERVATIONS

    def start(self):
        self.turn = 0
        return 0

    def step(self, action):
        self.turn += 1
        reward = float((self.turn * 7 + action) % 3 - 1)
        return reward, (self.turn + action) % N_OBSERVATIONS


@given(factories, seeds, st.integers(1, 60))
def test_part_4_outside_extended_environments_nothing_changes(factory, seed, steps):
    assert run(Plain, reality_check(factory), steps=steps, seed=seed) == run(Plain, factory, steps=steps, seed=seed)
