"""Lives in episodes: the world starts again, what was learned stays, and a last step teaches what is known of it."""

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import run
from multislot.bayes import (
    Event,
    FirstCause,
    Ledger,
    MentorAgent,
    MentorClass,
    MentoredWorld,
    ModelClass,
    PartiallyObservableModel,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
)
from multislot.bayes.posterior import UnexplainedError
from multislot.bayes.zoo import GymnasiumWorld
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError
from tests.multislot.bayes.examples import drawn, planner, random_class

LAKE = ("SFF", "FHF", "FFG")
"""The true lake; in others the hole is elsewhere."""
HOLES = (1, 2, 3, 4, 5, 6, 7)
RIGHT, DOWN = 2, 1
SAFE = TabularMentor([RIGHT, RIGHT, DOWN, 0, 0, DOWN, 0, 0, 0], n_actions=4)


def lake_model(hole):
    """The lake with a hole in one cell: what Gymnasium's dynamics are, an end being a place that is never left."""
    rows = ["".join("H" if 3 * y + x == hole else "FSG"[(x, y) == (0, 0) or 2 * ((x, y) == (2, 2))] for x in range(3))
            for y in range(3)]  # fmt: skip
    dynamics = gymnasium.make("FrozenLake-v1", desc=rows, is_slippery=False).unwrapped.P
    transition, reward = np.zeros((9, 4, 9)), np.zeros((9, 4))
    for state, action in np.ndindex(9, 4):
        for chance, arrival, paid, _ in dynamics[state][action]:
            transition[state, action, arrival] += chance
            reward[state, action] += chance * paid
    return TabularModel(transition, reward)


def lakes():
    return ModelClass([lake_model(hole) for hole in HOLES], names=[f"hole in {hole}" for hole in HOLES])


def lake_world():
    return MentoredWorld(GymnasiumWorld(gymnasium.make("FrozenLake-v1", desc=list(LAKE), is_slippery=False)))


def lake_agent(kind="pessimist", models=None):
    return planner(kind, models or lakes(), SAFE, 0.5, 0.9, 12, depth=6, stream=EndlessStream(2, 1))


def play(agent, episodes, world=None, steps=30, first=0):
    """Lets an agent live episodes of the lake through `run`, and returns the traces."""
    world, traces = world or lake_world(), []
    for seed in range(first, first + episodes):
        mentor = MentorAgent(SAFE, world.code, EndlessStream(9, 2))
        traces.append(run(world, {1: agent, 2: mentor}, steps=steps, seed=seed))
    return traces


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(0, 1), st.booleans())
def test_of_a_last_step_the_reward_is_learned_with_the_observation_summed_out(seed, steps, action, tabular):
    rng = np.random.default_rng(seed)
    models = random_class(rng, 4, rewards=(0.0, 0.5, 1.0), sparse=0.4)
    if not tabular:
        models = ModelClass([PartiallyObservableModel(model, np.eye(3)) for model in models.models])
    posterior, truth = models.posterior(), models.models[0]
    for _ in range(steps):
        percept = drawn(truth.law(posterior.summaries[0], 1), rng.random())
        posterior.observe(1, percept)
    before, laws = (
        posterior.weights,
        [m.law(s, action) for m, s in zip(models.models, posterior.summaries, strict=True)],
    )
    reward = drawn(laws[0], rng.random())[1]
    posterior.observe(action, (None, reward))
    chances = [sum(p for (_, paid), p in law.items() if paid == reward) for law in laws]
    alive = before > 0
    assert posterior.weights[alive] == pytest.approx((before * chances / (before @ chances))[alive])
    assert posterior.steps == steps + 1


@given(st.integers(0, 10_000), st.integers(0, 3))
def test_where_a_mentors_last_action_is_not_known_models_are_refuted_only_and_the_truth_loses_nothing(seed, steps):
    rng = np.random.default_rng(seed)
    models = random_class(rng, 4, rewards=(0.0, 0.5, 1.0), sparse=0.7)
    posterior, truth = models.posterior(), models.models[0]
    for _ in range(steps):
        posterior.observe(1, drawn(truth.law(posterior.summaries[0], 1), rng.random()))
    before = posterior.weights.copy()
    reward = drawn(truth.law(posterior.summaries[0], int(rng.integers(2))), rng.random())[1]
    possible = [
        any(paid == reward for action in range(2) for _, paid in model.law(summary, action))
        for model, summary in zip(models.models, posterior.summaries, strict=True)
    ]
    posterior.observe(None, (None, reward))
    assert posterior.weights == pytest.approx(before * possible / (before @ possible))
    assert posterior.weights[0] >= before[0] * (1 - 1e-12)


@pytest.mark.parametrize("make", ["likely", "bayes"])
def test_after_an_end_it_decides_as_one_whose_prior_is_what_was_learned(make):
    agent = lake_agent(make)
    play(agent, 2)
    known = agent.posterior.weights
    left = np.flatnonzero(known > 0)
    fresh = ModelClass([agent.models.models[k] for k in left], known[left], [agent.models.names[k] for k in left])
    assert agent.posterior.summaries == [0] * len(agent.models)
    assert lake_agent(make, fresh).decide().action == agent.decide().action
    assert lake_agent(make, fresh).decide().value == pytest.approx(agent.decide().value)


def test_a_mentors_last_step_is_recorded_as_far_as_it_is_known():
    world, agent = lake_world(), lake_agent()
    for state in (RIGHT, RIGHT, DOWN):
        agent.observe(state, (agent.posterior.summaries[0] + (3 if state == DOWN else 1), 0.0), by_mentor=True)
    agent.learn_last(1, world.code.defer, 1.0)
    assert agent.done[-1] == (None, (None, 1.0), True, True, None)
    assert not agent.is_under_way
    fresh = lake_agent()
    assert (fresh.posterior.summaries, fresh.mentor_posterior.summaries) == ([0] * 7, [0])
    assert (agent.posterior.summaries, agent.mentor_posterior.summaries) == ([0] * 7, [0])


def test_a_mentors_last_action_tells_of_the_mentor_where_it_is_known():
    models = lakes()
    mentors = MentorClass([SAFE, TabularMentor(np.full((9, 4), 0.25))])
    for action, by_mentor, weight in ((RIGHT, True, 0.8), (RIGHT, False, 0.5), (None, True, 0.5), (DOWN, True, 0.0)):
        agent = PessimisticAgent(models, mentors, 0.5, 0.9, 12, exact=False)
        agent.observe_last(action, 0.0, by_mentor)
        assert agent.mentor_posterior.weights[0] == pytest.approx(weight)
        assert agent.mentor_posterior.steps == agent.posterior.steps == 1
    agent = PessimisticAgent(models, MentorClass([SAFE]), 0.5, 0.9, 12, exact=False)
    with pytest.raises(UnexplainedError, match="the mentor's choice of it probability 0"):
        agent.observe_last(DOWN, 0.0, by_mentor=True)
    assert (agent.done, agent.posterior.steps, agent.mentor_posterior.steps) == ([], 0, 0)


def test_an_episode_that_is_cut_off_ends_where_the_next_begins():
    world, agent = lake_world(), lake_agent("likely")
    play(agent, 1, world, steps=2)
    assert agent.is_under_way
    before = (agent.decide(), list(agent.done))
    start = world.code.encode_first(0)
    begin_member = agent.act(start)
    assert (agent.decide(), agent.done) == before
    agent.end_episode()
    assert agent.act(start) == begin_member
    again = lake_agent("likely")
    play(again, 1, world, steps=2)
    play(again, 3, world, steps=2, first=1)
    assert [done.last for done in again.done] == [False, True] * 3 + [False, False]
    again.end_episode()
    again.end_episode()
    assert [done.last for done in again.done] == [False, True] * 4


@pytest.mark.parametrize("make", ["pessimist", "bayes", "likely", "thompson"])
@pytest.mark.parametrize("steps", [2, 30])
def test_a_life_in_episodes_is_saved_and_resumed_bit_for_bit(make, steps, tmp_path):
    whole, half, resumed = (lake_agent(make) for _ in range(3))
    play(whole, 6, steps=steps)
    play(half, 3, steps=steps)
    half.save(tmp_path / "life.json")
    resumed.resume(tmp_path / "life.json")
    assert resumed.done == half.done
    play(resumed, 3, steps=steps, first=3)
    assert (resumed.record, resumed.done) == (whole.record, whole.done)
    assert (resumed.posterior.log_weights == whole.posterior.log_weights).all()
    assert resumed.posterior.summaries == whole.posterior.summaries


def test_what_cannot_be_the_last_step_teaches_nothing():
    agent = lake_agent()
    before = agent.posterior.weights.copy()
    for action, reward in ((0, 0.5), (None, 0.5)):
        taken = "unknown" if action is None else action
        with pytest.raises(UnexplainedError, match=rf"step 1, action {taken}: .* gives a last reward of 0.5 probabil"):
            agent.observe_last(action, reward)
    with pytest.raises(SettingError, match=r"expected one of 0\.\.3"):
        agent.observe_last(7, 0.0)
    assert (agent.posterior.weights == before).all()
    assert (agent.done, agent.record, agent.posterior.steps) == ([], [], 0)


def test_events_are_asked_of_the_present_episode_and_steps_are_counted_through():
    event = Event.of_pairs("from the start to the right", [(0, RIGHT)], start=0)
    third = Event("three steps in an episode", lambda history, action: len(history) == 2)
    steps = [
        (DOWN, (3, 0.0), True),
        (RIGHT, (4, 0.0), False, True),
        (None, (None, 0.0), True, True),
        (RIGHT, (1, 0.0), False),
        (RIGHT, (2, 0.0), True),
        (DOWN, (None, 1.0), True, True),
    ]
    ledger = Ledger.of([event, third], steps)
    assert ledger.first == {event.name: FirstCause("agent", 4), third.name: FirstCause("mentor", 6)}
