"""What needs no learning: acting at random, and acting as if nobody else were there."""

from typing import Any

import numpy as np

import considerate
from scenarios.consideration.known_answers.environment import KnownTask, Policy, find_task


def random(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Act at random."""
    generator, count = np.random.default_rng(seed), environment.action_space.n  # type: ignore[attr-defined]
    return lambda observation: generator.integers(count)


def selfish(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Act as is best at a caring coefficient of 0; of equally good behaviors it takes the worst for the others."""
    env: Any = environment.unwrapped
    chosen = considerate.solve(find_task(environment.problem.task), environment.problem.criterion, 0)
    (observation, _), taken = env.reset(), {}
    for name in chosen.actions:
        taken[observation.tobytes()] = action = env.graph.actions.index(name)
        observation, *_ = env.step(action)
    return lambda observation: taken[observation.tobytes()]
