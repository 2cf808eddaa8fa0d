"""PPO of Stable-Baselines3, with one setting for all tasks."""

from typing import Any

from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule
from torch.nn import ReLU

from scenarios.consideration.known_answers.environment import KnownTask, Policy
from scenarios.consideration.known_answers.learners.sb3 import copies, learn

SETTINGS: dict[str, Any] = {
    "n_steps": 32,
    "batch_size": 1024,
    "n_epochs": 4,
    "learning_rate": LinearSchedule(0.003, 0, 1),
    "ent_coef": 0.05,
    "gamma": 1.0,
    "policy_kwargs": {"net_arch": [64, 64], "activation_fn": ReLU},
}


def train(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Train PPO in many copies of the task."""
    return learn(PPO("MlpPolicy", copies(environment), seed=seed, device="cpu", **SETTINGS), environment, steps)
