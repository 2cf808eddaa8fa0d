"""The one-hot trainer: how much faster than Stable-Baselines3 on the same work, and seconds a run by agent.

Targets: at least 50 times as fast for each algorithm, on the same lots in one run, and under 0.4 s a published run of
100,000 steps with its copy, bookkeeping included (processor seconds, mean over a few environments). Next to it stands
how long the compiled module takes to learn the very same transitions: no bookkeeping can make a run shorter than that.

    python benchmarks/one_hot_trainer.py [--steps N]
"""

import argparse
import random
from functools import partial
from statistics import mean
from time import process_time
from timeit import repeat

import torch

import extenv
from multislot.agents import A2C, DQN, PPO
from multislot.engine.stream import published_streams

RATIO, SECONDS = 50, 0.4
LOTS = {A2C: 200, PPO: 1, DQN: 200}
SIZES = ((1, 2), (6, 2), (10, 10))
ENVIRONMENTS = ("IgnoreRewards", "TemptingButton", "LimitedMemory", "SelfRecognition")


def turns(n, n_observations, n_actions):
    """Return made-up transitions to learn."""
    dice = random.Random(1).randrange
    seen = [dice(n_observations) for _ in range(n + 1)]
    return [(seen[i], dice(n_actions), float(dice(3) - 1), seen[i + 1]) for i in range(n)]


def learned(agent, lived):
    for turn in lived:
        agent.learn(*turn)
    agent.act(0)


def seconds(kind, sizes, trainer, repeats):
    """Return the least processor seconds of learning some lots, models made before."""
    stream = published_streams(1)[0]
    agents = [kind(*sizes, stream, trainer=trainer) for _ in range(repeats)]
    for agent in agents:
        agent.act(0)
    lived = turns(LOTS[kind] * agents[0].lot_size, *sizes)
    stock = iter(agents)
    return min(repeat(lambda: learned(next(stock), lived), number=1, repeat=repeats, timer=process_time))


def recording(kind, lives):
    """Return a class of agents that add to `lives` their numbers of observations and actions, and what they learn."""

    class Recording(kind):
        def __init__(self, *sizes_and_stream, **settings):
            super().__init__(*sizes_and_stream, **settings)
            self.lived = []
            lives.append((sizes_and_stream[:2], self.lived))

        def learn(self, *turn):
            self.lived.append(turn)
            super().learn(*turn)

    return Recording


def seconds_a_run(factory, environment, steps):
    extenv.run(environment, factory, steps=10)
    began = process_time()
    extenv.run(environment, factory, steps=steps)
    return process_time() - began


def seconds_of_training(kind, lives):
    """Return the processor seconds that learners take for what agents of one run learned."""
    stream, spent = published_streams(1)[0], 0.0
    for sizes, lived in lives:
        learn = kind(*sizes, stream, mode="published", trainer="one_hot").learner.learn
        began = process_time()
        for turn in lived:
            learn(*turn, False)
        spent += process_time() - began
    return spent


def report_run(kind, checked, steps):
    """Print how long a run takes in the mean, and how long training alone."""
    settings, whole, training = {"mode": "published", "trainer": "one_hot"}, [], []
    for environment in ENVIRONMENTS:
        lives = []
        plain, recorded = partial(kind, **settings), partial(recording(kind, lives), **settings)
        if checked:
            plain, recorded = (extenv.reality_check(factory, "published") for factory in (plain, recorded))
        whole.append(seconds_a_run(plain, environment, steps))
        extenv.run(environment, recorded, steps=steps, check_sharing=False)  # what they learn goes to `lives`
        training.append(seconds_of_training(kind, lives))
    name = f"RC({kind.__name__})" if checked else kind.__name__
    spent = f"{mean(whole):.2f} s a run of {steps} steps (target under {SECONDS})"
    print(f"{name}: {spent}, {mean(training):.2f} s of it training")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    for kind in LOTS:
        for sizes in SIZES:
            theirs, ours = (seconds(kind, sizes, trainer, n) for trainer, n in (("sb3", 1), ("one_hot", 3)))
            print(f"{kind.__name__} {sizes}: {theirs / ours:.0f} times as fast (target at least {RATIO})")
    for kind in LOTS:
        for checked in (False, True):
            report_run(kind, checked, steps)


if __name__ == "__main__":
    main()
