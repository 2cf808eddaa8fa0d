"""Handicapping Gymnasium environments: the two joysticks, the rule of the penalty, mercy, bins."""

from functools import partial
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import MultiBinary, MultiDiscrete
from gymnasium.utils.env_checker import check_env

import extenv.battery
from extenv.composing.compose import handicap
from extenv.composing.handicapped import Joystick, Scene
from extenv.environment import SimulatingEnvironment
from extenv.formal.plays import MercyError
from extenv.measuring.running import run, stored_streams
from extenv.reality_checks import reality_check
from extenv.world import AsWorld
from multislot.agents.tabular import ConstantAgent, QLearner, SimpleLearner
from multislot.engine.agent import Agent
from multislot.errors import SettingError
from multislot.zoo.single import SingleView
from tests.extenv.composing.composing import CARTPOLE, COMPOSABLE, LEARNERS, Restless, cartpole, trace
from tests.extenv.games import ParentAndBaby


def lake():
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def test_a_copy_knows_the_present_scene_only_after_it_has_learned_it():
    agent = SimpleNamespace(act=lambda observation: observation, learn=lambda *turn: None)
    joystick = Joystick(agent, Scene(before=1, after=2, step=1), n_seen=10, n_moves=100)
    assert joystick.act(3) == 13
    joystick.learn(3, 0, 1.0, 4)
    assert joystick.act(4) == 24


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
    for _, action, reward, following in trace(cartpole(), factory, seed, steps=200):
        picture, paid, fell, late, _info = plain.step(action // 2)
        if fell or late:
            episode += 1
        after = opened(episode) if fell or late else CARTPOLE(picture)
        assert following == after
        assert reward == (paid if copy.act(observation) % 2 == action % 2 else min(paid - 1, -1))
        copy.learn(observation, action, 0.0, after)
        observation = after


@pytest.mark.parametrize("name", COMPOSABLE)
def test_any_extended_environment_is_a_handicap(name):
    environment = handicap(lake, name)
    inner = extenv.battery.make(name)
    assert environment.n_actions == 4 * inner.n_actions
    assert environment.n_observations == 16 * inner.n_observations
    assert trace(environment, QLearner) == trace(handicap(lake, name), QLearner)


WITHOUT_ZERO = [name for name in COMPOSABLE if name not in {"TemptingButtonVariation", "SelfRecognition"}]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", WITHOUT_ZERO)
def test_an_environment_that_always_pays_1_and_shows_nothing_is_neutral(name, seed):
    """Handicapping it gives the handicap itself: e * h with r_e = 1 and one action pays what h pays."""
    for factory in (SimpleLearner, QLearner):
        assert trace(handicap(Restless, name), factory, seed) == trace(extenv.battery.make(name), factory, seed)


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
    rewards = [reward for *_, reward, _ in trace(handicap(cliff, "IgnoreRewards", merciful=False), Fickle)]
    assert rewards[:3] == [-1, -2, -2]


class Lights(gymnasium.Env):
    """Two lights and a switch for each; paid for the lights that shine."""

    observation_space, action_space = MultiBinary(2), MultiDiscrete([2, 2])

    def reset(self, *, seed=None, options=None):
        self.lights = np.array([0, 1], dtype=np.int8)
        return self.lights, {}

    def step(self, action):
        self.lights = self.lights ^ np.asarray(action, dtype=np.int8)
        return self.lights, float(self.lights.sum()), False, False, {}


def test_any_finite_space_will_do():
    """Observations are the lights as binary digits, actions the switches; the handicap's joystick is the last digit."""
    environment = handicap(Lights, "IgnoreRewards")
    assert (environment.n_observations, environment.n_actions) == (4, 8)
    assert environment.begin(ConstantAgent, *stored_streams(1)) == 0b01
    assert environment.step(0b10_0) == (2.0, 0b11)
    assert environment.step(0b01_0) == (1.0, 0b10)
    assert environment.step(0b00_1)[1] == 0b10


@pytest.mark.parametrize("name", ["LimitedMemory", "ReverseHistory", "DejaVu"])
def test_a_handicap_that_trains_new_copies_on_the_past_is_refused(name):
    with pytest.raises(SettingError, match=f"{name} makes new copies of the agent after its start"):
        cartpole(name)


@pytest.mark.parametrize("environment", [Restless(), ParentAndBaby])
def test_what_makes_no_gymnasium_environment_is_refused(environment):
    with pytest.raises(SettingError, match="an id, or a function of no arguments that makes a new Env"):
        handicap(environment, "IgnoreRewards")


class Blind:
    """Sees nothing, and counts in NumPy's integers."""

    n_observations = np.int64(1)

    def __call__(self, observation):
        return 0


def test_an_encoder_may_count_in_integers_of_numpy():
    assert run(handicap("CartPole-v1", "IgnoreRewards", encoder=Blind()), QLearner, steps=20).steps == 20
    with pytest.raises(TypeError, match=r"got encoder of the environment=<class.*Blind'>; .*give an instance"):
        handicap("CartPole-v1", "IgnoreRewards", encoder=Blind)


@pytest.mark.parametrize(
    "factory",
    [QLearner, partial(QLearner, learning_rate=0.1), reality_check(QLearner), partial(reality_check(QLearner))],
)
def test_a_handicap_finds_the_parameters_that_a_factory_takes(factory):
    """With one ordinary action the second joystick is all there is, so the handicap pays what it pays alone."""
    alone = run("IncentivizeLearningRate", factory, steps=60)
    assert alone.mean_reward > -1
    assert run(handicap(Restless, "IncentivizeLearningRate"), factory, steps=60) == alone


class Explorer(SimulatingEnvironment):
    """Would you have taken this action if you had explored always?"""

    def start(self):
        start = super().start()
        self.simulated = self.fresh(epsilon=1.0)
        return start


def test_a_handicap_may_make_copies_with_any_parameter():
    environment = handicap(Restless, Explorer())
    environment.begin(QLearner, *stored_streams(1))
    assert environment.by.simulated.agent.epsilon == 1
    assert environment.by.simulated.agent.learning_rate == QLearner(1, 2, stored_streams(1)[0]).learning_rate
