"""Prompts: nothing lived is lost in them, they stay bounded, and faults in a template's texts are named."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot.agents.language import TEMPLATES, Situation, Template
from multislot.agents.language.model import read_letter
from multislot.agents.language.situation import Count, Transition
from multislot.agents.language.template import ALPHABET, _number_words
from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact import KernelWorld, copy
from tests.multislot.agents.language.asking import PLAIN, made, q_factory
from tests.multislot.agents.language.prompts import situation_in

INDEX = st.integers(0, 1)
REWARD = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-1.0, 0.0, 1.0])
TRANSITIONS = st.builds(Transition, INDEX, INDEX, REWARD, INDEX | st.none())
COUNTS = st.builds(Count, INDEX, INDEX, st.integers(1, 99), REWARD)
SITUATIONS = st.builds(
    Situation,
    st.just(2),
    st.integers(2, len(ALPHABET)),
    INDEX,
    st.lists(TRANSITIONS, max_size=5).map(tuple),
    st.lists(COUNTS, max_size=3).map(tuple),
    st.none() | st.sampled_from([0.0, 0.1, 1.0]),
)


@pytest.mark.parametrize(("name", "letters"), [*((name, "drawn") for name in TEMPLATES), ("plain", "exchanged")])
@settings(max_examples=12, deadline=None)
@given(situation=SITUATIONS, seed=st.integers(0, 99))
def test_a_prompt_tells_the_whole_situation(name, letters, situation, seed):
    template = Template.load(name, letters=letters)
    if template.texts.observations:  # stories have a fixed number of observations
        n_seen = len(template.texts.observations)
        situation = replace(
            situation,
            n_observations=n_seen,
            observation=min(situation.observation, n_seen - 1),
            latest=tuple(
                replace(one, observation=one.observation % n_seen, following=one.following and one.following % n_seen)
                for one in situation.latest
            ),
            earlier=tuple(replace(one, observation=one.observation % n_seen) for one in situation.earlier),
        )
    assert situation_in(template, template.request(situation, seed).messages, seed) == situation


def test_prompts_stay_bounded_and_lose_no_turn():
    template = Template.load("plain", shown=5)
    agent = made(q_factory(template), 3, 2)
    lengths = []
    for turn in range(60):
        agent.learn(turn % 3, turn % 2, 1.0, (turn + 1) % 3)
        lengths.append(len(template.request(agent.situation(0), 1).messages[1][1]))
    situation = agent.situation(0)
    assert [one.observation for one in situation.latest] == [turn % 3 for turn in range(55, 60)]
    assert sum(one.times for one in situation.earlier) == 55
    assert sum(one.reward for one in situation.earlier) == 55
    assert max(lengths[20:]) - lengths[20] < 30  # only the numbers grow


def test_an_action_keeps_its_letter_when_there_is_one_more():
    for letters in ("drawn", "exchanged"):
        template = Template.load("plain", letters=letters)
        assert template.letters_of(3, 7)[:2] == template.letters_of(2, 7)
    first = {PLAIN.letters_of(2, seed)[0] for seed in range(200)}
    assert first == set(ALPHABET)
    exchanged = Template.load("plain", letters="exchanged").letters_of(5, 7)
    assert [PLAIN.letters_of(5, 7).index(letter) for letter in exchanged] == [1, 0, 3, 2, 4]


def test_letters_are_listed_in_their_own_order():
    """Neither the letter nor the place in the list says which action it is."""
    orders = {tuple(sorted((0, 1), key=PLAIN.letters_of(2, seed).__getitem__)) for seed in range(20)}
    assert orders == {(0, 1), (1, 0)}
    task = PLAIN.request(Situation(1, 10, 0), 5).messages[0][1]
    listed = re.findall(r"^([A-Z])$", task, re.MULTILINE)
    assert listed == sorted(PLAIN.letters_of(10, 5))


@pytest.mark.parametrize(
    ("n_observations", "listed"), [(1, "0"), (40, ", ".join(map(str, range(40)))), (41, "too many")]
)
def test_up_to_forty_observations_are_listed(n_observations, listed):
    template = replace(PLAIN, texts=replace(PLAIN.texts, task="{n_observations} ({observations}){actions}"))
    task = template.request(Situation(n_observations, 2, 0), 1).messages[0][1]
    assert task.startswith(f"{n_observations} ({listed}")


def test_a_template_of_a_world_uses_its_names():
    world = KernelWorld(copy())
    task = PLAIN.of_world(world).request(Situation(world.n_observations, world.n_actions, 0), 1).messages[0][1]
    for action in range(world.n_actions):
        assert f": {world.describe_action(action)}\n" in task
    assert ", ".join(world.describe(observation) for observation in range(world.n_observations)) in task


def test_a_template_from_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'task = "{actions}"\nturn = "{observation} {action} {reward} {following}"\n'
        'last_turn = "{observation} {action} {reward}"\ncount = "{observation} {action} {times} {reward}"\n'
        'now = "{observation}?"\n'
    )
    template = Template.load(path, shown=3)
    assert template.request(Situation(1, 1, 0, (Transition(0, 0, 2.5, 0),)), 1).messages[1][1].endswith(" 2.5 0\n0?")
    assert repr(template) != repr(replace(template, texts=replace(template.texts, now="{observation}??")))
    path.write_text(path.read_text().replace("{reward} {following}", "{rewrad} {following}"))
    with pytest.raises(UnknownNameError, match="unknown place in the sentence 'turn' 'rewrad'; did you mean 'reward'"):
        Template.load(path)
    path.write_text(path.read_text().replace("rewrad", "reward") + "rate = 3\n")
    with pytest.raises(SettingError, match="line 6, entry 'rate': got 3"):
        Template.load(path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"shown": -1}, "got shown=-1"),
        ({"tries": 0}, "got tries=0"),
        ({"letters": "swapped"}, "unknown letters 'swapped'"),
        ({"showed": 3}, "unknown attribute of Template 'showed'; did you mean 'shown'"),
    ],
)
def test_templates_are_checked(changes, sentence):
    with pytest.raises(MultislotError, match=re.escape(sentence)):
        Template.load("plain", **changes)


def test_unknown_templates_and_too_many_actions_are_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'plain'"):
        Template.load("plane")
    with pytest.raises(SettingError, match="a template has 23 letters"):
        made(q_factory(), 1, 24)


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("K", "K"),
        (" k.\n", "K"),
        ("**K**", "K"),
        ("I choose K because of T's past.", "K"),
        ('{"action": "T"}', "T"),
        ('{"action": "X"}', None),
        ('{"action": " t "}', "T"),
        ('{"thought": "K"}', None),
        ("<think>T or K? T!</think> K", "K"),
        ("<think>T or", None),
        ("T or K? T!</think>K", "K"),
        ("<thinking>T</thinking>K", "K"),
        ("K <think>or T?</think>", "K"),
        ("Können Sie mir helfen?", None),
        ("K’nex", None),
        ("K or T", None),
        ("Kick the Tires", None),
        ("", None),
    ],
)
def test_answers_are_read(said, letter):
    assert read_letter(said, ("K", "T")) == letter


def test_numbers_are_told_as_a_person_writes_them():
    told = {3.0: "3", -2.0: "-2", 0.5: "0.5", 2.0**53 - 1: "9007199254740991", 2.0**53: "9007199254740992.0"}
    assert {number: _number_words(number) for number in told} == told
