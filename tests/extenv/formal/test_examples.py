"""The numbered examples, each against a second writing of its definition, and by plays worked out by hand."""

from hypothesis import given

from extenv.formal import (
    acting_as_if_paid,
    guarded_treasures,
    interact,
    rewards,
    tempting_button,
)
from tests.extenv.formal.agents import agents, nonempty_plays


def approves(handicap, agent, play):
    reward, observation = handicap(agent, play)
    assert observation == 0
    assert reward in (1, -1)
    return reward == 1


@given(agents, nonempty_plays)
def test_acting_as_if_paid_asks_for_the_same_prompt_with_that_pay(agent, play):
    *prompt, action = play
    prompt[::3] = [1000] * len(prompt[::3])
    assert approves(acting_as_if_paid(1000), agent, play) == (agent(tuple(prompt)) == action)


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
