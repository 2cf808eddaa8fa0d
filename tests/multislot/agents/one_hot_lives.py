"""Agents of the one-hot trainer's tests, made-up turns, and plans of the compiled module that need no torch."""

import random

import numpy as np

from multislot.agents import A2C, DQN, PPO
from multislot.agents.one_hot_models import kernel, seed_twister
from multislot.engine.stream import published_streams

STREAM = published_streams(5)[0]
KINDS = (A2C, PPO, DQN)
SHORT = {A2C: {}, PPO: {"n_steps": 64, "batch_size": 16, "n_epochs": 3}, DQN: {}}
NAMES = ("A2C", "PPO", "DQN")
COUNTS = {"A2C": (5, 5, 1, 5, 0, 1), "PPO": (64, 24, 3, 64, 0, 1), "DQN": (4, 32, 1, 50, 3, 40)}
"""Lot, batch, epochs, capacity, and DQN's first update and target interval."""
NUMBERS = (0.001, 0.99, 0.95, 0.5, 0.2, 0.5, True)
WIDTHS = (64, 64)


def fresh(kind, sizes=(3, 2), **overrides):
    return kind(*sizes, STREAM, **{"trainer": "one_hot", **SHORT[kind], **overrides})


def some_turns(n, sizes=(3, 2), seed=0):
    dice = random.Random(seed)
    turns, observation = [], 0
    for _ in range(n):
        turn = (observation, dice.randrange(sizes[1]), float(dice.randrange(3) - 1), dice.randrange(sizes[0]))
        turns.append(turn)
        observation = turn[3]
    return turns


def trained(agent, turns):
    for index, turn in enumerate(turns):
        if index % 7 == 6:
            agent.learn_last(*turn[:3])
        else:
            agent.learn(*turn)
    return agent


def answers(agent):
    return [agent.act(observation) for observation in range(agent.n_observations)]


def distance(one, other):
    pairs = zip(one.model.parameters, other.model.parameters, strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def plan(algorithm, sizes, widths=WIDTHS, published=False, module=None, parameters=None, counts=None):
    """Return a plan of the compiled module `module` with drawn parameters, or with the bytes of `parameters`."""
    draw = np.random.default_rng(0)
    drawn = draw.normal(0, 0.3, size=n_parameters(algorithm, sizes, widths)).astype(np.float32).tobytes()
    return (module or kernel()).Plan(
        (NAMES.index(algorithm), published),
        (*sizes, *widths),
        int(algorithm == "DQN"),
        counts or COUNTS[algorithm],
        NUMBERS,
        drawn if parameters is None else parameters,
        *[seed_twister(seed) for seed in range(3)],
    )


def n_parameters(algorithm, sizes, widths):
    inner = widths[0] * (sizes[0] + 1) + widths[1] * (widths[0] + 1)
    outputs = (sizes[1],) if algorithm == "DQN" else (sizes[1], 1)
    return sum(inner + n * (widths[1] + 1) for n in outputs)


def taught(learner, turns):
    for index, turn in enumerate(turns):
        learner.learn(*turn, index % 7 == 6)
    return learner
