"""Tabular Q-learning as in appendix C of Alizadeh Alamdari et al. 2021: learning rate 1, γ = 1, optimistic values."""

from typing import Any

import numpy as np

from multislot.engine.stream import EndlessStream
from scenarios.consideration.known_answers.environment import RECORDS, KnownTask, Policy

EPSILON = 0.2


def train(environment: KnownTask, steps: int, seed: int) -> Policy:
    """Learn action values; shorter trainings with the same random numbers are how far the longest one was then."""
    env: Any = environment.unwrapped
    graph = env.graph
    pairs = zip(graph.cell_of.tolist(), graph.things_of.tolist(), strict=True)
    places = {pair: state for state, pair in enumerate(pairs)}

    def policy_after(taken: int) -> Policy:
        stream, starts = EndlessStream(seed, 1), np.array([env.problem.start])
        best = graph.learn_values(env.rewards, starts, taken, EPSILON, stream).argmax(axis=1)

        def act(observation: Any) -> Any:
            cell, things = np.flatnonzero(observation)
            return best[places[cell, things - len(graph.cells)]]

        return act

    for record in range(1, RECORDS):
        environment.taken = steps * record // RECORDS
        environment.record(policy_after(max(environment.taken, 1)))
    environment.taken = steps
    return policy_after(steps)
