"""What a client remembers, counts and refuses."""

import json
import threading
from functools import partial

import pytest

from extenv import measure
from multislot.agents import QLearner
from multislot.agents.language import (
    AgentSubject,
    CallLimitError,
    Client,
    Fickle,
    LanguageAgent,
    LanguageError,
    Reply,
    SubjectSource,
    Template,
)
from multislot.agents.language.memory import Memory, request_key
from multislot.agents.language.situation import Situation
from multislot.cells.store import CellStore, Finished
from multislot.errors import SettingError
from tests.multislot.agents.language.asking import PLAIN, Noted, client_of, factory_of, q_factory

FEW = ("TemptingButton", "IgnoreRewards", "CryingBaby")
REQUEST = PLAIN.request(Situation(1, 2, 0), 1)


def test_a_second_run_asks_nothing(tmp_path):
    path = tmp_path / "answers.sqlite"
    first, second = (q_factory(answers=path) for _ in range(2))
    one = measure(first, steps=6, seeds=2, environments=FEW)
    first.keywords["client"].close()
    again = measure(q_factory(answers=path), steps=6, seeds=2, environments=FEW)
    assert again.scores == one.scores
    second = q_factory(answers=path)
    longer = measure(second, steps=7, seeds=2, environments=FEW)
    tally, before = second.keywords["client"].tally, first.keywords["client"].tally
    assert 0 < tally.calls < tally.prompts - before.prompts + 1
    assert longer.steps == 7


def test_what_was_answered_before_a_failure_is_not_asked_again(tmp_path):
    path = tmp_path / "answers.sqlite"
    failing = q_factory(answers=path, most_calls=10)
    with pytest.raises(
        CallLimitError, match=r"most_calls=10 is used up; 10 answers so far are kept in .*answers.sqlite"
    ):
        measure(failing, steps=6, seeds=1, environments=FEW)
    failing.keywords["client"].close()
    resumed, whole = q_factory(answers=path), q_factory()
    assert (
        measure(resumed, steps=6, seeds=1, environments=FEW).scores
        == measure(whole, steps=6, seeds=1, environments=FEW).scores
    )
    assert resumed.keywords["client"].tally.calls == whole.keywords["client"].tally.calls - 10


def test_clients_counted_apart_share_answers_and_the_calls_left():
    source = Noted(*"KLMKLMKLM")
    first = Client(source, most_calls=2)
    second = first.counted_apart()
    requests = [PLAIN.request(Situation(1, 3, 0), seed) for seed in (1, 2, 3)]
    first.ask(requests[0])
    second.ask(requests[0])
    second.ask(requests[1])
    for client in (first, second):
        with pytest.raises(CallLimitError, match="most_calls=2 is used up; 2 answers"):
            client.ask(requests[2])
    assert len(source.asked) == 2
    assert [(client.tally.prompts, client.tally.calls) for client in (first, second)] == [(1, 1), (2, 1)]


def test_answers_are_told_apart_by_model_settings_seed_and_prompt():
    keys = {
        request_key(model, settings, PLAIN.request(Situation(1, 2, 0), seed), repeat)
        for model in ("a", "b")
        for settings in ({}, {"temperature": 1.0})
        for seed in (1, 2)
        for repeat in (0, 1)
    }
    keys |= {request_key("a", {}, PLAIN.request(Situation(n, 2, 0), 1)) for n in (2, 3)}
    assert len(keys) == 18


def test_many_answers_are_read_back(tmp_path):
    path = tmp_path / "answers.sqlite"
    with CellStore(path) as store:
        reply = json.dumps({"text": "K", "input_tokens": 900, "output_tokens": 1})
        store.add(Finished(request_key("m", {}, REQUEST, number), reply, 0.5) for number in range(200))
    memory = Memory(path)
    assert len(memory) == 200
    assert memory.get(request_key("m", {}, REQUEST, 77)) == (Reply("K", 900, 1), 0.5)


def test_damaged_answers_are_asked_again_and_foreign_files_refused(tmp_path):
    path = tmp_path / "answers.sqlite"
    with CellStore(path) as store:
        store.add([Finished("a finished run", "3.5", 0.1)])
    assert len(Memory(path)) == 0
    (tmp_path / "notes.txt").write_text("not answers")
    for wrong, sentence in (
        (tmp_path / "notes.txt", "no file of remembered answers"),
        (tmp_path, "a folder"),
        (tmp_path / "x" / "y", "there is no folder"),
    ):
        with pytest.raises(SettingError, match=sentence):
            Memory(wrong)


def test_a_prompt_is_asked_once_even_by_many_threads_at_the_same_time():
    entered, go_on = threading.Event(), threading.Event()

    def slow(request):
        entered.set()
        assert go_on.wait(10)
        return request.letters[0]

    source = Noted(slow)
    client, found = Client(source), []
    threads = [threading.Thread(target=lambda: found.append(client.ask(REQUEST).text)) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert entered.wait(10)
    go_on.set()
    for thread in threads:
        thread.join()
    assert found == [REQUEST.letters[0]] * 5
    assert len(source.asked) == 1


def test_threads_find_the_same_as_one_after_the_other():
    one, many = q_factory(), q_factory()
    assert (
        measure(one, steps=5, seeds=2, environments=FEW).scores
        == measure(many, steps=5, seeds=2, environments=FEW, threads=8).scores
    )
    left, right = one.keywords["client"].tally, many.keywords["client"].tally
    assert (left.prompts, left.calls, left.input_tokens) == (right.prompts, right.calls, right.input_tokens)


def test_a_failure_stops_all_threads():
    source = Noted(*("K" for _ in range(6)), LanguageError("gone"))
    factory = partial(LanguageAgent, client=Client(source))
    with pytest.raises(LanguageError, match="gone; 6 answers so far are remembered by this client"):
        measure(factory, steps=500, seeds=3, threads=4)
    before = len(source.asked)
    assert before <= 6 + 4  # one failing call in each thread, no more
    with pytest.raises(SettingError, match="got threads=4; expected 1 together with jobs"):
        measure(factory, steps=1, seeds=1, threads=4, jobs=2)


def test_a_dry_run_asks_nobody_and_foretells_the_calls(tmp_path):
    path = tmp_path / "answers.sqlite"
    factory = q_factory(answers=path)
    dry = factory.keywords["client"].dry()
    measure(partial(LanguageAgent, client=dry, template=PLAIN), steps=6, seeds=1)
    assert factory.keywords["client"].tally.prompts == 0
    measure(factory, steps=6, seeds=1)
    foretold, done = dry.tally, factory.keywords["client"].tally
    assert foretold.calls == pytest.approx(done.calls, rel=0.1)
    assert foretold.input_tokens == pytest.approx(done.input_tokens, rel=0.1)
    assert foretold.cost(2.0, 8.0) == pytest.approx((foretold.input_tokens * 2 + foretold.output_tokens * 8) / 1e6)
    left = factory.keywords["client"].dry()
    measure(partial(LanguageAgent, client=left, template=PLAIN), steps=6, seeds=1)
    assert (left.tally.calls, left.tally.prompts) == (0, done.prompts)
    assert str(left.tally).startswith(f"{done.prompts} prompts, 0 calls; {done.input_tokens:,} tokens in")


def test_how_often_answers_differ_is_measured_on_a_sample_and_remembered(tmp_path):
    path = tmp_path / "answers.sqlite"
    for subject, differ in ((Fickle(), 8), (AgentSubject(QLearner, PLAIN), 0)):
        source = SubjectSource(subject, name=type(subject).__name__)
        client = Client(source, answers=path, sample=8)
        measure(partial(LanguageAgent, client=client), steps=6, seeds=1, environments=FEW)
        steadiness = client.ask_again()
        assert (steadiness.asked, steadiness.differed) == (8, differ)
        assert str(steadiness).startswith(f"{differ} of 8 answers differed when asked again [")
        assert steadiness.interval[0] <= steadiness.share <= steadiness.interval[1]
        calls = client.tally.calls
        assert client.ask_again() == steadiness
        assert client.tally.calls == calls
        client.close()


def test_the_sample_does_not_depend_on_the_order_of_asking():
    samples = []
    for environments in (FEW, FEW[::-1]):
        client = client_of(AgentSubject(QLearner, PLAIN), sample=7)
        measure(partial(LanguageAgent, client=client), steps=5, seeds=1, environments=environments)
        samples.append(sorted(key for key, _ in client._sampled))
    assert samples[0] == samples[1]
    assert len(samples[0]) == 7


def test_every_prompt_has_the_same_chance_to_be_sampled():
    client = client_of(AgentSubject(QLearner, PLAIN), sample=10_000)
    measure(partial(LanguageAgent, client=client), steps=3, seeds=1, environments=FEW)
    assert len(client._sampled) == client.tally.prompts


def test_the_same_settings_have_one_name():
    """A measurement that goes on from a file knows its agents by it."""
    assert repr(client_of(Fickle())) == "Client('subject')"
    assert repr(factory_of(Fickle()).keywords["template"]) == "Template('plain')"


def test_a_measurement_goes_on_from_a_file_of_runs(tmp_path):
    """Runs are known by the model, its settings and the template, whatever the server's address."""
    path, first = tmp_path / "runs.sqlite", q_factory()
    one = measure(first, steps=5, seeds=1, environments=FEW, resume=path)
    again = q_factory()
    assert measure(again, steps=5, seeds=1, environments=FEW, resume=path).scores == one.scores
    assert again.keywords["client"].tally.prompts == 0
    other = q_factory(Template.load("plain", letters="exchanged"))
    measure(other, steps=5, seeds=1, environments=FEW, resume=path)
    assert other.keywords["client"].tally.prompts
