"""Every extended environment in PettingZoo and Gymnasium: conformance, parameters, and learning there."""

import warnings

import gymnasium
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

import extenv.zoo
from extenv import AsWorld, run
from extenv.battery import ENVIRONMENTS
from multislot.agents import A2C, ConstantAgent, NaiveLearner, QLearner
from multislot.errors import SettingError, UnknownNameError

NAMES = tuple(ENVIRONMENTS)


def identifier(name):
    return f"extenv/{name}-v{2 if name == 'PunishSlowAgent' else 1}"


def test_every_environment_is_registered():
    assert set(extenv.zoo.REGISTERED) == set(NAMES)
    assert all(identifier(name) in gymnasium.registry for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_conforms_to_pettingzoo(name):
    def make():
        return pettingzoo.make("parallel", identifier(name), max_cycles=20)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test

        parallel_api_test(make(), num_cycles=50)
        parallel_seed_test(make, num_cycles=20)
        api_test(pettingzoo.make("aec", identifier(name), max_cycles=10), num_cycles=20)


@pytest.mark.parametrize("name", NAMES)
def test_conforms_to_gymnasium(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make(identifier(name), max_cycles=20).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("name", ["IgnoreRewards", "TemptingButton", "IncentivizeZero"])
def test_a_constant_learner_earns_there_what_it_earns_in_a_run(name, opposite):
    world = gymnasium.make(identifier(name), agent_factory=ConstantAgent, opposite=opposite, max_cycles=30)
    world.reset(seed=3)
    earned = sum(world.step(0)[1] for _ in range(30))
    assert earned == run(name, ConstantAgent, steps=30, seed=3, opposite=opposite).total_reward


def test_the_copies_are_made_by_the_given_factory():
    world = extenv.zoo.make_world("PunishNondeterministicAgent", NaiveLearner)
    world.start(1)
    assert [type(agent) for agent in world.slots.simulated.values()] == [NaiveLearner]


def test_a_model_of_stable_baselines3_learns_there():
    import stable_baselines3

    world = gymnasium.make("extenv/IgnoreRewards-v1", agent_factory=A2C, max_cycles=50)
    model = stable_baselines3.A2C("MlpPolicy", world, seed=1, device="cpu").learn(60)
    assert model.num_timesteps == 60


def test_an_unknown_parameter_and_a_bad_factory_are_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'opposite'"):
        gymnasium.make("extenv/IgnoreRewards-v1", oposite=True)
    with pytest.raises(SettingError, match="does not take n_actions"):
        gymnasium.make("extenv/IgnoreRewards-v1", agent_factory=lambda n_observations, stream: ConstantAgent)


def test_a_world_started_again_forgets_its_former_copies():
    world = AsWorld("IgnoreRewards", QLearner)
    world.start(1)
    world.start(1)
    assert len(world.slots.simulated) == 1
