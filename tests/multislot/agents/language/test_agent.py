"""Language agents: contracts, exactness with a known policy behind the prompt, and what all others must come to."""

import pickle
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from extenv import BATTERY, measure, reality_check, run
from multislot.agents import QLearner, RandomAgent
from multislot.agents.language import (
    LanguageAgent,
    LanguageModel,
    Reply,
    Request,
    Template,
    UnreadableAnswersWarning,
)
from multislot.engine.stream import PublishedStream
from multislot.errors import SettingError
from multislot.testing import check_agent
from tests.multislot.agents.language.asking import (
    PLAIN,
    Noted,
    behind_the_prompt,
    factory_of,
    first_letter,
    made,
    nonsense,
    published_stream,
    q_factory,
)

pytestmark = pytest.mark.filterwarnings("ignore::multislot.agents.language.UnreadableAnswersWarning")


def totals(factory, **settings):
    return [score.total_reward for score in measure(factory, **settings).scores]


def test_it_keeps_the_contract_of_agents():
    check_agent(factory_of(nonsense), n_observations=3, n_actions=3, steps=12)
    check_agent(q_factory(Template.load("told", shown=4)), n_observations=2, n_actions=2, steps=12)


@pytest.mark.parametrize("checked", [False, True])
def test_a_q_learner_behind_the_prompt_earns_exactly_what_it_earns_in_the_process(checked):
    """In every environment of the battery and its opposite, run by run."""
    wrapped = reality_check if checked else lambda factory: factory
    theirs, ours = (totals(wrapped(factory), steps=8, seeds=(3,)) for factory in (q_factory(), QLearner))
    assert len(theirs) == 2 * len(BATTERY)
    assert theirs == ours
    assert any(ours)


def test_it_is_not_exact_once_turns_are_only_counted():
    """The control: the exactness above is that of the whole history."""
    short = q_factory(Template.load("plain", shown=2))
    settings = {"steps": 20, "seeds": (3,), "environments": BATTERY[:6]}
    assert totals(short, **settings) != totals(QLearner, **settings)


def test_one_that_talks_nonsense_acts_exactly_at_random():
    """A measure of 0: agents that learn nothing from rewards earn in the opposite what they lose in the original."""
    assert totals(factory_of(nonsense), steps=8, seeds=(2,)) == totals(RandomAgent, steps=8, seeds=(2,))
    assert measure(factory_of(nonsense), steps=8, seeds=(2,)).mean == 0.0


@pytest.mark.filterwarnings("error")
def test_a_measure_of_unreadable_answers_warns_and_one_of_readable_answers_does_not():
    settings = {"steps": 12, "seeds": (1,), "environments": ("TemptingButton",)}
    with pytest.warns(UnreadableAnswersWarning, match="of the first 10 answers of fake name no action"):
        measure(factory_of(nonsense), **settings)
    measure(q_factory(), **settings)


def test_exchanging_letters_changes_only_who_likes_letters():
    exchanged = Template.load("plain", letters="exchanged")
    for likes_letters in (False, True):
        rewards = [
            run(
                "TemptingButton",
                factory_of(first_letter if likes_letters else behind_the_prompt(QLearner, template), template),
                steps=8,
            ).total_reward
            for template in (PLAIN, exchanged)
        ]
        assert (rewards[0] == rewards[1]) is not likes_letters


def test_an_action_is_drawn_from_the_geometric_mean_over_both_letterings():
    """A liking for a place cancels; so does whatever differs between the letterings. A chance of 0 counts as 1e-300."""
    named = replace(PLAIN, texts=replace(PLAIN.texts, actions=["left", "middle", "right"]))
    chances = {"drawn": (0.32, 0.36, 0.08), "exchanged": (0.02, 0.04, 0.32)}  # means: 8 : 12 : 16

    def answer(request):
        for letters, of_actions in chances.items():
            lettering = replace(named, letters=letters).letters_of(3, request.seed)
            if f"{lettering[0]}: left" in request.messages[0][1]:
                return Reply("", tuple(of_actions[lettering.index(letter)] for letter in request.letters))
        raise AssertionError(request)

    def drawn(number, template=named):
        return LanguageAgent(2, 3, PublishedStream([number], 1), LanguageModel(answer, "fake"), template).act(0)

    for template in (named, replace(named, letters="exchanged")):
        bounds = [drawn(number, template) for number in (0.0, 0.222, 0.223, 0.555, 0.556, 0.999999)]
        assert bounds == [0, 0, 1, 1, 2, 2]
    chances = {"drawn": (0.0, 0.5, 0.5), "exchanged": (0.0, 0.5, 0.5)}
    assert [drawn(number) for number in (0.0, 1e-299, 0.499, 0.501)] == [0, 1, 1, 2]


@pytest.mark.parametrize("unreadable", [5, 6])
def test_more_than_half_of_the_first_ten_answers_must_be_readable(unreadable):
    """A question that is asked again counts once; nothing is said later."""
    model = LanguageModel(lambda request: Reply("?" if request.seed % 100 >= 10 - unreadable else "K"), "fake")
    requests = [Request((("user", "?"),), ("K", "L"), seed) for seed in (*range(10), *range(5, 10), *range(100, 105))]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        letters = [model.choose(request, lambda request, answer: request, 2) for request in requests]
    assert letters[:10] == ["K"] * (10 - unreadable) + [None] * unreadable
    expected = "6 of the first 10 answers of fake name no action; its agents act at random where an answer cannot be"
    assert [str(warning.message)[: len(expected)] for warning in said] == [expected] * (unreadable == 6)


def test_unreadable_answers_are_told_of_later_if_the_tenth_can_be_read():
    model = LanguageModel(lambda request: Reply("K" if request.seed in (0, 4, 8, 9) else "?"), "fake")
    for seed in range(10):
        model.choose(Request((("user", "?"),), ("K", "L"), seed), lambda request, answer: request, 1)
    with pytest.warns(UnreadableAnswersWarning, match="^7 of the first 11 answers"):
        model.choose(Request((("user", "?"),), ("K", "L"), 10), lambda request, answer: request, 1)


def test_everybody_with_the_same_history_acts_alike_and_is_asked_once():
    """Definition 9, with a model that never answers the same twice."""
    source = Noted(*(letter for _ in range(99) for letter in PLAIN.letters_of(2, 0)))
    assert run("PunishNondeterministicAgent", factory_of(source), steps=12).total_reward == 12
    assert len(source.asked) == 12


def test_threads_with_one_question_ask_it_once_and_an_error_reaches_them_all_but_is_not_remembered():
    asked, looked_up = [], []

    class Counted(Request):
        def __hash__(self):
            looked_up.append(self)
            return super().__hash__()

    def answer(request):
        asked.append(request)
        for _ in range(60_000):  # until all threads wait, at most about a minute
            if len(looked_up) >= 8:
                break
            time.sleep(0.001)
        if len(asked) == 1:
            raise TimeoutError("busy")
        return Reply("K")

    model, question = LanguageModel(answer, "fake"), Counted((("user", "?"),), ("K", "L"))
    with ThreadPoolExecutor(8) as pool:
        failures = [pool.submit(model.ask, question) for _ in range(8)]
        assert {str(failure.exception()) for failure in failures} == {"busy"}
        assert list(pool.map(model.ask, [question] * 8)) == [Reply("K")] * 8
    assert len(asked) == 2


def test_copies_and_pickles_learn_apart():
    agent = made(factory_of(nonsense))
    agent.learn(0, 1, 1.0, 0)
    copied = agent.copy()
    agent.learn(0, 0, 1.0, 1)
    agent.learn_last(1, 0, -1.0)
    assert (copied.learned, agent.learned) == (1, 3)
    assert copied.model is agent.model
    assert pickle.loads(pickle.dumps(agent)).act(0) == agent.act(0)


def test_the_answers_of_a_letter_that_was_not_asked_for_are_tried_again():
    source = Noted("no idea", lambda request: request.letters[1])
    agent = LanguageAgent(1, 2, published_stream(1), model=LanguageModel(source, "fake"))
    assert agent.act(0) == PLAIN.letters_of(2, agent.seed).index(source.asked[0].letters[1])
    assert [role for role, _ in source.asked[1].messages] == ["system", "user", "assistant", "user"]
    assert source.asked[1].messages[2] == ("assistant", "no idea")


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("K", r"got answer\(request\)='K'; expected an instance of Reply; return Reply\(text\)"),
        (None, r"got answer\(request\)=None; expected an instance of Reply"),
        (Reply(None), r"got answer\(request\).text=None; expected an instance of str"),
        (Reply("", (1.0,)), r"got answer\(request\).chances=\(1.0,\); expected 2 chances; give each of"),
        (Reply("", (0.2, 0.3, 0.5)), "expected 2 chances"),
        (Reply("", ()), "expected 2 chances"),
    ],
)
def test_a_reply_that_is_none_is_refused_in_a_sentence(reply, message):
    with pytest.raises(SettingError, match=message):
        made(factory_of(lambda request: reply)).act(0)


def test_what_is_missing_is_said():
    with pytest.raises(SettingError, match="give partial\\(LanguageAgent, model=inspect_model"):
        LanguageAgent(1, 2, published_stream(1))
    with pytest.raises(SettingError, match=r"got learning_rate=.*; expected a finite number, at least 0"):
        LanguageAgent(1, 2, published_stream(1), model=LanguageModel(nonsense, "fake"), learning_rate=-0.5)
