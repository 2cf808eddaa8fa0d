"""DQN of Stable-Baselines3, with one setting for all tasks."""

from typing import Any

from stable_baselines3 import DQN
from stable_baselines3.common.utils import LinearSchedule

from scenarios.consideration.known_answers.environment import KnownTask, Policy
from scenarios.consideration.known_answers.learners.sb3 import copies, learn

SETTINGS: dict[str, Any] = {
    "buffer_size": 50_000,
    "learning_starts": 5000,
    "learning_rate": LinearSchedule(0.003, 0, 1),
    "batch_size": 256,
    "train_freq": 4,
    "gradient_steps": 4,
    "target_update_interval": 1000,
    "exploration_fraction": 0.7,
    "exploration_final_eps": 0.05,
    "gamma": 1.0,
    "policy_kwargs": {"net_arch": [64]},
}


def train(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Train DQN in many copies of the task."""
    return learn(DQN("MlpPolicy", copies(environment), seed=seed, device="cpu", **SETTINGS), environment, steps)
