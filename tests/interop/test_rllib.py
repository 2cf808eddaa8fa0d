"""RLlib's PPO makes a training iteration on the fixed view."""

import warnings

import pytest

from multislot.zoo import make

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib")

pytestmark = pytest.mark.filterwarnings("ignore")


def test_ppo_trains_a_shared_policy_on_the_button():
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
    from ray.tune.registry import register_env

    def button(config):
        return ParallelPettingZooEnv(make("parallel", "multislot/copy-v1", view="fixed", max_cycles=8))

    register_env("button", button)
    config = (
        PPOConfig()
        .environment("button")
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **settings: "shared")
        .training(train_batch_size_per_learner=64, minibatch_size=32, num_epochs=1)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        algorithm = config.build_algo()
        found = algorithm.train()["env_runners"]
        algorithm.stop()
    finally:
        ray.shutdown()
    assert found["num_env_steps_sampled_lifetime"] >= 64
    assert set(found["agent_episode_returns_mean"]) == {"slot_1", "slot_2"}
