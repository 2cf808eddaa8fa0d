"""Vector environments: how many steps a second, beside the same environments one by one.

    python benchmarks/vectors.py

1. `TaskVector` with 4,096 copies of a Craft-World task (target: 5 million steps/s for numbers and one-hot, on an idle
   core), and `SyncVectorEnv` over copies of `TaskEnv`.
2. PPO of Stable-Baselines3 with 128 copies in the setting of `known-answers`, beside `TaskEnv` alone in the setting
   that Stable-Baselines3 has by default (target: 15 times as many steps a second), and beside `TaskEnv` alone in the
   same setting with rollouts of the same length, where most time goes to updates.
3. `SlotVector` in arrays, and with copies stepped one by one (target: 10 times as many rows a second).

Each ratio is of two things measured in turn, so that it also holds on a busy machine.
"""

import time
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3 import PPO

from considerate.craftworld import task
from considerate.zoo.tasks import TaskEnv
from considerate.zoo.vectors import TaskVector
from multislot.zoo import make, vectors
from multislot.zoo.vectors import SlotVector, adapt_to_sb3
from scenarios.consideration.known_answers.learners.ppo import SETTINGS
from scenarios.consideration.known_answers.learners.sb3 import ROWS

COPIES, ROUNDS = 4096, 3


def rate(vector: Any, steps: int) -> float:
    """Steps of rows a second of processor time, the best of some rounds, with random actions."""
    rng, rates = np.random.default_rng(0), []
    vector.reset(seed=0)
    for _ in range(ROUNDS):
        actions = rng.integers(vector.single_action_space.n, size=(steps, vector.num_envs))
        began = time.process_time()
        for row in actions:
            vector.step(row)
        rates.append(steps * vector.num_envs / (time.process_time() - began))
    return max(rates)


def learning_rate(env: Any, settings: dict[str, Any], steps: int) -> float:
    """Steps a second of processor time in which PPO learns."""
    model = PPO("MlpPolicy", env, seed=0, device="cpu", **settings)
    began = time.process_time()
    model.learn(steps)
    return model.num_timesteps / (time.process_time() - began)


def report(what: str, fast: float, slow: float) -> None:
    print(f"{what}: {fast:,.0f} beside {slow:,.0f} a second, {fast / slow:.1f} times", flush=True)


def steps_of_tasks() -> None:
    for name in ("kitchen-cookie", "box", "shared-key"):
        chosen = task(name)
        for observations, copy in (("numbers", True), ("one-hot", True), ("one-hot", False), ("grid", True)):
            one = partial(TaskEnv, chosen, observations=observations)
            alone = rate(SyncVectorEnv([one] * 8, autoreset_mode=AutoresetMode.SAME_STEP), 100)
            many = TaskVector(chosen, COPIES, AutoresetMode.SAME_STEP, copy, observations=observations)
            report(f"{name}, {observations}{'' if copy else ', written into one array'}", rate(many, 50), alone)


def learning() -> None:
    torch.set_num_threads(1)
    chosen = task("kitchen-cookie")
    for _ in range(ROUNDS):
        many = adapt_to_sb3(TaskVector(chosen, ROWS, AutoresetMode.SAME_STEP, observations="one-hot"))
        fast = learning_rate(many, SETTINGS, 65536)
        report(f"PPO with {ROWS} copies, and alone by default", fast, learning_rate(TaskEnv(chosen), {}, 4096))
        same = SETTINGS | {"n_steps": SETTINGS["n_steps"] * ROWS}
        alone = learning_rate(TaskEnv(chosen, observations="one-hot"), same, 4096)
        report(f"PPO with {ROWS} copies, and alone in the same setting", fast, alone)


def slots() -> None:
    for name in ("copy", "copy-delete", "teleport", "stay"):
        view = partial(make, "parallel", f"multislot/{name}-v1", view="fixed")
        with patch.object(vectors, "tables_of", lambda view: None):
            alone = rate(SlotVector(view, 8), 100)
        report(f"slots of multislot/{name}-v1", rate(SlotVector(view, 128), 100), alone)


def main() -> None:
    steps_of_tasks()
    slots()
    learning()


if __name__ == "__main__":
    main()
