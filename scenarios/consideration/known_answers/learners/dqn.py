"""DQN of Stable-Baselines3, with one setting for all tasks."""

from typing import Any

from stable_baselines3 import DQN

from multislot.zoo.vectors import adapt_to_sb3
from scenarios.consideration.known_answers.environment import KnownTask, Policy
from scenarios.consideration.known_answers.learners.sb3 import learn

ROWS = 16
SETTINGS: dict[str, Any] = {
    "buffer_size": 50_000,
    "learning_starts": 5000,
    "learning_rate": 0.002,
    "batch_size": 128,
    "train_freq": 1,
    "gradient_steps": 1,
    "target_update_interval": 1000,
    "exploration_fraction": 0.5,
    "exploration_final_eps": 0.05,
    "gamma": 0.99,
    "policy_kwargs": {"net_arch": [64]},
}


def train(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Train DQN in many copies of the task."""
    model = DQN("MlpPolicy", adapt_to_sb3(environment.vector(ROWS)), seed=seed, device="cpu", **SETTINGS)
    return learn(model, environment, steps)
