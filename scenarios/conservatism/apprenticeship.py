"""A pessimistic agent and its mentor in random classes that hold the truth: what results 1 and 2 are about.

Rewards are at least 0.1 and the true mentor is in the mentor class, as both results need. With the exact plan (pure,
over a short horizon) both are promised; with the step-wise lower bound the second is not.

Either what happens soon tells the truth from all other models, or every model has a twin that pays nothing from a
tempting event on (`multislot.bayes.twins`): until somebody causes the event nobody knows. A mentor causes it seldom.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from multislot.bayes import (
    Life,
    MentorClass,
    ModelClass,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
    best_policy,
    live,
    policy_values,
    twins,
)
from multislot.bayes.arrays import Floats
from multislot.bayes.mentored import AGENT_SLOT
from multislot.stream import EndlessStream
from scenarios.conservatism.random_classes import random_mentors, seldom, tabular, tempting_event, true_world

STATES, ACTIONS, MENTORS = 3, 2, 3
REWARDS = (0.1, 1.0)
Planning = Literal["exact", "step-wise"]


@dataclass(frozen=True)
class Apprenticeship:
    """All lives in one random class.

    Attributes:
        seed: draws the class, the truth and the mentors.
        beta: β.
        planner: how the agent plans.
        models: models in the class, beside their twins.
        share: prior probability that the twins have together; 0 if there are none.
        discount: γ.
        horizon: rewards that every value looks ahead.
        noise: mean of Z.
        steps: steps a life.
        lives: lives.
    """

    seed: int
    beta: float
    planner: Planning
    models: int
    share: float
    discount: float
    horizon: int
    noise: float
    steps: int
    lives: int


def make_class(cell: Apprenticeship) -> tuple[ModelClass, MentorClass, int]:
    """Return a random class, mentors of whom the first is the true one, and the index of the truth."""
    rng = np.random.default_rng(cell.seed)
    drawn = [
        TabularModel(
            rng.dirichlet(np.full(STATES, 0.5), (STATES, ACTIONS)),
            rng.dirichlet(np.full(len(REWARDS), 0.5), (STATES, ACTIONS)),
            reward_values=REWARDS,
        )
        for _ in range(cell.models)
    ]
    mentors, truth = random_mentors(rng, MENTORS, STATES, ACTIONS), int(rng.integers(cell.models))
    if not cell.share:
        return ModelClass(drawn), mentors, truth
    event = tempting_event(drawn[truth], cell.discount, cell.horizon)
    return twins(ModelClass(drawn), [event], cell.share), seldom(mentors, event), truth


def live_all(cell: Apprenticeship) -> list[Life]:
    """Return all lives of a cell."""
    models, mentors, truth = make_class(cell)
    world, mentor = true_world(tabular(models)[truth]), true_mentor(mentors)
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
            stream=EndlessStream(seed, AGENT_SLOT),
        )
        found.append(live(agent, world, mentor, cell.steps, seed))
    return found


def advantages(cell: Apprenticeship) -> Floats:
    """Return [T, S, A], what an action is truly worth more than what the mentor does, by rewards left, less one.

    Normalised, the mentor followed afterwards: ``Q_t(s, a) − V_t(s)`` with t rewards left.
    """
    models, mentors, truth = make_class(cell)
    model, mentor = tabular(models)[truth], true_mentor(mentors)
    found, values = [], np.zeros(len(model.rewards))
    for _ in range(cell.horizon):
        ahead = (model.rows @ values).reshape(model.rewards.shape)
        action_values = (1 - cell.discount) * model.rewards + cell.discount * ahead
        values = (mentor.policy * action_values).sum(axis=1)
        found.append(action_values - values[:, None])
    return np.array(found)


def best_above_mentor(cell: Apprenticeship) -> Floats:
    """Return [S], what the best policy is truly worth more than the mentor from each state."""
    models, mentors, truth = make_class(cell)
    model, mentor = tabular(models)[truth], true_mentor(mentors)
    best, _ = best_policy(model, cell.discount, cell.horizon)
    above: Floats = best - policy_values(model, mentor.policy, cell.discount, cell.horizon)
    return above


def true_mentor(mentors: MentorClass) -> TabularMentor:
    """Return the first mentor."""
    first = mentors.mentors[0]
    if not isinstance(first, TabularMentor):
        raise TypeError("random mentors are tabular")
    return first


def states_of(life: Life) -> list[int]:
    """Return the states before each step and after the last; a random class starts in state 0."""
    return [0 if seen is None else seen for seen in life.observations]


def above_mentor(life: Life, step: int, advantage: Floats, discount: float) -> float:
    """Return an unbiased estimate of what the agent is worth more than its mentor from a step of a life on.

    The discounted sum of the advantages of what the agent did, and 0 where the mentor acted: its mean is the difference
    of the two values (performance difference, Kakade and Langford 2002, for a finite horizon). Chance in rewards,
    transitions and the mentor's choices is left out of it, which would only blur the difference of what is collected.

    Args:
        life: at least as many steps after ``step`` as the horizon.
        step: from where.
        advantage: [T, S, A], as `advantages` has it.
        discount: γ.
    """
    horizon, states = len(advantage), states_of(life)
    return sum(
        discount**ahead * float(advantage[horizon - 1 - ahead, states[step + ahead], life.actions[step + ahead]])
        for ahead in range(horizon)
        if not life.queries[step + ahead]
    )


def extremes(advantage: Floats, discount: float) -> tuple[float, float]:
    """Return what `above_mentor` can be at least and at most."""
    weights = discount ** np.arange(len(advantage))
    least, most = advantage[::-1].min(axis=(1, 2)), advantage[::-1].max(axis=(1, 2))
    return float(np.minimum(least, 0) @ weights), float(np.maximum(most, 0) @ weights)
