"""A pessimistic agent and its mentor in random classes that hold the truth: what results 1 and 2 are about.

Rewards are at least 0.1 and the true mentor is in the mentor class, as both results need. With the exact plan (pure,
over a short horizon) both are promised; with the step-wise lower bound the second is not.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from multislot.bayes import MentorClass, ModelClass, PessimisticAgent, TabularMentor, TabularModel, policy_values
from multislot.stream import EndlessStream
from scenarios.conservatism.lives import AGENT, Life, Truth, live, random_mentors, tabular

STATES, ACTIONS, MENTORS = 3, 2, 3
REWARDS = (0.1, 1.0)
Planner = Literal["exact", "step-wise"]


@dataclass(frozen=True)
class Apprenticeship:
    """All lives in one random class.

    Attributes:
        seed: draws the class, the truth and the mentors.
        beta: β.
        planner: how the agent plans.
        models: models in the class.
        discount: γ.
        horizon: rewards that every value looks ahead.
        noise: mean of Z.
        steps: steps a life.
        lives: lives.
    """

    seed: int
    beta: float
    planner: Planner
    models: int
    discount: float
    horizon: int
    noise: float
    steps: int
    lives: int


def make_class(seed: int, models: int) -> tuple[ModelClass, MentorClass, int]:
    """Returns a random class, mentors of whom the first is the true one, and the index of the truth."""
    rng = np.random.default_rng(seed)
    drawn = [
        TabularModel(
            rng.dirichlet(np.full(STATES, 0.5), (STATES, ACTIONS)),
            rng.dirichlet(np.full(len(REWARDS), 0.5), (STATES, ACTIONS)),
            reward_values=REWARDS,
        )
        for _ in range(models)
    ]
    return ModelClass(drawn), random_mentors(rng, MENTORS, STATES, ACTIONS), int(rng.integers(models))


def lives(cell: Apprenticeship) -> list[Life]:
    """Returns all lives of a cell."""
    models, mentors, truth = make_class(cell.seed, cell.models)
    world, mentor = Truth(tabular(models)[truth]), true_mentor(mentors)
    found = []
    for index in range(cell.lives):
        seed = cell.seed * 1_000_003 + index
        agent = PessimisticAgent(
            models,
            mentors,
            cell.beta,
            cell.discount,
            cell.horizon,
            exact=cell.planner == "exact",
            noise=cell.noise,
            stream=EndlessStream(seed, AGENT),
        )
        found.append(live(agent, world, mentor, cell.steps, seed))
    return found


def mentor_values(cell: Apprenticeship) -> list[float]:
    """Returns [S], what the mentor is truly worth from each state."""
    models, mentors, truth = make_class(cell.seed, cell.models)
    values = policy_values(tabular(models)[truth], true_mentor(mentors).policy, cell.discount, cell.horizon)
    return [float(value) for value in values]


def true_mentor(mentors: MentorClass) -> TabularMentor:
    """Returns the first mentor."""
    first = mentors.mentors[0]
    if not isinstance(first, TabularMentor):
        raise TypeError("random mentors are tabular")
    return first


def realised(rewards: list[float], step: int, discount: float, horizon: int) -> float:
    """Returns the normalised discounted reward of the steps from ``step`` on, as many as the horizon."""
    ahead = np.asarray(rewards[step : step + horizon])
    return float((1 - discount) * (ahead * discount ** np.arange(len(ahead))).sum())
