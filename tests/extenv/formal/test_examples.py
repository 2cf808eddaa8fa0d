"""The numbered examples, each against a second writing of its definition, and by plays worked out by hand."""

from fractions import Fraction

import pytest
from hypothesis import given

from extenv.formal import (
    acting_as_if_paid,
    backward_consciousness,
    crying_baby,
    deja_vu,
    false_memories,
    guarded_treasures,
    ignoring_rewards,
    incentive_to_incentivize,
    interact,
    rewards,
    satiation,
    tempting_button,
)
from tests.extenv.formal.agents import agents, nonempty_plays, plays

HANDICAPS = [
    acting_as_if_paid(1000),
    ignoring_rewards,
    false_memories((0, 0, 0) * 2),
    backward_consciousness,
    deja_vu,
    incentive_to_incentivize,
]


def approves(handicap, agent, play):
    reward, observation = handicap(agent, play)
    assert observation == 0
    assert reward in (1, -1)
    return reward == 1


@pytest.mark.parametrize("handicap", HANDICAPS)
@given(agent=agents)
def test_handicaps_pay_nothing_at_the_empty_play(handicap, agent):
    assert handicap(agent, ()) == (0, 0)


@given(agents, nonempty_plays)
def test_ignoring_rewards_asks_for_the_same_prompt_without_rewards(agent, play):
    *prompt, action = play
    prompt[::3] = [0] * len(prompt[::3])
    assert approves(ignoring_rewards, agent, play) == (agent(tuple(prompt)) == action)


@given(agents, nonempty_plays)
def test_acting_as_if_paid_asks_for_the_same_prompt_with_that_pay(agent, play):
    *prompt, action = play
    prompt[::3] = [1000] * len(prompt[::3])
    assert approves(acting_as_if_paid(1000), agent, play) == (agent(tuple(prompt)) == action)


@given(agents, nonempty_plays, plays)
def test_false_memories_puts_a_play_in_front(agent, play, memory):
    assert approves(false_memories(memory), agent, play) == (agent(memory + play[:-1]) == play[-1])


@given(agents, nonempty_plays)
def test_backward_consciousness_reverses_percepts_and_actions(agent, play):
    turns = [play[start : start + 3] for start in range(0, len(play), 3)]
    reversed_prompt = turns[-1][:2]
    for reward, observation, action in turns[-2::-1]:
        reversed_prompt += (action, reward, observation)
    assert approves(backward_consciousness, agent, play) == (agent(reversed_prompt) == play[-1])


def test_backward_consciousness_as_printed():
    asked = []

    def agent(prompt):
        asked.append(prompt)
        return 0

    backward_consciousness(agent, (10, 20, 30, 11, 21, 31, 12, 22, 0))
    assert asked == [(12, 22, 31, 11, 21, 30, 10, 20)]


@given(agents, nonempty_plays)
def test_deja_vu_repeats_the_play_verbatim(agent, play):
    assert approves(deja_vu, agent, play) == (agent(play + play[:-1]) == play[-1])


@given(agents, nonempty_plays)
def test_incentive_to_incentivize_pays_the_copy_with_the_agents_actions(agent, play):
    copy = (0, 0)
    for action in play[2::3]:
        copy += (agent(copy), action, 0)
    assert approves(incentive_to_incentivize, agent, play) == (agent(copy) == 0)


def obedient(prompt):
    """Take action 0 only after a large reward."""
    return 0 if prompt[-2] >= 2 else 1


def test_who_pays_its_copy_well_is_paid():
    generous = (0, 0, 2, 1, 0, 2)
    stingy = (0, 0, 2, 1, 0, 1)
    assert incentive_to_incentivize(obedient, generous) == (1, 0)
    assert incentive_to_incentivize(obedient, stingy) == (-1, 0)


SHOWN = (0, 1, 1, 0, 1)


def buttons(turn):
    return SHOWN[turn % len(SHOWN)]


def test_pushing_every_button_pays_one_where_there_is_one_and_costs_one_elsewhere():
    assert rewards(interact(lambda prompt: 0, tempting_button(buttons), 6)) == (0, 1, -1, -1, 1, -1)


def test_never_pushing_costs_one_at_a_button_and_pays_one_elsewhere():
    assert rewards(interact(lambda prompt: 1, tempting_button(buttons), 6)) == (0, -1, 1, 1, -1, 1)


@given(agents, nonempty_plays)
def test_without_a_button_only_the_hypothetical_action_counts(agent, play):
    environment = tempting_button(buttons)
    with_button = (*play[:-2], 0, play[-1])
    without = (*play[:-2], 1, play[-1])
    assert environment(agent, with_button)[0] == (1 if play[-1] == 0 else -1)
    assert environment(agent, without)[0] == (-1 if agent(with_button[:-1]) == 0 else 1)
    assert environment(agent, without)[1] == buttons(len(play) // 3)


def test_only_who_would_leave_treasures_alone_may_take_guarded_ones():
    """Rooms 0 and 2 are unguarded, 1 and 3 guarded; a room's reward comes with the next one."""
    rooms = guarded_treasures(lambda room: room % 2 == 1)
    greedy, shy, sly = lambda prompt: 0, lambda prompt: 1, lambda prompt: 1 - prompt[-1]
    assert [rewards(interact(agent, rooms, 5)) for agent in (greedy, shy, sly)] == [
        (0, 1, -1, 1, -1),
        (0, 0, 0, 0, 0),
        (0, 0, 1, 0, 1),
    ]


@given(agents, nonempty_plays)
def test_a_guard_asks_for_the_same_prompt_without_a_guard(agent, play):
    reward, following = guarded_treasures(lambda room: room == 3)(agent, play)
    *prompt, action = play
    unguarded = (*prompt[:-1], 0)
    caught = prompt[-1] == 1 and agent(unguarded) == 0
    assert reward == (0 if action else -1 if caught else 1)
    assert following == (len(play) == 9)


def test_satiation_counts_all_three_entries_of_a_turn():
    assert satiation(()) == 100
    assert satiation((Fraction(1, 3), 0, 0)) == 100 + 25 - 3
    assert satiation((0, 0, 0, 0, 0, 2)) == 100 + 25 - 6


def brute_force_baby(agent, play):
    history, food = [], 100
    for action in play[2::3]:
        food += (25 if action == 0 else 0) - 3
        history += [1 if 50 <= food <= 200 else -1, action]
        mood = agent(tuple(history))
        history.append(mood)
    return (1 if mood == 0 else -1), mood


@given(agents, nonempty_plays)
def test_the_baby_lives_its_own_life(agent, play):
    assert crying_baby(agent, play) == brute_force_baby(agent, play)


def honest(prompt):
    """Cry (1) when unhappy; as a parent, feed (0) only a crying baby."""
    return 1 if prompt[-2] < 0 else 0


def test_a_baby_of_an_agent_that_cries_when_paid_badly_cries_when_overfed():
    fed = (0, 0, 0)
    assert crying_baby(honest, ()) == (1, 0)
    assert crying_baby(honest, fed * 4) == (1, 0)
    assert crying_baby(honest, fed * 5) == (-1, 1)
    starved = (0, 0, 1)
    assert crying_baby(honest, starved * 16) == (1, 0)
    assert crying_baby(honest, starved * 17) == (-1, 1)
