"""Alexander et al. 2021, Proposition 13, all four parts, for practical agents; and the two definitions agree."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv import BATTERY, reality_check, run
from extenv.environment import ExtendedEnvironment
from extenv.measuring.running import stored_streams
from multislot.agents import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner

FACTORIES = (QLearner, NaiveLearner, SimpleLearner, RandomAgent, partial(ConstantAgent, action=1))
N_OBSERVATIONS, N_ACTIONS = 3, 2

factories = st.sampled_from(FACTORIES)
observations = st.integers(0, N_OBSERVATIONS - 1)
turns = st.tuples(st.booleans(), st.integers(0, N_ACTIONS - 1), st.sampled_from([-1.0, 0.0, 1.0]), observations)
seeds = st.integers(0, 5)


def fresh(factory, seed):
    return factory(N_OBSERVATIONS, N_ACTIONS, stored_streams(seed)[0])


def histories(agent, first, wanted):
    """Yield transitions; where a turn is genuine its action is the one that `agent`, trained so far, would take."""
    observation = first
    for genuine, other, reward, following in wanted:
        yield observation, agent.act(observation) if genuine else other, reward, following
        observation = following


def actions_along(agent, history):
    """Train on a history and return the actions on every observation after every turn."""
    answers = [[agent.act(o) for o in range(N_OBSERVATIONS)]]
    for transition in history:
        agent.learn(*transition)
        answers.append([agent.act(o) for o in range(N_OBSERVATIONS)])
    return answers


def by_definition(factory, seed, history, own_action):
    """Return the actions along a history by recursion: own_action(trained) is who is asked about the past."""
    inside, frozen_action, frozen = fresh(factory, seed), None, False
    answers = []
    for transition in history:
        answers.append([frozen_action if frozen else inside.act(o) for o in range(N_OBSERVATIONS)])
        own = own_action(inside, frozen, frozen_action, transition[0])
        frozen_action = inside.act(transition[0]) if frozen_action is None else frozen_action
        if frozen or transition[1] != own:
            frozen = True
        else:
            inside.learn(*transition)
    return [*answers, [frozen_action if frozen else inside.act(o) for o in range(N_OBSERVATIONS)]]


def genuine_and_not(factory, seed, first, wanted):
    trained = fresh(reality_check(factory), seed)
    history = []
    for transition in histories(trained, first, wanted):
        history.append(transition)
        trained.learn(*transition)
    return history


@given(factories, seeds, observations, st.lists(turns, max_size=12))
def test_part_1_the_alternate_definition(factory, seed, first, wanted):
    history = genuine_and_not(factory, seed, first, wanted)
    found = actions_along(fresh(reality_check(factory), seed), history)
    recursive = by_definition(factory, seed, history, lambda inside, frozen, f, o: f if frozen else inside.act(o))
    alternate = by_definition(factory, seed, history, lambda inside, frozen, f, o: inside.act(o))
    assert found == recursive == alternate


@given(factories, seeds, observations, st.lists(turns, max_size=12))
def test_part_2_idempotence(factory, seed, first, wanted):
    history = genuine_and_not(factory, seed, first, wanted)
    once, twice = reality_check(factory), reality_check(reality_check(factory))
    assert actions_along(fresh(once, seed), history) == actions_along(fresh(twice, seed), history)


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


@given(factories, seeds, observations, st.lists(turns, max_size=8), st.lists(observations, max_size=20))
def test_asking_never_changes_what_definition_10_does(factory, seed, first, wanted, asked):
    history = genuine_and_not(factory, seed, first, wanted)
    silent, questioned = fresh(reality_check(factory), seed), fresh(reality_check(factory), seed)
    for transition in history:
        for observation in asked:
            questioned.act(observation)
        questioned.learn(*transition)
        silent.learn(*transition)
    assert actions_along(silent, []) == actions_along(questioned, [])
