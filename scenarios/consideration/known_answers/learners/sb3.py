"""What the learners of Stable-Baselines3 share: one thread, and a judgment from time to time."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from considerate.training import greedy
from scenarios.consideration.known_answers.environment import KnownTask, Policy


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
    with _one_thread():
        model.learn(steps, Judged(environment))
        policy = greedy(model)
        environment.record(policy)
        return policy


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let PyTorch work in one thread: small networks are fastest so, and results depend on the number."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
