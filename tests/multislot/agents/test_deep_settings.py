"""Settings of deep agents that the compiled trainer does not serve go to Stable-Baselines3; wrong ones are refused."""

import numpy as np
import pytest

from multislot.agents import A2C, DQN, PPO
from multislot.agents.one_hot_models import kernel
from multislot.errors import SettingError, WrongTypeError
from tests.multislot.agents.one_hot_lives import STREAM

needs_kernel = pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")


@needs_kernel
@pytest.mark.parametrize(
    ("kind", "settings", "trainer"),
    [
        (PPO, {"n_steps": 65536}, "one_hot"),
        (PPO, {"n_steps": 65600}, "sb3"),
        (A2C, {"n_steps": 65537}, "sb3"),
        (A2C, {"learning_rate": 0.5}, "one_hot"),
        (A2C, {"policy_kwargs": {"net_arch": [64]}}, "sb3"),
        (PPO, {"n_epochs": 2**31}, "sb3"),
        (DQN, {"batch_size": 10**6}, "sb3"),
        (DQN, {"gradient_steps": -1}, "one_hot"),
        (DQN, {"gradient_steps": 0}, "sb3"),
        (DQN, {"train_freq": 65537}, "sb3"),
        (DQN, {"target_update_interval": 2**63 - 1}, "one_hot"),
    ],
)
def test_legal_settings_are_trained_by_one_of_the_two(kind, settings, trainer):
    agent = kind(3, 2, STREAM, **settings)
    assert agent.trainer == trainer
    assert agent.act(0) in (0, 1)


@needs_kernel
def test_what_the_compiled_trainer_does_not_serve_is_said_in_the_users_terms():
    with pytest.raises(SettingError, match='trainer="one_hot" with n_steps=65537, beyond 1 to 65536'):
        PPO(3, 2, STREAM, n_steps=65537, trainer="one_hot")


@pytest.mark.parametrize("trainer", ["auto", "sb3"])
@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (PPO, {"n_epochs": 0}, "got n_epochs=0; expected a whole number, at least 1"),
        (PPO, {"batch_size": -1}, "got batch_size=-1; expected a whole number, at least 1"),
        (PPO, {"n_steps": 10**9}, "got n_steps=1000000000; expected a whole number"),
        (PPO, {"n_steps": 1}, "Stable-Baselines3 refuses these settings of PPO"),
        (DQN, {"buffer_size": 10**12}, "got buffer_size=1000000000000; expected"),
        (DQN, {"learning_starts": -1}, "got learning_starts=-1; expected"),
        (DQN, {"batch_size": 2**64}, "got batch_size="),
    ],
)
def test_wrong_counts_are_refused_before_work(kind, settings, message, trainer):
    with pytest.raises(SettingError, match=message):
        kind(3, 2, STREAM, trainer=trainer, **settings).act(0)


def test_a_count_of_the_wrong_type_is_a_type_error():
    with pytest.raises(WrongTypeError, match="got batch_size='many'"):
        PPO(3, 2, STREAM, batch_size="many")


@pytest.mark.parametrize("trainer", ["auto", "sb3"])
def test_settings_may_hold_arrays(trainer):
    settings = {"net_arch": np.array([8, 8])}
    agents = [A2C(3, 2, STREAM, trainer=trainer, policy_kwargs=settings) for _ in range(2)]
    assert agents[0].act(0) == agents[1].act(0)
    assert agents[0].model is agents[1].model
