"""Servers that speak chat completions, on this machine and with known policies behind them, and all their failures."""

import logging
import pickle
import sqlite3
import sys
import traceback
from functools import partial

import pytest

from extenv import BATTERY, measure
from multislot.agents import QLearner
from multislot.agents.language import (
    FAULTS,
    AgentSubject,
    ChatServer,
    Client,
    Clock,
    FirstLetter,
    LanguageAgent,
    LanguageError,
    ScriptedServer,
    Template,
)
from multislot.agents.language.situation import Situation
from multislot.errors import MissingExtraError, SettingError, UnknownNameError
from tests.multislot.agents.language.asking import PLAIN, made

pytest.importorskip("openai")

KEY = "sk-planted-0451"
Q = AgentSubject(QLearner, PLAIN)
REQUEST = PLAIN.request(Situation(1, 2, 0), 1)


class Time:
    """A clock that only sleeping, or looking at it, moves."""

    def __init__(self, tick=0.0):
        self.time, self.tick, self.slept = 0.0, tick, []

    def now(self):
        self.time += self.tick
        return self.time

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds

    @property
    def clock(self):
        return Clock(self.now, self.sleep)


def agents(client, template=PLAIN):
    return partial(LanguageAgent, client=client, template=template)


def asked(server, time, **settings):
    source = ChatServer("scripted", server.base_url, clock=time.clock, **settings)
    with Client(source) as client:
        return client.ask(REQUEST)


def test_a_q_learner_behind_a_server_earns_exactly_what_it_earns_in_the_process():
    with ScriptedServer(Q) as server, Client(ChatServer("scripted", server.base_url)) as client:
        theirs = measure(agents(client), steps=2, seeds=(2,), threads=8)
        assert client.tally.calls == server.requests
    ours = measure(QLearner, steps=2, seeds=(2,))
    assert len(ours.scores) == 2 * len(BATTERY)
    assert [one.total_reward for one in theirs.scores] == [one.total_reward for one in ours.scores]


@pytest.mark.parametrize("form", ["text", "choice", "log-probabilities"])
def test_answers_are_asked_for_in_three_forms(form):
    template = Template.load("plain", form=form)
    with ScriptedServer(FirstLetter()) as server, Client(ChatServer("scripted", server.base_url)) as client:
        agent = made(agents(client, template))
        action = agent.act(0)
        assert template.letters_of(2, 1)[action] == min(template.letters_of(2, 1))
        (body,) = server.bodies
    assert ("response_format" in body, "logprobs" in body) == (form == "choice", form == "log-probabilities")
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.0, 16, 1)


def test_a_slow_server_is_waited_for():
    with ScriptedServer(FirstLetter(), delay=0.01) as server:
        assert asked(server, Time()).text == min(REQUEST.letters)
    with pytest.raises(SettingError, match="got delay=-1"):
        ScriptedServer(FirstLetter(), delay=-1)


def test_what_a_server_does_not_take_can_be_left_out_or_added():
    source = ChatServer("m", "http://127.0.0.1:9/v1", temperature=None, max_tokens=None, extra={"top_k": 1})
    body = source.body(REQUEST)
    assert {"temperature", "max_tokens"}.isdisjoint(body)
    assert body["extra_body"] == {"top_k": 1}
    assert source.settings["top_k"] == 1


SENTENCES = {
    "rate limit": "did not answer after 3 tries: status 429 (rate limit, with the key [the key])",
    "broken": "did not answer after 3 tries: status 500 (broken, with the key [the key])",
    "hung up": "did not answer after 3 tries: Server disconnected without sending a response.",
    "cut": "did not answer after 3 tries: the answer was cut off",
    "not json": "did not answer after 3 tries: the answer is not JSON: '<html>Bad gateway</html>'",
    "no completion": "did not answer after 3 tries: the answer is not a chat completion",
    "endless": "did not answer after 3 tries: the answer has no end: it was given up after",
    "silent": "did not answer after 3 tries: no answer within 0.05 seconds",
    "unauthorised": "refused with status 401 (unauthorised, with the key [the key]); set OPENAI_API_KEY",
    "refused": "refused with status 400 (refused, with the key [the key])",
}
WAITS = {"rate limit": [7.0, 7.0], "unauthorised": [], "refused": []}


@pytest.mark.parametrize("fault", FAULTS[1:])
def test_every_failure_ends_in_one_sentence_and_loses_nothing(fault, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    path, time = tmp_path / "answers.sqlite", Time()
    with ScriptedServer(Q, faults=[""] * 4, fault=fault) as server:
        patience = 0.05 if fault == "silent" else 60.0
        source = ChatServer("scripted", server.base_url, tries=3, clock=time.clock, timeout=patience)
        with Client(source, answers=path) as client, pytest.raises(LanguageError) as caught:
            measure(agents(client), steps=9, seeds=(1,), environments=("IgnoreRewards",), opposites=False)
    sentence = str(caught.value)
    assert SENTENCES[fault] in sentence
    assert sentence.endswith(f"4 answers so far are kept in {path}, run again to go on from them")
    assert "\n" not in sentence
    assert time.slept == pytest.approx(WAITS.get(fault, [1.0, 2.0]))
    with ScriptedServer(Q) as server, Client(ChatServer("scripted", server.base_url), answers=path) as client:
        resumed = measure(agents(client), steps=9, seeds=(1,), environments=("IgnoreRewards",), opposites=False)
        assert server.requests == client.tally.prompts - 4
    ours = measure(QLearner, steps=9, seeds=(1,), environments=("IgnoreRewards",), opposites=False)
    assert resumed.mean == ours.mean


@pytest.mark.parametrize("fault", [one for one in SENTENCES if one not in ("silent", "unauthorised", "refused")])
def test_what_passes_is_waited_out(fault):
    time = Time()
    with ScriptedServer(FirstLetter(), faults=[fault, fault]) as server:
        assert asked(server, time).text == min(REQUEST.letters)
        assert server.requests == 3
    assert len(time.slept) == 2


def test_waits_double_up_to_a_longest_one():
    time = Time()
    with ScriptedServer(FirstLetter(), fault="broken") as server, pytest.raises(LanguageError):
        asked(server, time, tries=9)
    assert time.slept == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60])


def test_a_server_that_was_given_up_is_not_waited_for_until_it_answers():
    time, others = Time(), [PLAIN.request(Situation(1, 2, 0), seed) for seed in range(2, 7)]
    with ScriptedServer(FirstLetter(), faults=["broken"] * 5 + [""] + ["broken"] * 2) as server:
        source = ChatServer("scripted", server.base_url, tries=3, clock=time.clock)
        for request, tries in ((REQUEST, "after 3 tries"), (others[0], "again"), (others[1], "again")):
            with pytest.raises(LanguageError, match=f"did not answer {tries}: status 500"):
                source.ask(request)
        assert (server.requests, len(time.slept)) == (5, 2)
        assert source.ask(others[2]).text == min(others[2].letters)
        assert source.ask(others[3]).retries == 2  # it is trusted again
        source.close()


def test_an_answer_that_takes_too_long_is_given_up():
    time = Time(tick=60.0)
    with ScriptedServer(FirstLetter()) as server, pytest.raises(LanguageError, match="had no end within 50 seconds"):
        asked(server, time, tries=2, timeout=50.0)


def test_a_server_that_is_not_there_is_said():
    with ScriptedServer(FirstLetter()) as server:
        address = server.base_url
    time = Time()
    source = ChatServer("scripted", address, tries=2, clock=time.clock)
    with Client(source) as client, pytest.raises(LanguageError, match=r"after 2 tries: .*Connection refused"):
        client.ask(REQUEST)
    with pytest.raises(SettingError, match="does not listen"):
        _ = server.base_url


def test_a_hosted_server_without_a_key_is_said(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(LanguageError, match="needs a key: set OPENAI_API_KEY"):
        ChatServer("m").ask(REQUEST)


def test_the_key_is_nowhere(tmp_path, monkeypatch, caplog, capfd):
    """Not in the file of answers, not in what is logged or printed, not in names, pickles or errors."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    path = tmp_path / "answers.sqlite"
    with (
        caplog.at_level(logging.DEBUG),
        ScriptedServer(Q, faults=["", "rate limit", ""], fault="unauthorised") as server,
    ):
        source = ChatServer("scripted", server.base_url, clock=Time().clock)
        with Client(source, answers=path) as client, pytest.raises(LanguageError) as caught:
            measure(agents(client), steps=9, seeds=(1,), environments=("IgnoreRewards",))
        seen = [repr(client), repr(source), "".join(traceback.format_exception(caught.value))]
        seen += [pickle.dumps(client).decode("latin-1"), str(client.source.settings)]
    seen += [caplog.text, *capfd.readouterr()]
    seen += [part.read_bytes().decode("latin-1") for part in tmp_path.iterdir()]
    assert "[the key]" in seen[2]  # the server did repeat it
    assert any("scripted" in text for text in seen)
    assert [text for text in seen if KEY in text] == []
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM cells").fetchone() == (2,)


@pytest.mark.parametrize("fault", ["refused", "rate limit"])
def test_a_long_key_is_struck_out_before_what_a_server_says_is_cut(fault, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + 40 * "planted")
    with ScriptedServer(Q, fault=fault) as server, pytest.raises(LanguageError, match=r"\[the key\]") as caught:
        ChatServer("scripted", server.base_url, clock=Time().clock).ask(REQUEST)
    assert "planted" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"model": ""}, "the name of a model"),
        ({"temperature": -1.0}, "got temperature=-1.0"),
        ({"max_tokens": 0}, "got max_tokens=0"),
        ({"tries": 0}, "got tries=0"),
        ({"timeout": 0.0}, "got timeout=0.0"),
    ],
)
def test_settings_are_checked(settings, sentence):
    with pytest.raises(SettingError, match=sentence):
        ChatServer(**{"model": "m", **settings})


def test_faults_are_checked():
    with pytest.raises(UnknownNameError, match="did you mean 'broken'"):
        ScriptedServer(FirstLetter(), fault="brocken")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match="multislot\\[language\\]"):
        ChatServer("m").ask(REQUEST)
