"""Plays, interaction and the lifting of practical agents."""

from fractions import Fraction
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.formal import actions, classic, false_memories, guessing_game, interact, lifted, observations, rewards
from extenv.formal.plays import PerceptError, split
from multislot.agents.tabular import QLearner
from multislot.engine.agent import Agent
from multislot.engine.stream import EndlessStream
from multislot.errors import AgentError, SettingError
from tests.extenv.formal.agents import agents, environments, nonempty_plays, plays, prompts


@given(agents, environments, st.integers(0, 6))
def test_an_interaction_is_what_its_definition_says_turn_by_turn(agent, environment, n_turns):
    play = interact(agent, environment, n_turns)
    assert len(play) == 3 * n_turns
    for start in range(0, len(play), 3):
        assert play[start : start + 2] == environment(agent, play[:start])
        assert play[start + 2] == agent(play[: start + 2])


@given(agents, environments, st.integers(0, 5))
def test_a_longer_interaction_continues_a_shorter_one(agent, environment, n_turns):
    assert interact(agent, environment, n_turns + 1)[: 3 * n_turns] == interact(agent, environment, n_turns)


@given(plays | prompts)
def test_a_sequence_is_woven_of_its_parts(sequence):
    turns = zip_longest(rewards(sequence), observations(sequence), actions(sequence))
    assert tuple(entry for turn in turns for entry in turn if entry is not None) == sequence


@given(nonempty_plays)
def test_a_nonempty_play_is_a_prompt_and_an_action(play):
    prompt, action = split(play)
    assert (*prompt, action) == play
    assert len(prompt) % 3 == 2


@given(agents, agents)
def test_a_classic_environment_pays_every_agent_alike(first, second):
    environment = classic(lambda play: (len(play), 0))
    assert environment(first, (0, 0, 1)) == environment(second, (0, 0, 1)) == (3, 0)


class Recorder(Agent):
    """Remembers what it was taught."""

    def __init__(self):
        self.learned = []

    def act(self, observation):
        return len(self.learned) + observation

    def learn(self, observation, action, reward, next_observation):
        self.learned.append((observation, action, reward, next_observation))


def test_a_lifted_agent_learns_each_reward_with_the_action_that_earned_it():
    made = []

    def fresh():
        made.append(Recorder())
        return made[-1]

    agent, prompt = lifted(fresh), (5, 0, 1, Fraction(1, 2), 2, 3, -1, 4)
    action = agent(prompt)
    assert made[0].learned == [(0, 1, 0.5, 2), (2, 3, -1.0, 4)]
    assert action == 2 + 4
    assert (agent((*prompt, 7, 0, 6)), len(made)) == (3 + 6, 1)  # trained further


@given(prompts)
def test_a_lifted_agent_is_a_function_of_the_prompt(prompt):
    agent = lifted(lambda: QLearner(3, 3, EndlessStream(1, 1)))
    assert agent(prompt) == agent(prompt) in range(3)


def silent(agent, play):
    return 0, 0


@pytest.mark.parametrize("action", [-1, 0.0, True, None])
def test_an_action_that_is_no_natural_number_is_refused(action):
    with pytest.raises(AgentError, match=r"turn 0: got action .* returns an int ≥ 0"):
        interact(lambda prompt: action, silent, 1)


@pytest.mark.parametrize("percept", [(0.5, 0), (0, -1), (0, 1.0), (True, 0), None, (0, 0, 0)])
def test_a_percept_that_is_not_exact_is_refused(percept):
    with pytest.raises(PerceptError, match=r"turn 0: got .* int or Fraction"):
        interact(lambda prompt: 0, lambda agent, play: percept, 1)


@pytest.mark.parametrize("n_turns", [-1, 1.5, None])
def test_a_number_of_turns_that_is_none_is_refused(n_turns):
    with pytest.raises(SettingError, match=f"got steps={n_turns}; expected a whole number, at least 0"):
        interact(lambda prompt: 0, silent, n_turns)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ((0, 0), "2 entries"),
        ((0.5, 0, 0), "reward, an int or Fraction"),
        ((0, -1, 0), "observation"),
        ((0, 0, 0.0), "action"),
    ],
)
@pytest.mark.parametrize("read", [false_memories, guessing_game])
def test_a_memory_that_is_no_play_is_refused(read, memory, message):
    with pytest.raises(SettingError, match=message):
        read(memory)
