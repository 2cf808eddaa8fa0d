"""A real model of transformers, two small layers of random weights: real loading, tokenising and generating."""

import pickle
import sys
from functools import partial

import pytest

from extenv import run
from multislot.agents.language import Client, LanguageAgent, LanguageError, LocalModel, Template
from multislot.agents.language.situation import Situation
from multislot.agents.language.template import ALPHABET
from multislot.errors import MissingExtraError, SettingError
from tests.multislot.agents.language.asking import PLAIN, made

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

REQUESTS = {form: Template.load("plain", form=form).request(Situation(1, 3, 0), 1) for form in ("text", "choice")}
CHAT = "{% for m in messages %}<{{ m.role }}> {{ m.content }} {% endfor %}<assistant>"
WORDS = ["<unk>", "<end>", "Turn", "action", "reward", "Which", "?", *ALPHABET]


def saved(path, chat_template):
    """Save a tokeniser of a few words and a model of two small layers with random weights."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<end>")
    fast.chat_template = chat_template
    fast.save_pretrained(path)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=len(WORDS), **sizes)).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield saved(tmp_path_factory.mktemp("model"), CHAT)
    torch.set_num_threads(threads)


def test_it_generates_and_is_remembered(folder, tmp_path):
    source = LocalModel(str(folder), max_tokens=4)
    reply = source.ask(REQUESTS["text"])
    assert 0 < len(reply.text.split()) <= 4
    assert reply.output_tokens <= 4
    assert source.ask(REQUESTS["text"]) == reply
    client = Client(source, answers=tmp_path / "answers.sqlite")
    assert client.ask(REQUESTS["text"]) == reply


def test_a_model_without_a_chat_template_is_given_the_text(folder, tmp_path):
    plain = LocalModel(str(saved(tmp_path, None)), max_tokens=1)
    told = [text for _, text in REQUESTS["text"].messages]
    _, tokenizer, _ = plain._parts()
    assert plain.ask(REQUESTS["text"]).input_tokens == sum(
        len(tokenizer(text)["input_ids"]) for text in (*told, "Answer:")
    )
    assert plain.ask(REQUESTS["text"]).input_tokens < LocalModel(str(folder)).ask(REQUESTS["text"]).input_tokens


def test_one_letter_is_chosen_by_its_probability(folder):
    source = LocalModel(str(folder))
    letter = source.ask(REQUESTS["choice"]).text
    _, tokenizer, model = source._parts()
    with torch.no_grad():
        logits = model(source._encoded(tokenizer, REQUESTS["choice"].messages)).logits[0, -1]
    found = {one: float(logits[tokenizer.convert_tokens_to_ids(one)]) for one in REQUESTS["choice"].letters}
    assert letter == max(found, key=found.get)


def test_warm_answers_follow_the_seed_and_leave_the_generator_alone(folder):
    source = LocalModel(str(folder), temperature=1.5, max_tokens=8)
    torch.manual_seed(5)
    state = torch.get_rng_state()
    texts = {seed: source.ask(PLAIN.request(Situation(1, 3, 0), seed)).text for seed in range(4)}
    assert torch.equal(torch.get_rng_state(), state)
    assert texts == {seed: source.ask(PLAIN.request(Situation(1, 3, 0), seed)).text for seed in range(4)}
    assert len(set(texts.values())) > 1


def test_it_lives_in_an_environment(folder):
    template = Template.load("plain", form="choice")
    client = Client(LocalModel(str(folder)))
    factory = partial(LanguageAgent, client=client, template=template)
    assert run("PunishNondeterministicAgent", factory, steps=4).total_reward == 4
    assert (client.tally.calls, client.tally.fallbacks) == (4, 0)
    assert made(pickle.loads(pickle.dumps(factory))).act(0) == made(factory).act(0)


def test_what_cannot_be_loaded_or_answered_is_said(tmp_path, folder, monkeypatch):
    with pytest.raises(LanguageError, match=r"the model .*nothing' cannot be loaded: "):
        LocalModel(str(tmp_path / "nothing")).ask(REQUESTS["text"])
    with pytest.raises(SettingError, match="a folder or the name of a model"):
        LocalModel("")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"multislot\[local-language\]"):
        LocalModel(str(folder)).ask(REQUESTS["text"])
