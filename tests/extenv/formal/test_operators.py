"""Handicaps and their algebra, self-insertion, mirrors and binocular vision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.formal import (
    PERCEPTS,
    Handicap,
    Merciful,
    acting_as_if_paid,
    backward_consciousness,
    crying_baby,
    deja_vu,
    false_memories,
    ignoring_rewards,
    incentive_to_incentivize,
    interact,
    mirrored,
    mirrored_with_body,
    no_handicap,
    rewards,
    self_inserted,
    self_inserted_as_printed,
)
from extenv.formal.operators import decode_percepts
from extenv.formal.plays import MercyError, PerceptError
from extenv.measuring.debugger import steps_of_call
from multislot.errors import SettingError
from tests.extenv.formal.agents import agents, arbitrary_environment, environments, nonempty_plays, plays

PAPERS = [ignoring_rewards, false_memories((1, 0, 1)), backward_consciousness, deja_vu, incentive_to_incentivize]
handicaps = st.sampled_from(PAPERS)


def softened(environment):
    """Return a merciful environment: the square of the rewards."""

    def squared(agent, play):
        reward, observation = environment(agent, play)
        return reward**2, observation

    return Merciful(squared)


merciful = environments.map(softened)


@given(merciful, handicaps, agents, nonempty_plays)
def test_a_handicap_replaces_rewards_by_minus_one_and_leaves_observations(environment, handicap, agent, play):
    reward, observation = environment(agent, play)
    wanted = reward if handicap(agent, play)[0] == 1 else -1
    assert (environment * handicap)(agent, play) == (wanted, observation)


@given(merciful, handicaps, agents)
def test_at_the_empty_play_the_environments_percept_comes_through(environment, handicap, agent):
    assert (environment * handicap)(agent, ()) == environment(agent, ())


@given(handicaps, handicaps, handicaps, agents, plays)
def test_conjunction_is_a_semilattice_with_a_neutral_element(first, second, third, agent, play):
    assert (first & second)(agent, play) == (second & first)(agent, play)
    assert ((first & second) & third)(agent, play) == (first & (second & third))(agent, play)
    assert (first & first)(agent, play) == first(agent, play)
    assert (first & no_handicap)(agent, play) == first(agent, play)


@given(merciful, handicaps, handicaps, agents, plays)
def test_a_joint_handicap_pays_the_worse_of_the_two(environment, first, second, agent, play):
    alone = [(environment * handicap)(agent, play)[0] for handicap in (first, second)]
    assert (environment * (first & second))(agent, play)[0] == min(alone)
    assert (environment * no_handicap)(agent, play) == environment(agent, play)


@given(environments, agents)
def test_a_broken_declaration_is_reported_at_the_first_negative_reward(environment, agent):
    declared = Merciful(environment) * no_handicap
    paid = rewards(interact(agent, environment, 6))
    negative = [turn for turn, reward in enumerate(paid) if reward < 0]
    if negative:
        with pytest.raises(MercyError, match=f"turn {negative[0]}: an environment declared merciful paid -"):
            interact(agent, declared, 6)
    else:
        assert interact(agent, declared, 6) == interact(agent, environment, 6)


def test_an_undeclared_environment_is_refused():
    with pytest.raises(SettingError, match=r"Merciful\(e\) \* \(h1 & h2\)"):
        crying_baby * ignoring_rewards


def test_a_handicapped_environment_takes_no_second_handicap():
    once = Merciful(lambda agent, play: (1, 0)) * ignoring_rewards
    with pytest.raises(SettingError, match="not declared merciful"):
        once * deja_vu


@pytest.mark.parametrize(("percept", "play"), [((2, 0), (0, 0, 0)), ((1, 1), ()), ((0, 0), (0, 0, 0))])
def test_what_is_no_handicap_is_found_when_it_pays(percept, play):
    with pytest.raises(PerceptError, match=f"^turn {len(play) // 3}: got .*; a handicap pays 1 or -1"):
        Handicap(lambda agent, played: percept)(lambda prompt: 0, play)


def test_what_is_no_handicap_cannot_be_applied():
    with pytest.raises(SettingError, match=r"wrap it as Handicap\(environment\)"):
        Merciful(lambda agent, play: (1, 0)) * crying_baby
    with pytest.raises(SettingError, match="got handicap=3; expected an instance of Handicap"):
        ignoring_rewards & 3
    with pytest.raises(SettingError, match=r"got 0\.5 .*expected a reward"):
        acting_as_if_paid(0.5)


INSERTED = {"as printed": self_inserted_as_printed, "mended": self_inserted}


@pytest.mark.parametrize("name", INSERTED)
@given(agent=agents, seed=st.integers(0, 99), play=nonempty_plays)
def test_self_insertion_pays_for_acting_on_the_rewards_shown(name, agent, seed, play):
    reward, _observation = INSERTED[name](arbitrary_environment(seed))(agent, play)
    imagined = []
    for place in range(0, len(play), 3):
        imagined += [*PERCEPTS.decode(play[place + 1]), play[place + 2]]
    assert reward == (1 if agent(tuple(imagined[:-1])) == play[-1] else -1)


@given(agents, environments, st.integers(1, 5))
def test_the_mended_self_insertion_shows_a_true_play_of_the_environment(agent, environment, n_turns):
    played = interact(agent, self_inserted(environment), n_turns)
    imagined = (*decode_percepts(played[:-1]), played[-1])
    for place in range(0, len(imagined), 3):
        assert imagined[place : place + 2] == environment(agent, imagined[:place])


def test_as_printed_the_first_percept_is_decoded_without_having_been_encoded():
    agent, environment = (lambda prompt: 0), (lambda agent, play: (0, 7))
    assert interact(agent, self_inserted_as_printed(environment), 1)[:2] == (0, 7)
    assert interact(agent, self_inserted(environment), 1)[:2] == (0, PERCEPTS.encode((0, 7)))


def halved(observation):
    return observation // 2


def dressed(picture, thought):
    """A picture with a body in it: both can be read off it."""
    return picture + 100 * thought


@given(environments, nonempty_plays)
def test_the_body_in_the_mirror_is_made_of_the_thoughts_before(environment, play):
    """An agent whose thinking takes longer the longer it has lived: its body grows."""
    asked = []

    def agent(prompt):
        asked.append(prompt)
        for _ in prompt:
            pass
        return 0

    steps = [0, *(steps_of_call(agent, play[:end]) for end in range(2, len(play) - 1, 3))]
    assert steps == sorted(set(steps))
    reward, _ = mirrored_with_body(environment, halved, dressed)(agent, play)
    imagined = list(play[:-1])
    imagined[1::3] = [dressed(halved(seen), thought) for seen, thought in zip(play[1::3], steps, strict=True)]
    assert asked[-1] == tuple(imagined)
    assert reward == (1 if play[-1] == 0 else -1)


@given(agents, environments, nonempty_plays)
def test_without_a_body_it_is_the_plain_mirror(agent, environment, play):
    plain = mirrored_with_body(environment, halved, lambda picture, thought: picture)
    assert plain(agent, play) == mirrored(environment, halved)(agent, play)


@pytest.mark.parametrize("insert", INSERTED.values(), ids=INSERTED)
@pytest.mark.parametrize("percept", [(0.5, 0), (0, -1), (0, 1.0)])
def test_only_exact_percepts_are_inserted(insert, percept):
    inserted = insert(lambda agent, play: percept if play else (0, 0))
    with pytest.raises(PerceptError, match=r"turn 1: got .* and an observation"):
        interact(lambda prompt: 0, inserted, 3)
