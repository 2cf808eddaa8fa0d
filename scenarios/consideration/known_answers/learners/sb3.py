"""What the learners of Stable-Baselines3 share: copies of the task, one thread, and a judgment from time to time."""

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from considerate.training import greedy
from considerate.training.models import threads
from multislot.zoo.vectors import adapt_to_sb3
from scenarios.consideration.known_answers.environment import KnownTask, Policy

ROWS = 128


def copies(environment: KnownTask) -> VecNormalize:
    """Make copies of the task that are stepped together; rewards are divided by the spread of returns."""
    return VecNormalize(adapt_to_sb3(environment.vector(ROWS)), norm_obs=False, clip_reward=np.inf, gamma=1)


class Judged(BaseCallback):
    """Lets the environment judge the greedy policy between rollouts."""

    def __init__(self, environment: KnownTask) -> None:
        super().__init__()
        self.environment = environment

    def _on_rollout_start(self) -> None:
        self.environment.record(greedy(self.model))

    def _on_step(self) -> bool:
        return True


def learn(model: BaseAlgorithm, environment: KnownTask, steps: int) -> Policy:
    """Let a model learn, and return its greedy policy."""
    with threads(1):  # small networks are fastest with one, and results depend on the number
        model.learn(steps, Judged(environment))
        policy = greedy(model)
        environment.record(policy)
        return policy
