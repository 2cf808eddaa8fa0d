"""Time of several learners together, beside the same trainings of Stable-Baselines3 one after another.

    python benchmarks/train_together.py

Each pair is measured side by side and repeated; the ratio is of the best times. A ratio of at most 1.1 is promised.
"""

import time
from statistics import median

import torch
from mpe2 import simple_spread_v3
from stable_baselines3 import PPO

from considerate.training.learners import Learner, train_together
from considerate.training.views import SoloEnv

STEPS, REPEATS = 1024, 5
SETTINGS = {"n_steps": 256, "batch_size": 64, "n_epochs": 4}


def world(count):
    """Particles that spread over landmarks, with continuous actions."""
    return simple_spread_v3.parallel_env(N=count, max_cycles=25, continuous_actions=True)


def alone(count):
    """Train each agent by itself: the others do nothing."""
    for number in range(count):
        env = world(count)
        lowest = env.action_space(f"agent_{number}").low
        idle = {name: (lambda seen, low=lowest: low) for name in env.possible_agents if name != f"agent_{number}"}
        PPO("MlpPolicy", SoloEnv(env, f"agent_{number}", idle), seed=number, device="cpu", **SETTINGS).learn(STEPS)


def together(count):
    """Train all agents in one world."""
    learner = Learner("PPO", settings=SETTINGS)
    train_together(lambda: world(count), {f"agent_{number}": learner for number in range(count)}, STEPS)


def seconds(function, count):
    """Time one call."""
    start = time.perf_counter()
    function(count)
    return time.perf_counter() - start


def main():
    torch.set_num_threads(1)
    for count in (1, 2, 4):
        pairs = [(seconds(together, count), seconds(alone, count)) for _ in range(REPEATS)]
        ratio = median(ours / theirs for ours, theirs in pairs)
        steps = count * STEPS / min(ours for ours, _ in pairs)
        print(f"{count} learners: {steps:.0f} steps a second together, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
