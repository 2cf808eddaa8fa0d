"""Print, as JSON, what must be equal on every processor, what may be rounded otherwise, and controls."""

import json
import sys
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

import extenv
from multislot import run
from multislot.agents import QLearner, RandomAgent, SimpleLearner
from multislot.agents.one_hot_models import kernel
from multislot.bayes import RegularizedAgent, ThompsonAgent, pessimistic_value
from multislot.bayes.planning import best_mixture_plan, policy_values
from multislot.cells import as_json, cell_key
from multislot.engine.stream import EndlessStream, published_streams
from multislot.exact import KernelWorld, action_values, copy
from tests.multislot.agents.one_hot_lives import KINDS, SHORT
from tests.multislot.bayes.examples import random_class, random_mentors


@dataclass(frozen=True)
class Cell:
    share: float
    third: float


def digest(*values):
    return sha256(repr(values).encode()).hexdigest()


def exact_digests():
    """What is the same to the last bit: fractions, the engine, tabular and one-hot agents, traces and stores."""
    fork = copy(r_1=1, r_2=3)
    traces = [
        run(KernelWorld(fork), {1: kind}, steps=12, seed=seed) for kind in (RandomAgent, QLearner) for seed in range(5)
    ]
    totals = [
        extenv.run(name, kind, steps=100, seed=1)
        for name in list(extenv.BATTERY)[::3]
        for kind in (QLearner, SimpleLearner)
    ]
    yield "fractions", digest(action_values(fork, "cpy", discount=0.9, horizon=5))
    yield "engine", digest(*(([dict(step) for step in trace.rewards], trace.lineage.text()) for trace in traces))
    yield "tabular agents", digest(*(result.total_reward for result in totals))
    yield "stores", digest(cell_key(Cell(0.1, 1 / 3)), as_json({"value": 0.1 + 0.2, "error": 1e-300}))
    if kernel() is not None:
        yield "one-hot agents", digest(*(_one_hot(kind) for kind in KINDS))


def _one_hot(kind):
    agent = kind(4, 2, published_streams(5)[0], trainer="one_hot", **SHORT[kind])
    for step in range(200):
        agent.learn(step % 4, step * step % 2, float(step % 3 - 1), (step + 1) % 4)
    return [agent.model.probabilities(observation).tolist() for observation in range(4)]


def decisions(count):
    """Numbers, which may be rounded otherwise, and decisions, which may not, of planners in floating point."""
    numbers, decided = [], []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        models, mentors = random_class(rng, 2), random_mentors(rng, 3)
        for alpha in (None, 0.2):
            agent = RegularizedAgent(models, mentors, alpha, 0.8, 4, price=0.1, stream=EndlessStream(seed, 1))
            decision = agent.decide()
            numbers += [*decision.probabilities, decision.value, decision.divergence]
            decided.append(decision.action)
        for exact in (True, False):
            value = pessimistic_value(models, 0.8, 3, exact=exact)
            numbers += [value.lower, value.upper]
        plan = best_mixture_plan(models, models.prior, 0.8, 3, depth=1)
        numbers += [*plan.action_values, *policy_values(models.models[0], mentors.mentors[0].policy, 0.8, 9)]
        decided += [plan.action, ThompsonAgent(models, 0.8, 4, stream=EndlessStream(seed, 1)).decide().action]
    return numbers, decided


def main(count):
    """Print everything; the controls are raw sums of BLAS, and choices between equal sums."""
    numbers, decided = decisions(count)
    rng = np.random.default_rng(0)
    table, weights = rng.random((400, 37)), rng.random(37)
    choices = table @ weights > table[:, ::-1] @ weights[::-1]  # the same sums in another order
    said = {
        "exact": dict(exact_digests()),
        "numbers": numbers,
        "decided": digest(decided),
        "control sums": digest((table @ weights).tolist(), (table @ table.T).ravel().tolist()),
        "control decisions": digest(choices.tolist()),
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main(int(sys.argv[1]))
