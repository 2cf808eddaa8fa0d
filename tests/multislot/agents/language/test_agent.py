"""Language agents: contracts, exactness with a known policy behind the prompt, and what all others must come to."""

import pickle
from functools import partial

import pytest

from extenv import BATTERY, make, measure, reality_check, run
from multislot.agents import ConstantAgent, QLearner, RandomAgent
from multislot.agents.language import (
    AgentSubject,
    Client,
    FirstLetter,
    LanguageAgent,
    Nonsense,
    SubjectSource,
    Template,
)
from multislot.agents.language.subjects import published_stream
from multislot.errors import SettingError
from multislot.testing import check_agent
from tests.multislot.agents.language.asking import PLAIN, Noted, client_of, factory_of, made, q_factory


def test_it_keeps_the_contract_of_agents():
    check_agent(factory_of(Nonsense()), n_observations=3, n_actions=3, steps=12)
    check_agent(q_factory(Template.load("told", shown=4)), n_observations=2, n_actions=2, steps=12)


@pytest.mark.parametrize("checked", [False, True])
def test_a_q_learner_behind_the_prompt_earns_exactly_what_it_earns_in_the_process(checked):
    """In every environment of the battery and its opposite, run by run."""
    wrapped = reality_check if checked else lambda factory: factory
    theirs, ours = (measure(wrapped(one), steps=8, seeds=(3,)) for one in (q_factory(), QLearner))
    assert len(theirs.scores) == 2 * len(BATTERY)
    assert [one.total_reward for one in theirs.scores] == [one.total_reward for one in ours.scores]
    assert any(one.total_reward for one in ours.scores)


def test_it_is_not_exact_once_turns_are_only_counted():
    """The control: the exactness above is that of the whole history."""
    short = q_factory(Template.load("plain", shown=2))
    theirs, ours = (measure(one, steps=20, seeds=(3,), environments=BATTERY[:6]) for one in (short, QLearner))
    assert [one.total_reward for one in theirs.scores] != [one.total_reward for one in ours.scores]


def test_one_that_talks_nonsense_acts_exactly_at_random():
    """A measure of 0: agents that learn nothing from rewards earn in the opposite what they lose in the original."""
    factory = factory_of(Nonsense())
    theirs, ours = (measure(one, steps=8, seeds=(2,)) for one in (factory, RandomAgent))
    assert [one.total_reward for one in theirs.scores] == [one.total_reward for one in ours.scores]
    assert theirs.mean == 0.0
    tally = factory.keywords["client"].tally
    assert (tally.invalid, tally.prompts) == (2 * tally.fallbacks, 2 * tally.fallbacks)


@pytest.mark.parametrize("action", [0, 1])
def test_a_constant_one_is_the_constant_agent(action):
    constant = partial(ConstantAgent, action=action)
    theirs, ours = (
        measure(one, steps=5, seeds=(1,), environments=("TemptingButton", "CryingBaby", "SelfRecognition"))
        for one in (factory_of(AgentSubject(constant, PLAIN)), constant)
    )
    assert [one.total_reward for one in theirs.scores] == [one.total_reward for one in ours.scores]


def test_exchanging_letters_changes_only_who_likes_letters():
    exchanged = Template.load("plain", letters="exchanged")
    for subject, same in ((AgentSubject, True), (None, False)):
        totals = [
            run("TemptingButton", factory_of(subject(QLearner, one) if subject else FirstLetter(), one), steps=8)
            for one in (PLAIN, exchanged)
        ]
        assert (totals[0] == totals[1]) is same


def test_everybody_with_the_same_history_acts_alike_and_is_asked_once():
    """Definition 9, with a model that never answers the same twice."""
    source = Noted(*(letter for _ in range(99) for letter in PLAIN.letters_of(2, 1)))
    factory = partial(LanguageAgent, client=Client(source), template=PLAIN)
    assert run("PunishNondeterministicAgent", factory, steps=12).total_reward == 12
    assert len(source.asked) == 12


def test_acting_asks_and_changes_nothing():
    agent = made(q_factory())
    before = agent.native_state()
    assert agent.act(0) == agent.act(0)
    assert agent.native_state() == before
    assert agent.client.tally.calls == 1


def test_copies_and_pickles_learn_apart():
    agent = made(q_factory())
    agent.learn(0, 1, 1.0, 0)
    copied = agent.copy()
    agent.learn(0, 0, 1.0, 1)
    agent.learn_last(1, 0, -1.0)
    assert (copied.learned, agent.learned) == (1, 3)
    assert copied.client is agent.client
    source = pickle.loads(pickle.dumps(made(partial(LanguageAgent, client=Client(SubjectSource(Nonsense()))))))
    assert source.act(0) in (0, 1)


def test_the_rehearsal_asks_no_model():
    """A run of n steps must not cost more than its own questions."""
    factory = factory_of(Nonsense(), Template.load("plain", tries=1))
    run("IgnoreRewards2", factory, steps=1)
    assert factory.keywords["client"].tally.prompts == 1


def test_an_agent_with_a_learning_rate_is_told_so():
    subject = AgentSubject(QLearner, PLAIN)
    agent = LanguageAgent(1, 2, published_stream(1), client=client_of(subject), learning_rate=1.0)
    assert "learning rate is 1:" in PLAIN.request(agent.situation(0), 1).messages[0][1]
    assert subject.agent(agent.situation(0), 1).learning_rate == 1.0
    assert make("IncentivizeLearningRate").n_actions == 2


def test_the_answers_of_a_letter_that_was_not_asked_for_are_tried_again():
    source = Noted("no idea", lambda request: request.letters[1])
    agent = LanguageAgent(1, 2, published_stream(1), client=Client(source))
    assert agent.act(0) == PLAIN.letters_of(2, agent.seed).index(source.asked[0].letters[1])
    assert [role for role, _ in source.asked[1].messages] == ["system", "user", "assistant", "user"]
    assert source.asked[1].messages[2] == ("assistant", "no idea")
    assert (agent.client.tally.invalid, agent.client.tally.fallbacks) == (1, 0)


def test_what_is_missing_is_said():
    with pytest.raises(SettingError, match="give partial\\(LanguageAgent, client=Client"):
        LanguageAgent(1, 2, published_stream(1))
    with pytest.raises(SettingError, match="name, settings, ask"):
        Client("gpt")
