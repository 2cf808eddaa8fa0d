"""PPO of Stable-Baselines3, with one setting for all tasks."""

from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecNormalize
from torch.nn import ReLU

from multislot.zoo.vectors import adapt_to_sb3
from scenarios.consideration.known_answers.environment import KnownTask, Policy
from scenarios.consideration.known_answers.learners.sb3 import learn

ROWS = 128
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
    """Train PPO in many copies of the task; rewards are divided by the spread of returns, which differs by task."""
    env = VecNormalize(adapt_to_sb3(environment.vector(ROWS)), norm_obs=False, clip_reward=np.inf, gamma=1)
    model = PPO("MlpPolicy", env, seed=seed, device="cpu", **SETTINGS)
    return learn(model, environment, steps)
