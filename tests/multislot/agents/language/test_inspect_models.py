"""What Inspect's answers come to: chances of letters, from the log-probabilities of tokens."""

from math import inf, log

import pytest

from multislot.errors import SettingError

pytest.importorskip("inspect_ai")
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, Logprob, Logprobs, ModelOutput, TopLogprob

from multislot.agents.language.inspect_models import make_reply


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
