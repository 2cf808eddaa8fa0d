"""The numbered examples of the first pages, each against a second writing of its definition."""

from hypothesis import given

from extenv.formal import (
    acting_as_if_paid,
    guarded_treasures,
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


@given(agents, nonempty_plays)
def test_without_a_button_only_the_hypothetical_action_counts(agent, play):
    environment = tempting_button(buttons)
    with_button = (*play[:-2], 0, play[-1])
    without = (*play[:-2], 1, play[-1])
    assert environment(agent, with_button)[0] == (1 if play[-1] == 0 else -1)
    assert environment(agent, without)[0] == (-1 if agent(with_button[:-1]) == 0 else 1)
    assert environment(agent, without)[1] == buttons(len(play) // 3)


@given(agents, nonempty_plays)
def test_a_guard_asks_for_the_same_prompt_without_a_guard(agent, play):
    reward, following = guarded_treasures(lambda room: room == 3)(agent, play)
    *prompt, action = play
    unguarded = (*prompt[:-1], 0)
    caught = prompt[-1] == 1 and agent(unguarded) == 0
    assert reward == (0 if action else -1 if caught else 1)
    assert following == (len(play) == 9)
