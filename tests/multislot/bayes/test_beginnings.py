"""Where an episode begins is seen by both, and models and mentors that can begin there do."""

from itertools import product

import gymnasium
import numpy as np
import pytest

from multislot import run
from multislot.bayes import (
    Event,
    FirstCause,
    Ledger,
    MentorAgent,
    MentoredWorld,
    ModelClass,
    PartiallyObservableModel,
    QLearningAgent,
    TabularMentor,
    TabularModel,
    TurnCode,
)
from multislot.bayes.mentored import SharedTurn
from multislot.bayes.zoo import GymnasiumWorld
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError
from tests.multislot.bayes.examples import planner, random_class

STATES, ACTIONS = 4, 2


class Somewhere(gymnasium.Env):
    """Begins in any of its states; action a leads from s to s + 1 + a, and the third step ends it."""

    observation_space = gymnasium.spaces.Discrete(STATES)
    action_space = gymnasium.spaces.Discrete(ACTIONS)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.left = int(self.np_random.integers(STATES)), 3
        return self.state, {}

    def step(self, action):
        self.state, self.left = (self.state + 1 + int(action)) % STATES, self.left - 1
        return self.state, 0.25 + 0.5 * (self.state == 2), self.left == 0, False, {}


def circle(best):
    """The true one is that with ``best=2``."""
    transition, reward = np.zeros((STATES, ACTIONS, STATES)), np.full((STATES, ACTIONS), 0.25)
    for state, action in np.ndindex(STATES, ACTIONS):
        arrival = (state + 1 + action) % STATES
        transition[state, action, arrival] = 1
        reward[state, action] += 0.5 * (arrival == best)
    return TabularModel(transition, reward)


POLICY = TabularMentor([1, 0, 0, 1], n_actions=ACTIONS)


def test_every_index_is_nothing_seen_a_shared_turn_or_a_beginning():
    code, turns = TurnCode(3, 2), [SharedTurn(*parts) for parts in product(range(3), range(2), (False, True))]
    encoded, firsts = list(map(code.encode, turns)), list(map(code.encode_first, range(3)))
    assert sorted([0, *encoded, *firsts]) == list(range(code.n_observations))
    assert list(map(code.decode, encoded)) == turns
    assert [index for index in range(-1, code.n_observations + 2) if code.is_first(index)] == [0, *firsts]
    assert [code.observed(index) for index in (0, *encoded, *firsts)] == [None, *(turn[0] for turn in turns), 0, 1, 2]


def agent_of(kind):
    models = ModelClass([circle(best) for best in range(STATES)])
    return planner(kind, models, POLICY, 0.6, 0.8, 4, depth=2, stream=EndlessStream(3, 1))


def lived(agent, seeds, mentor=POLICY):
    world = MentoredWorld(GymnasiumWorld(Somewhere()))
    return world, [run(world, {1: agent, 2: MentorAgent(mentor, world.code)}, 5, seed) for seed in seeds]


def first_state(seed):
    return GymnasiumWorld(Somewhere()).start(seed)[1].observation


@pytest.mark.parametrize("make", ["pessimist", "bayes", "likely", "thompson"])
def test_agent_and_mentor_begin_where_the_world_does(make):
    agent, seeds = agent_of(make), range(12)
    world, traces = lived(agent, seeds)
    starts = [first_state(seed) for seed in seeds]
    assert len(set(starts)) == STATES
    assert [done.first for done in agent.done] == [at for start in starts for at in (start, None, None)]
    for trace, start in zip(traces, starts, strict=True):
        assert trace.agent_history(2, trace.steps)[0][0] == POLICY.policy[start].argmax()
    assert agent.posterior.weights[2] == 1  # the others are refuted, since no state was taken for another
    for state in range(STATES):
        chosen = agent.act(world.code.encode_first(state))
        agent.begin_episode(state)
        decided = agent.decide().action
        assert chosen == (world.code.defer if decided is None else decided)
        assert agent.posterior.summaries == [state] * STATES


def test_a_first_observation_of_numpys_is_kept_as_a_plain_number(tmp_path):
    agent, resumed = agent_of("likely"), agent_of("likely")
    agent.begin_episode(np.int64(2))
    agent.observe(0, (3, 0.25))
    agent.save(tmp_path / "life.json")
    resumed.resume(tmp_path / "life.json")
    assert resumed.done == agent.done == [(0, (3, 0.25), False, False, 2)]
    with pytest.raises(
        SettingError, match=r"got percept=\('x', 0\.0\); expected a pair \(observation, reward\) of numbers"
    ):
        agent.begin_episode("x")


def test_what_is_observed_first_tells_no_models_apart():
    models = random_class(np.random.default_rng(0), 3)
    hidden = ModelClass([*models.models, PartiallyObservableModel(models.models[0], np.eye(3), [0.5, 0.5, 0.0])])
    posterior = hidden.posterior()
    posterior.begin(1)
    assert posterior.weights == pytest.approx(hidden.prior)
    assert posterior.summaries == [1, 1, 1, (0.0, 1.0, 0.0)]
    posterior.begin(2)  # no first state of the last shows that
    assert posterior.summaries == [2, 2, 2, (0.5, 0.5, 0.0)]
    posterior.begin()
    assert posterior.summaries == [0, 0, 0, (0.5, 0.5, 0.0)]


def test_an_observation_that_nobody_knows_changes_nothing():
    agent = agent_of("pessimist")
    agent.observe(0, (1, 0.25))
    agent.end_episode()
    before = (list(agent.done), list(agent.posterior.summaries), list(agent.mentor_posterior.summaries))
    with pytest.raises(SettingError, match=r"got first observation=9; expected one of 0\.\.3"):
        agent.begin_episode(9)
    assert (agent.done, agent.posterior.summaries, agent.mentor_posterior.summaries) == before
    assert agent.first is None
    learner = QLearningAgent(3, 2, EndlessStream(0, 1))
    learner.begin_episode(2)
    assert learner.state == 2
    with pytest.raises(SettingError, match=r"got first observation=3; expected one of 0\.\.2"):
        learner.begin_episode(3)


def test_events_of_states_are_judged_where_the_episode_began():
    event = Event.of_pairs("from 2 by 1", [(2, 1)], start=0)
    steps = [(1, (3, 0.25), False, True, 0), (1, (0, 0.25), True, True, 2), (1, (1, 0.25), False)]
    assert Ledger.of([event], steps).first == {event.name: FirstCause("mentor", 2)}
