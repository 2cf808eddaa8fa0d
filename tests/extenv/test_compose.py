"""Handicapping Gymnasium environments, folding PettingZoo games, and unfolding extended environments."""

import pickle
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import extenv.battery
from extenv.compose import Bins, fold, handicap, unfold
from extenv.environment import ExtendedEnvironment
from extenv.running import run, stored_streams
from extenv.world import AsWorld
from multislot.agent import Agent
from multislot.agents.tabular import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from multislot.errors import MercyError, SettingError, UnknownNameError
from multislot.single import SingleView
from tests.extenv.games import Crowd, MatchingBits, ParentAndBaby

CARTPOLE = Bins(low=(-2.4, -3.0, -0.2, -3.0), high=(2.4, 3.0, 0.2, 3.0), counts=(1, 2, 6, 4))
LEARNERS = [ConstantAgent, RandomAgent, SimpleLearner, QLearner]
ON_THE_WAY = {"LimitedMemory"}
COMPOSABLE = [name for name in extenv.battery.BATTERY if name not in ON_THE_WAY]


def trace(environment, factory, seed=1, steps=60):
    """Run the practical loop and return every (action, reward, next observation)."""
    agent_stream, stream = stored_streams(seed)
    observation = environment.begin(factory, agent_stream, stream)
    agent = factory(environment.n_observations, environment.n_actions, agent_stream)
    turns = []
    for _ in range(steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        turns.append((action, reward, following))
        observation = following
    return turns


# Handicaps


def cartpole(by="IgnoreRewards", **settings):
    return handicap("CartPole-v1", by, encoder=CARTPOLE, **settings)


def lake():
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def test_cartpole_has_two_joysticks_with_the_same_effect():
    environment = cartpole()
    assert (environment.n_actions, environment.n_observations) == (4, CARTPOLE.n_observations)
    seen = []
    for joystick in (0, 1):
        streams = stored_streams(1)
        environment.begin(ConstantAgent, *streams)
        seen.append([environment.step(2 * push + joystick)[1] for push in (0, 1, 1, 0, 1, 0)])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("factory", LEARNERS)
def test_cartpole_pays_minus_one_for_the_joystick_that_the_unrewarded_copy_would_not_use(factory, seed):
    """The rule of the authors' CartPole, written out: the copy learns the agent's own turns with reward 0."""
    agent_stream, stream = stored_streams(seed)
    copy = factory(CARTPOLE.n_observations, 4, agent_stream)
    plain = gymnasium.make("CartPole-v1")
    episode = 0

    def opened(episode):
        return CARTPOLE(plain.reset(seed=int(stream.at(episode) * 2**31))[0])

    observation = opened(episode)
    for action, reward, following in trace(cartpole(), factory, seed, steps=200):
        picture, paid, fell, late, _info = plain.step(action // 2)
        if fell or late:
            episode += 1
        after = opened(episode) if fell or late else CARTPOLE(picture)
        assert following == after
        assert reward == (paid if copy.act(observation) % 2 == action % 2 else min(paid - 1, -1))
        copy.learn(observation, action, 0.0, after)
        observation = after


def test_whoever_ignores_rewards_plays_the_handicapped_environment_unharmed():
    assert run(cartpole(), ConstantAgent, steps=300).total_reward == 300


def test_whoever_heeds_rewards_is_penalised():
    assert run(cartpole(), QLearner, steps=2000).total_reward < 2000


@pytest.mark.parametrize("name", COMPOSABLE)
def test_any_extended_environment_is_a_handicap(name):
    environment = handicap(lake, name)
    inner = extenv.battery.make(name)
    assert environment.n_actions == 4 * inner.n_actions
    assert environment.n_observations == 16 * inner.n_observations
    assert trace(environment, QLearner) == trace(handicap(lake, name), QLearner)


class Restless(gymnasium.Env):
    """Pays 1 always."""

    observation_space = gymnasium.spaces.Discrete(1)
    action_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 0, 1, False, False, {}


WITHOUT_ZERO = [name for name in COMPOSABLE if name not in {"TemptingButtonVariation", "SelfRecognition"}]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", WITHOUT_ZERO)
def test_an_environment_that_always_pays_1_and_shows_nothing_is_neutral(name, seed):
    """Handicapping it gives the handicap itself: e * h with r_e = 1 and one action pays what h pays."""
    for factory in (SimpleLearner, QLearner):
        assert trace(handicap(Restless, name), factory, seed) == trace(extenv.battery.make(name), factory, seed)


def test_copies_made_in_the_middle_of_a_run_have_the_same_future():
    environment = cartpole("TemptingButton")
    trace(environment, QLearner, steps=30)
    other = environment.copy()
    actions = [0, 3, 1, 2] * 10
    assert [environment.step(action) for action in actions] == [other.step(action) for action in actions]


@pytest.mark.parametrize("make", [cartpole, lambda: fold(MatchingBits), lambda: fold(lambda: unfold("CryingBaby"))])
def test_what_is_composed_can_be_sent_to_another_process(make):
    environment = make()
    trace(environment, QLearner, steps=10)
    sent = pickle.loads(pickle.dumps(environment))
    assert [environment.step(turn % 2) for turn in range(20)] == [sent.step(turn % 2) for turn in range(20)]


@pytest.mark.parametrize("make", [cartpole, lambda: fold(Crowd)])
def test_what_is_composed_is_a_world_of_the_engine_with_its_copies_in_slots(make):
    world = AsWorld(make(), QLearner)
    lived = world.run(50, seed=1)
    turns = trace(make(), QLearner, steps=50)
    assert list(lived.agent_history(1)) == [(action, seen) for action, _paid, seen in turns]
    assert list(lived.reward_history(1)) == [paid for _action, paid, _seen in turns]
    assert world.slots.simulated


def test_what_is_composed_is_a_gymnasium_environment():
    check_env(SingleView(AsWorld(cartpole(), QLearner), max_cycles=50), skip_render_check=True)


def cliff():
    return gymnasium.make("CliffWalking-v1")


def test_broken_mercy_is_an_error_at_the_first_negative_reward():
    with pytest.raises(MercyError, match=r"step 1: .* paid -1\.0; handicap it with merciful=False"):
        run(handicap(cliff, "IgnoreRewards"), ConstantAgent, steps=10)


class Fickle(Agent):
    """Uses the first joystick until it has been paid anything, then the second."""

    def __init__(self, n_observations, n_actions, stream):
        self.paid = False

    def act(self, observation):
        return int(self.paid)

    def learn(self, observation, action, reward, next_observation):
        self.paid = self.paid or reward != 0


def test_without_mercy_the_penalty_is_below_what_it_replaces():
    rewards = [
        reward for _action, reward, _following in trace(handicap(cliff, "IgnoreRewards", merciful=False), Fickle)
    ]
    assert rewards[:3] == [-1, -2, -2]


def test_continuous_actions_are_refused():
    with pytest.raises(SettingError, match="only Discrete ones can be played by copies"):
        handicap("Pendulum-v1", "IgnoreRewards")


def test_pictures_need_an_encoder():
    with pytest.raises(SettingError, match="give an encoder, such as"):
        handicap("CartPole-v1", "IgnoreRewards")


@pytest.mark.parametrize("name", ["LimitedMemory", "ReverseHistory", "DejaVu"])
def test_a_handicap_that_trains_new_copies_on_the_past_is_refused(name):
    with pytest.raises(SettingError, match=f"{name} makes new copies of the agent on its way"):
        cartpole(name)


@pytest.mark.parametrize("environment", [Restless(), ParentAndBaby])
def test_what_makes_no_gymnasium_environment_is_refused(environment):
    with pytest.raises(SettingError, match="an id, or a function of no arguments that makes a new Env"):
        handicap(environment, "IgnoreRewards")


def test_an_unknown_handicap_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'IgnoreRewards'"):
        cartpole("IgnoreReward")


@given(st.lists(st.floats(-10, 10), min_size=4, max_size=4))
def test_bins_give_every_observation_an_index(observation):
    index = CARTPOLE(np.array(observation))
    assert 0 <= index < CARTPOLE.n_observations == 48
    place = np.unravel_index(index, CARTPOLE.counts)
    for low, high, count, value, bin_ in zip(
        CARTPOLE.low, CARTPOLE.high, CARTPOLE.counts, observation, place, strict=True
    ):
        width = (high - low) / count
        assert value < low + (bin_ + 1) * width + 1e-9 or bin_ == count - 1
        assert value > low + bin_ * width - 1e-9 or bin_ == 0


@pytest.mark.parametrize(
    ("low", "high", "counts", "message"),
    [
        ((0,), (1, 2), (1,), "one entry an axis"),
        ((0,), (0,), (1,), "low < high"),
        ((0,), (1,), (0,), "at least one bin"),
    ],
)
def test_bins_that_cut_nothing_are_refused(low, high, counts, message):
    with pytest.raises(SettingError, match=message):
        Bins(low, high, counts)


# Folding

SAME = [
    ("CryingBaby", lambda: fold(ParentAndBaby, "parent", labels="before")),
    ("CryingBaby2", lambda: fold(lambda: ParentAndBaby("baby"), "baby", labels="before")),
    ("AdversarialSequencePredictor", lambda: fold(MatchingBits)),
    ("AdversarialSequenceEvader", lambda: fold(MatchingBits, "evader")),
]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
@pytest.mark.parametrize(("name", "folded"), SAME)
def test_a_game_of_two_folds_into_the_published_environment(name, folded, factory, seed):
    assert trace(folded(), factory, seed, 300) == trace(extenv.battery.make(name), factory, seed, 300)


class Diary(Agent):
    """Remembers what it learned, in a list that all diaries write to."""

    lessons: ClassVar[list] = []

    def __init__(self, n_observations, n_actions, stream):
        self.age = 0

    def act(self, observation):
        return self.age % 2

    def learn(self, observation, action, reward, next_observation):
        self.age += 1
        self.lessons.append((observation, action, reward, next_observation))

    def learn_last(self, observation, action, reward):
        self.age += 1
        self.lessons.append((observation, action, reward, "end"))


@pytest.fixture
def lessons():
    Diary.lessons.clear()
    return Diary.lessons


def played(environment, actions):
    """Return rewards and observations of a true agent that takes these actions."""
    first = environment.begin(Diary, *stored_streams(1))
    return first, [environment.step(action) for action in actions]


def test_a_copy_learns_under_the_observation_that_it_answered(lessons):
    played(fold(ParentAndBaby, "parent"), [1, 0, 1, 0])
    assert lessons == [(1, 0, 1, 0), (0, 1, 1, 1), (1, 0, 1, 0)]


def test_or_under_the_one_before_as_the_published_baby_does(lessons):
    played(fold(ParentAndBaby, "parent", labels="before"), [1, 0, 1, 0])
    assert lessons == [(0, 0, 1, 1), (1, 1, 1, 0), (0, 0, 1, 1), (1, 1, 1, 0)]


def test_the_others_learn_that_a_game_is_over_and_the_next_one_begins(lessons):
    first, turns = played(fold(lambda: MatchingBits(length=2)), [0, 1, 0])
    assert first == 0
    assert turns == [(1, 0), (1, 0), (1, 0)]
    assert lessons == [(0, 0, -1, 0), (0, 1, -1, "end")]


def test_copies_play_everybody_else(lessons):
    first, turns = played(fold(Crowd), [0, 0, 1])
    assert first == 0
    assert turns == [(2, 15), (0, 17), (0, 16)]
    assert lessons[:2] == [(0, 0, 2, 15), (0, 0, 2, 15)]
    assert lessons[2:] == [(15, 1, 1, 17), (15, 1, 1, 17)]


def test_a_folded_game_is_measured_like_any_other():
    assert run(fold(Crowd), ConstantAgent, steps=50).mean_reward == 2


def test_a_folded_game_copied_in_the_middle_has_the_same_future():
    environment = fold(lambda: MatchingBits(length=7))
    trace(environment, QLearner, steps=30)
    other = environment.copy()
    assert [environment.step(turn % 2) for turn in range(40)] == [other.step(turn % 2) for turn in range(40)]


def test_a_folded_game_with_continuous_actions_is_refused():
    with pytest.raises(SettingError, match=r"actions of 'player_0' are Box.*only Discrete ones"):
        fold(lambda: Crowd(continuous=True))


def test_a_folded_game_with_pictures_needs_encoders():
    with pytest.raises(SettingError, match=r"observations of 'player_0' are Box.*give an encoder"):
        fold(lambda: Crowd(pictures=True))
    bins = Bins((0.0,), (100.0,), (10,))
    folded = fold(lambda: Crowd(pictures=True), encoders={f"player_{number}": bins for number in range(3)})
    assert run(folded, QLearner, steps=20).steps == 20


@pytest.mark.parametrize("game", [MatchingBits(), Restless])
def test_what_makes_no_game_is_refused(game):
    with pytest.raises(SettingError, match="that makes a new AECEnv or ParallelEnv"):
        fold(game)


def test_a_registered_game_folds_by_its_name():
    """Against oneself rock, paper, scissors is always a tie: equal lives, equal moves."""
    game = fold("classic/rps-v2")
    assert (game.n_observations, game.n_actions) == (4, 3)
    for factory in LEARNERS:
        assert {reward for _move, reward, _seen in trace(game, factory, steps=100)} == {0}


def test_a_game_of_one_is_refused():
    with pytest.raises(SettingError, match="nobody for a copy to play"):
        fold(lambda: Crowd(n=1))


def test_an_unknown_player_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'player_2'"):
        fold(Crowd, "player2")


def test_unknown_labels_are_refused():
    with pytest.raises(SettingError, match="labels='after'"):
        fold(Crowd, labels="after")


# Unfolding


@pytest.mark.parametrize("name", COMPOSABLE)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Observation|Environment has not:UserWarning")
def test_an_unfolded_environment_conforms_to_pettingzoo(name):
    from pettingzoo.test import api_test  # imports an environment in a deprecated way

    api_test(unfold(name, max_steps=15), num_cycles=60)


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
    back = fold(lambda: unfold(name, max_steps=10_000), labels=labels)
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
    game = unfold("IgnoreRewards", max_steps=3)
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
    with pytest.raises(SettingError, match="max_steps=0"):
        unfold("IgnoreRewards", max_steps=0)


@pytest.mark.parametrize("action", [2, -1, None])
def test_an_action_out_of_range_is_refused(action):
    game = unfold("IgnoreRewards")
    game.reset(seed=1)
    with pytest.raises(SettingError, match=r"agent_0 acted .* expected one of range\(2\)"):
        game.step(action)
