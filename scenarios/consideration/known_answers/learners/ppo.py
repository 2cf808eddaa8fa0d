"""PPO of Stable-Baselines3, with one setting for all tasks."""

from typing import Any

from stable_baselines3 import PPO

from multislot.zoo.vectors import adapt_to_sb3
from scenarios.consideration.known_answers.environment import KnownTask, Policy
from scenarios.consideration.known_answers.learners.sb3 import learn

ROWS = 128
SETTINGS: dict[str, Any] = {
    "n_steps": 32,
    "batch_size": 1024,
    "n_epochs": 10,
    "learning_rate": 0.001,
    "ent_coef": 0.01,
    "gamma": 1.0,
    "policy_kwargs": {"net_arch": [64, 64]},
}


def train(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Train PPO in many copies of the task."""
    model = PPO("MlpPolicy", adapt_to_sb3(environment.vector(ROWS)), seed=seed, device="cpu", **SETTINGS)
    return learn(model, environment, steps)
