"""The one-hot trainer: how much faster than Stable-Baselines3 on the same work, and seconds a run by agent.

Targets: at least 50 times as fast for each algorithm, on the same lots in one run, and under 0.4 s a published run of
100,000 steps with its copy, bookkeeping included (processor seconds, mean over a few environments).

    python benchmarks/one_hot_trainer.py [--steps N]
"""

import argparse
import random
from functools import partial
from time import process_time
from timeit import repeat

import torch

import extenv
from multislot.agents import A2C, DQN, PPO
from multislot.stream import published_streams

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
            factory = partial(kind, mode="published", trainer="one_hot")
            factory = extenv.reality_check(factory, "published") if checked else factory
            extenv.run(ENVIRONMENTS[0], factory, steps=10)
            began = process_time()
            for environment in ENVIRONMENTS:
                extenv.run(environment, factory, steps=steps)
            each = (process_time() - began) / len(ENVIRONMENTS)
            name = f"RC({kind.__name__})" if checked else kind.__name__
            print(f"{name}: {each:.2f} s a run of {steps} steps (target under {SECONDS})")


if __name__ == "__main__":
    main()
