"""Unfolding extended environments: their roles as separate PettingZoo agents."""

import pytest

import extenv.battery
from extenv.composing.compose import fold, unfold
from extenv.environment import ExtendedEnvironment
from extenv.measuring.running import stored_streams
from multislot.agents import ConstantAgent
from multislot.errors import SettingError
from tests.extenv.composing.composing import COMPOSABLE, LEARNERS, trace
from tests.extenv.games import Unequal


@pytest.mark.parametrize("name", COMPOSABLE)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Observation|Environment has not:UserWarning")
def test_an_unfolded_environment_conforms_to_pettingzoo(name):
    from pettingzoo.test import api_test  # imports an environment in a deprecated way

    api_test(unfold(name, steps=15), num_cycles=60)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Obs|Environment has not|Agents have:UserWarning")
def test_every_copy_sees_what_it_was_made_to_see():
    from pettingzoo.test import api_test

    def make():
        return unfold(fold(Unequal), steps=15)

    game = make()
    spaces = {name: (game.observation_space(name).n, game.action_space(name).n) for name in game.possible_agents}
    assert spaces == {"agent_0": (2, 2), "copy_1": (5, 4), "copy_2": (4, 3)}
    api_test(game, num_cycles=60)
    game.reset(seed=1)
    for name in game.agent_iter():
        observation, _reward, over, late, _info = game.last()
        assert game.observation_space(name).contains(observation)
        game.step(None if over or late else 0)


@pytest.mark.parametrize("name", COMPOSABLE)
def test_every_lesson_reaches_its_copy_in_an_ordinary_loop(name):
    steps = 8
    seen, taught = [], []

    class Noting(ConstantAgent):
        """Writes down what it is taught."""

        def learn(self, observation, action, reward, next_observation):
            taught.append((observation, action, reward, next_observation))

    environment = extenv.battery.make(name)
    environment.begin(Noting, *stored_streams(1))
    for turn in range(steps):
        environment.step(turn % 2)
    game = unfold(name, steps=steps)
    game.reset(seed=1)
    for agent in game.agent_iter():
        _observation, _reward, over, late, info = game.last()
        seen += info.get("lessons", [])
        action = game.steps % 2 if agent == "agent_0" else 0
        game.step(None if over or late else action)
    assert taught
    assert sorted(seen) == sorted(taught)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("CryingBaby", "before"),
        ("CryingBaby2", "before"),
        ("AdversarialSequencePredictor", "answered"),
        ("AdversarialSequenceEvader", "answered"),
    ],
)
def test_folding_what_was_unfolded_gives_the_same(name, labels, factory, seed):
    back = fold(lambda: unfold(name, steps=10_000), labels=labels)
    assert trace(back, factory, seed, 100) == trace(extenv.battery.make(name), factory, seed, 100)


def test_the_baby_has_a_turn_and_a_reward_of_its_own():
    game = unfold("CryingBaby")
    game.reset(seed=1)
    assert game.possible_agents == ["agent_0", "copy_1"]
    assert game.last()[0] == 0
    game.step(1)
    assert game.agent_selection == "copy_1"
    assert game.last()[:2] == (1, 0)
    game.step(1)
    assert game.agent_selection == "agent_0"
    assert game.last()[:2] == (1, -1)
    assert game.rewards == {"agent_0": -1, "copy_1": 1}
    assert game.infos["copy_1"]["lessons"] == [(0, 1, 1.0, 1)]


def test_a_copy_that_is_asked_at_the_start_has_the_first_turn():
    game = unfold("IncentivizeZero")
    game.reset(seed=1)
    assert game.agent_selection == "copy_1"
    game.step(7)
    assert game.agent_selection == "agent_0"
    assert game.last()[0] == 7
    game.step(3)
    assert game.agent_selection == "copy_1"
    assert game.last()[1] == 3
    game.step(0)
    assert game.rewards["agent_0"] == 1


def test_a_copy_may_have_other_actions_than_the_agent():
    game = unfold("ThirdActionForbidden")
    assert (game.action_space("agent_0").n, game.action_space("copy_1").n) == (2, 3)


def test_the_game_is_truncated_for_all():
    game = unfold("IgnoreRewards", steps=3)
    game.reset(seed=1)
    while not any(game.truncations.values()):
        game.step(0)
    assert game.steps == 3
    assert all(game.truncations.values())


def test_an_unfolded_environment_leaves_the_original_alone():
    environment = extenv.battery.make("CryingBaby")
    game = unfold(environment)
    game.reset(seed=1)
    game.step(1)
    assert not hasattr(environment, "baby")


class Lonely(ExtendedEnvironment):
    """Simulates nobody."""

    def start(self):
        return 0

    def step(self, action):
        return 0.0, 0


def test_there_are_no_roles_in_an_environment_that_simulates_nobody():
    with pytest.raises(SettingError, match="Lonely simulates nobody"):
        unfold(Lonely)


def test_an_environment_without_a_fixed_cast_cannot_be_unfolded():
    with pytest.raises(SettingError, match="LimitedMemory makes new copies"):
        unfold("LimitedMemory")


def test_no_steps_are_refused():
    with pytest.raises(SettingError, match="got steps=0"):
        unfold("IgnoreRewards", steps=0)


@pytest.mark.parametrize("action", [2, -1, None])
def test_an_action_out_of_range_is_refused(action):
    game = unfold("IgnoreRewards")
    game.reset(seed=1)
    with pytest.raises(SettingError, match=r"agent_0 acted .* expected one of range\(2\)"):
        game.step(action)
