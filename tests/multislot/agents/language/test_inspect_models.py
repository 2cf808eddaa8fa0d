"""What Inspect's answers come to: chances of letters, from the log-probabilities of tokens; what a file is asked."""

import asyncio
import sys
from math import inf, log
from types import SimpleNamespace
from unittest import mock

import pytest

from multislot.errors import SettingError

pytest.importorskip("inspect_ai")
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelOutput,
    TopLogprob,
    get_model,
)

from multislot.agents.language.inspect_models import generate_output, inspect_model, make_reply, offline
from multislot.agents.language.llama import LlamaFile


def output_of(chances):
    tops = [TopLogprob(token=token, logprob=chance) for token, chance in chances]
    answer = Logprobs(content=[Logprob(token="A", logprob=0.0, top_logprobs=tops)]) if tops else None
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content="A"), logprobs=answer)
    return ModelOutput(model="some", choices=[choice])


@pytest.mark.parametrize(
    ("listed", "letters", "expected"),
    [
        ({"A": 0.5, " A": 0.1, "B": 0.2, "x": 0.05}, "AB", (0.75, 0.25)),
        ({"A": 0.6, "x": 0.15}, "AB", (0.8, 0.2)),  # B has at most what the least listed has
        ({"B": 1.0}, "B", (1.0,)),
        ({"x": 0.5}, "AB", None),
        ({"I": 0.96, "A": 0.03, "B": 0.01}, "AB", None),  # "I will not choose": the text counts
        ({"The": 0.2, "A": 0.03, "B": 0.01}, "AB", (0.75, 0.25)),  # a weak model that has not decided
        ({}, "AB", None),
    ],
)
def test_chances_of_letters_are_those_of_their_tokens(listed, letters, expected):
    reply = make_reply(output_of([(token, log(chance)) for token, chance in listed.items()]), tuple(letters))
    assert reply.text == "A"
    assert reply.chances == (expected and pytest.approx(expected))


@pytest.mark.parametrize("wrong", [-inf, inf, 0.5])
def test_what_is_no_log_probability_is_refused(wrong):
    with pytest.raises(SettingError, match=r"log-probability.*a finite number of at most 0 from some"):
        make_reply(output_of([("A", wrong)]), ("A", "B"))


@pytest.mark.parametrize(("name", "is_mock"), [("mockllm/model", True), ("openai/gpt", False)])
@pytest.mark.parametrize("asks", [True, False])
def test_answers_are_kept_but_for_those_of_a_mock_model(name, is_mock, asks):
    settings = GenerateConfig(temperature=0.0 if asks else None, max_tokens=5)
    model = mock.MagicMock(generate=mock.AsyncMock(return_value="answer"), config=settings, __str__=lambda _: name)
    counted = model.api.count_tokens
    assert asyncio.run(generate_output(offline(model), ["hello"], asks, 7, 0.25)) == "answer"
    assert (model.api.count_tokens is not counted) == is_mock
    assert not is_mock or asyncio.run(model.api.count_tokens("some text")) == 0
    (messages,), asked = model.generate.call_args
    config = asked["config"]
    assert (messages, config.max_tokens, config.seed) == (["hello"], None, 7)  # Inspect adds the model's own limit
    assert config.temperature == (0 if asks else 0.25)  # its own comes first
    assert (config.logprobs, config.top_logprobs) == ((True, 20) if asks else (None, None))
    assert (asked["cache"] is False) == is_mock
    assert is_mock or asked["cache"].expiry is None


@pytest.mark.parametrize(("reason", "stop"), [("stop", "stop"), ("length", "max_tokens")])
def test_a_file_computes_one_token_where_its_chances_are_asked_for(monkeypatch, tmp_path, reason, stop):
    top = {"token": "K", "logprob": -0.5}
    listed = {"content": [{"token": "K", "logprob": -0.5, "top_logprobs": [top]}]}
    choice = {"message": {"content": "K"}, "logprobs": listed, "finish_reason": reason}
    used = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    said = {"choices": [choice, None], "usage": used}
    server = mock.Mock(return_value=mock.Mock(handle_chat_completions=mock.Mock(return_value=said)))
    library = SimpleNamespace(CommonParams=lambda: mock.Mock(), Server=server, __version__="1.2")
    monkeypatch.setitem(sys.modules, "xllamacpp", library)
    with pytest.raises(SettingError, match=r"got the model file .*, which does not exist; expected a file in GGUF"):
        LlamaFile("small", path=str(tmp_path / "none"))
    (tmp_path / "file").touch()
    model = LlamaFile("small", path=str(tmp_path / "file"), threads=3)
    parameters = server.call_args.args[0]
    assert (parameters.model.path, parameters.n_ctx, parameters.n_parallel) == (str(tmp_path / "file"), 4096, 1)
    assert (parameters.cpuparams.n_threads, parameters.cpuparams_batch.n_threads, parameters.verbosity) == (3, 3, -1)
    assert (model.runtime, model.max_connections()) == ({"xllamacpp": "1.2", "threads": 3}, 1)

    def ask(**settings):
        settings = GenerateConfig(**settings)
        answered = asyncio.run(model.generate([ChatMessageUser(content="?")], [], "none", settings))
        assert (answered.completion, answered.usage.total_tokens, answered.model) == ("K", 11, "small")
        assert answered.stop_reason == stop
        assert (answered.usage.input_tokens, answered.usage.output_tokens) == (9, 2)
        assert answered.choices[0].logprobs.content[0].top_logprobs[0].logprob == -0.5
        return model.server.handle_chat_completions.call_args.args[0]

    plain = {"messages": [{"role": "user", "content": "?"}], "seed": 0, "temperature": 0.0, "cache_prompt": False}
    assert ask() == plain | {"max_tokens": -1}
    assert ask(max_tokens=8, seed=5, temperature=0.5) == plain | {"max_tokens": 8, "seed": 5, "temperature": 0.5}
    chances = plain | {"max_tokens": 1, "logprobs": True}
    assert ask(logprobs=True, top_logprobs=20) == chances | {"top_logprobs": 100}
    assert ask(logprobs=True, top_logprobs=120) == chances | {"top_logprobs": 120}


def test_settings_are_part_of_a_models_name_by_which_its_results_are_found_again():
    ways = [GenerateConfig(), GenerateConfig(max_tokens=500), GenerateConfig(temperature=1.0)]
    models = [get_model("mockllm/model", config=config, memoize=False) for config in ways]
    names = {inspect_model(model, log_probabilities=asks).name for model in models for asks in (True, False)}
    assert len(names) == 6
    assert "mockllm/model" in names
