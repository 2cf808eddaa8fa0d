"""Tabular agents: their rules against plain restatements, semi-determinism, copies that learn apart."""

from functools import partial
from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.agents import ConstantAgent, InterpretedQLearner, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.agents.tabular import MOST_VALUES
from multislot.engine.stream import EndlessStream, PublishedStream, published_streams
from multislot.errors import SettingError, TooLargeError

pytestmark = pytest.mark.compiled

N_OBSERVATIONS, N_ACTIONS = 3, 4
STREAM = published_streams(7)[0]
AGENTS = (RandomAgent, ConstantAgent, SimpleLearner, NaiveLearner, QLearner, InterpretedQLearner)

observations = st.integers(0, N_OBSERVATIONS - 1)
actions = st.integers(0, N_ACTIONS - 1)
rewards = st.sampled_from([-1.0, 0.0, 0.5, 1.0])
histories = st.lists(st.tuples(observations, actions, rewards, observations), max_size=30)


def fresh(kind, **overrides):
    return kind(N_OBSERVATIONS, N_ACTIONS, STREAM, **overrides)


def trained(agent, history):
    for transition in history:
        agent.learn(*transition)
    return agent


def answers(agent):
    return [agent.act(observation) for observation in range(N_OBSERVATIONS)]


def drawn(index, n):
    return int(STREAM.at(index) * n)


@given(histories)
def test_the_random_agent_draws_at_its_learning_steps(history):
    agent = trained(fresh(RandomAgent), history)
    assert set(answers(agent)) == {drawn(len(history), N_ACTIONS)}


@given(histories)
def test_the_simple_learner_takes_the_first_action_never_punished(history):
    agent = trained(fresh(SimpleLearner), history)
    punished = {(o, a) for o, a, reward, _ in history if reward < 0}
    for observation in range(N_OBSERVATIONS):
        unpunished = [a for a in range(N_ACTIONS) if (observation, a) not in punished]
        assert agent.act(observation) == (unpunished or [0])[0]


@given(histories)
def test_the_naive_learner_takes_the_best_average(history):
    agent = trained(fresh(NaiveLearner), history)
    for observation in range(N_OBSERVATIONS):
        paid = [[r for o, a, r, _ in history if (o, a) == (observation, action)] for action in range(N_ACTIONS)]
        averages = [sum(column) / len(column) if column else 0.0 for column in paid]
        explores = STREAM.at(2 * len(history)) < 0.15
        best = drawn(2 * len(history) + 1, N_ACTIONS) if explores else averages.index(max(averages))
        assert agent.act(observation) == best


@pytest.mark.parametrize("kind", [QLearner, InterpretedQLearner])
@given(histories)
def test_the_q_learner_is_watkins_with_the_released_exploration(kind, history):
    agent = trained(fresh(kind), history)
    table = [[0.0] * N_ACTIONS for _ in range(N_OBSERVATIONS)]
    for observation, action, reward, following in history:
        target = reward + 0.9 * max(table[following])
        table[observation][action] += 0.1 * (target - table[observation][action])
    counter = 2 * len(history)
    for observation, values in enumerate(table):
        explores = STREAM.at(counter) > 0.9 or all(value == 0 for value in values)
        assert agent.act(observation) == (drawn(counter + 1, N_ACTIONS) if explores else values.index(max(values)))


@pytest.mark.parametrize(
    ("kind", "last", "end"), [(QLearner, 0.9, 1), (InterpretedQLearner, 0.9, 1), (NaiveLearner, 0.15, 0)]
)
def test_a_number_at_the_chance_itself_does_not_explore(kind, last, end):
    streams = [PublishedStream([0.5, 0.5, number, 0.99]) for number in (last, nextafter(last, end))]
    agents = [trained(kind(1, N_ACTIONS, stream), [(0, 1, 1.0, 0)]) for stream in streams]
    assert [agent.act(0) for agent in agents] == [1, N_ACTIONS - 1]


def test_the_last_transition_has_no_future():
    agent, reference = fresh(QLearner), fresh(QLearner)
    for learner in (agent, reference):
        learner.learn(1, 0, 1.0, 2)
    agent.learn_last(0, 1, 1.0)
    reference.learn(0, 1, 1.0, 0)
    assert agent.native_state() == reference.native_state()
    agent.learn_last(1, 0, 0.0)
    assert agent.native_state()["values"][N_ACTIONS] == pytest.approx(0.09)


@pytest.mark.parametrize("kind", [RandomAgent, ConstantAgent, SimpleLearner, NaiveLearner])
def test_agents_without_a_learning_rate_take_one_and_act_alike(kind):
    history = [(0, 1, -1.0, 1), (1, 0, 1.0, 0)]
    assert answers(trained(fresh(kind, learning_rate=1.0), history)) == answers(trained(fresh(kind), history))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(ConstantAgent, action=4), r"got action=4; expected one of 0..3"),
        (partial(QLearner, epsilon=1.5), "got epsilon=1.5"),
        (partial(QLearner, learning_rate=-0.1), "got learning_rate=-0.1"),
        (partial(QLearner, discount=2.0), "got discount=2.0"),
        (partial(NaiveLearner, exploring=2.0), "got exploring=2.0"),
    ],
)
def test_parameters_out_of_their_domain_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(N_OBSERVATIONS, N_ACTIONS, PublishedStream([0.5]))


TABLES = (SimpleLearner, NaiveLearner, QLearner)
INT64 = st.integers(-(2**63), 2**63 - 1)
indices = st.one_of(st.integers(-5, 10), INT64)


@pytest.mark.parametrize("kind", [*TABLES, RandomAgent])
@given(n_observations=st.one_of(indices, st.just(2**80)), n_actions=indices)
def test_a_table_of_any_size_is_made_or_refused(kind, n_observations, n_actions):
    if kind is not RandomAgent and 0 < n_observations * n_actions < MOST_VALUES and min(n_observations, n_actions) > 0:
        n_observations, n_actions = n_observations % 50 + 1, n_actions % 50 + 1  # a gigabyte a case would be slow
    try:
        agent = kind(n_observations, n_actions, STREAM)
    except (SettingError, TooLargeError):
        assert min(n_observations, n_actions) < 1 or n_observations * n_actions > MOST_VALUES or n_actions > MOST_VALUES
    else:
        assert 0 <= agent.act(0) < n_actions


def test_the_error_of_a_table_that_is_too_large_says_how_much_memory_it_would_take():
    with pytest.raises(TooLargeError, match=f"{8 * (2**63 - 1):,} bytes"):
        QLearner(1, 2**63 - 1, STREAM)


@pytest.mark.parametrize("kind", [*TABLES, InterpretedQLearner])
@given(asked=st.tuples(indices, indices, indices))
def test_an_index_outside_the_table_is_refused_and_changes_nothing(kind, asked):
    observation, action, following = asked
    agent = trained(fresh(kind), [(0, 1, -1.0, 2), (2, 3, 1.0, 0)])
    state = agent.native_state()
    if not 0 <= observation < N_OBSERVATIONS:
        with pytest.raises(SettingError, match=f"observation={observation}"):
            agent.act(observation)
    inside = 0 <= observation < N_OBSERVATIONS and 0 <= action < N_ACTIONS
    reads_next = isinstance(agent, QLearner)
    if not inside or (reads_next and not 0 <= following < N_OBSERVATIONS):
        with pytest.raises(SettingError, match="expected one of range"):
            agent.learn(observation, action, -1.0, following)
    if not inside:
        with pytest.raises(SettingError, match="expected one of range"):
            agent.learn_last(observation, action, -1.0)
    unchanged = agent.native_state()
    assert unchanged == state or inside


@given(index=st.integers(-(2**40), -1))
def test_a_stream_has_no_index_below_zero(index):
    for stream in (STREAM, EndlessStream(1, 1)):
        with pytest.raises(SettingError, match=f"index={index}"):
            stream.at(index)


def test_a_store_holds_numbers_from_zero_to_one():
    with pytest.raises(SettingError, match=r"1\.5"):
        PublishedStream([0.5, 1.5])
