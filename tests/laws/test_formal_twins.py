"""Practical and formal twins (Alexander et al. 2021, section 4): where they must agree they do, and the rest differ.

A practical agent is lifted by training a fresh copy on the prompt, so a formal environment judges what the practical
one judges. The practical first observation carries no reward; it is written as 0.
"""

from functools import partial

import gymnasium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.catalogue.other_memories import DejaVu, FalseMemories, ReverseHistory
from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.self_knowledge import TemptingButton
from extenv.catalogue.thought_experiments import CHANCE_OF_A_GUARD, ActAsIfPaidMore, GuardedTreasures
from extenv.composing.compose import handicap
from extenv.formal import (
    Merciful,
    acting_as_if_paid,
    backward_consciousness,
    classic,
    deja_vu,
    false_memories,
    guarded_treasures,
    ignoring_rewards,
    interact,
    lifted,
    rewards,
    tempting_button,
)
from extenv.formal import reality_check as formal_reality_check
from extenv.measuring.running import stored_streams
from extenv.reality_checks import reality_check
from multislot.agents.tabular import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from multislot.engine.agent import Agent
from tests.extenv.composing.composing import LEARNERS, trace
from tests.extenv.formal.agents import prompts

pytestmark = pytest.mark.compiled

N_STEPS = 25
MYOPIC = partial(QLearner, discount=0.0)


def practical_play(environment, factory, seed):
    """Run the practical loop and write it down as a play; the last turn has no action yet, so it is left out."""
    play, paid = (), 0
    for observation, action, reward, _ in trace(environment, factory, seed, N_STEPS):
        play += (paid, observation, action)
        paid = int(reward)
    return play


def lift(environment, factory, seed):
    agent_stream, _stream = stored_streams(seed)
    return lifted(lambda: factory(environment.n_observations, environment.n_actions, agent_stream))


def formal_play(formal, environment, factory, seed):
    return interact(lift(environment, factory, seed), formal, N_STEPS)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
@pytest.mark.parametrize(
    ("practical", "formal"),
    [
        (IgnoreRewards, ignoring_rewards),
        (FalseMemories, false_memories((0, 0, 0, 0, 0, 0))),
        (ActAsIfPaidMore, acting_as_if_paid(10)),
    ],
)
def test_they_agree_step_by_step(practical, formal, factory, seed):
    environment = practical()
    assert practical_play(environment, factory, seed) == formal_play(formal, environment, factory, seed)


def button_play(factory, seed):
    _agents, stream = stored_streams(seed)
    shown = tempting_button(lambda turn: int(turn > 0 and stream.at(turn + 1) < 0.75))  # a button is 0
    return formal_play(shown, TemptingButton(), factory, seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", [ConstantAgent, RandomAgent, SimpleLearner, MYOPIC])
def test_tempting_button_agrees_for_learners_that_ignore_the_next_observation(factory, seed):
    assert practical_play(TemptingButton(), factory, seed) == button_play(factory, seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", [ConstantAgent, RandomAgent, SimpleLearner, MYOPIC])
def test_guarded_treasures_agree_for_learners_that_ignore_the_next_observation(factory, seed):
    _agents, stream = stored_streams(seed)
    rooms = guarded_treasures(lambda room: stream.at(room) < CHANCE_OF_A_GUARD)
    assert practical_play(GuardedTreasures(), factory, seed) == formal_play(rooms, GuardedTreasures(), factory, seed)


class Follower(Agent):
    """Does what it was last led to, whatever it sees."""

    def __init__(self, n_observations, n_actions, stream):
        self.led_to = 0

    def act(self, observation):
        return self.led_to

    def learn(self, observation, action, reward, next_observation):
        self.led_to = next_observation


def test_tempting_button_differs_for_a_learner_that_looks_at_the_next_observation():
    """The practical copy was led to the room as it is, the formal one to a room with a button."""
    assert practical_play(TemptingButton(), Follower, 1) != button_play(Follower, 1)


def judged(formal, agent, play):
    """Return what the formal environment would have paid after every turn of a play that has happened."""
    return [formal(agent, play[:end])[0] for end in range(3, len(play), 3)]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
def test_deja_vu_agrees_from_the_second_step_on(factory, seed):
    play = practical_play(DejaVu(), factory, seed)
    assert rewards(play)[1] == 0
    assert judged(deja_vu, lift(DejaVu(), factory, seed), play)[1:] == list(rewards(play)[2:])


@pytest.mark.parametrize("factory", LEARNERS)
@given(seed=st.integers(0, 3), prompt=prompts)
def test_the_practical_reality_check_is_the_formal_one(factory, seed, prompt):
    """Definition 10 as an agent that learns, against Definition 10 as a function of prompts."""
    agents, _stream = stored_streams(seed)
    checked = lifted(lambda: reality_check(factory)(3, 3, agents))
    assert checked(prompt) == formal_reality_check(lifted(lambda: factory(3, 3, agents)))(prompt)


class Clockwork(gymnasium.Env):
    """One action; shows t² mod 5 and pays t mod 3 at time t."""

    observation_space = gymnasium.spaces.Discrete(5)
    action_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        self.time = 0
        return 0, {}

    def step(self, action):
        self.time += 1
        return self.time**2 % 5, self.time % 3, False, False, {}


def clockwork(play):
    time = len(play) // 3
    return time % 3, time**2 % 5


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
@pytest.mark.parametrize(
    ("name", "formal"), [("IgnoreRewards", ignoring_rewards), ("FalseMemories", false_memories((0, 0, 0, 0, 0, 0)))]
)
def test_practical_and_formal_handicaps_agree(name, formal, factory, seed):
    """With one action in the ordinary environment the second joystick is the only one, as in the formal e * h."""
    environment = handicap(Clockwork, name)
    handicapped = Merciful(classic(clockwork)) * formal
    assert practical_play(environment, factory, seed) == formal_play(handicapped, environment, factory, seed)


def with_own_rewards(play):
    """Write every reward beside the action that earned it, instead of before the next one."""
    earned = (*play[3::3], 0)
    return tuple(entry for turn, reward in enumerate(earned) for entry in (reward, *play[3 * turn + 1 : 3 * turn + 3]))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
def test_reverse_history_agrees_from_the_second_step_on_if_rewards_turn_around_with_their_actions(factory, seed):
    """Reversed as printed, a reward would follow the action taken after it; the practical copy learns its own."""
    play = practical_play(ReverseHistory(), factory, seed)
    agent = lift(ReverseHistory(), factory, seed)
    assert rewards(play)[1] == 0
    assert judged(backward_consciousness, agent, with_own_rewards(play))[1:] == list(rewards(play)[2:])


def test_reverse_history_as_printed_differs_for_learners_from_rewards():
    def differs(factory, seed):
        play = practical_play(ReverseHistory(), factory, seed)
        agent = lift(ReverseHistory(), factory, seed)
        return judged(backward_consciousness, agent, play)[1:] != list(rewards(play)[2:])

    assert any(differs(QLearner, seed) for seed in range(10))
    assert not any(differs(RandomAgent, seed) for seed in range(10))
