"""An agent and its mentor in classes that hold the truth: what results 1 and 2 are about.

Rewards are at least 0.1 and the true mentor is in the mentor class, as both results need. With the exact plan (pure,
over a short horizon) both are promised; with the step-wise lower bound the second is not.

In *random* classes either what happens soon tells the truth from all other models, or every model has a twin that pays
nothing from a tempting event on (`multislot.bayes.twins`): until somebody causes the event nobody knows, and a mentor
causes it seldom. With the *bold mentor* there are two arms: one pays a little, the other pays 1 or leads where nothing
is paid. The second is held for likely, and so only the mentor's example shows how good the other arm is.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from multislot.bayes import (
    BayesAgent,
    Life,
    MentorClass,
    ModelClass,
    MostLikelyAgent,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
    best_policy,
    live,
    policy_values,
    twins,
)
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.arrays import Floats
from multislot.bayes.mentored import AGENT_SLOT
from multislot.bayes.planning import largest_value
from multislot.engine.stream import EndlessStream
from scenarios.conservatism.controls import AlwaysDefers, NeverDefers
from scenarios.conservatism.random_classes import random_mentors, seldom, tabular, tempting_event, true_world

STATES, ACTIONS, MENTORS = 3, 2, 3
REWARDS = (0.1, 1.0)
CLASSES_KEPT = 64
SAFE_PAY, BOLD_PAY, BELIEF_IN_BOLD = 0.5, 1.0, 0.3
SAFE_ARM, BOLD_ARM = 0, 1
Planning = Literal["exact", "step-wise"]
Family = Literal["random", "bold mentor"]
Kind = Literal["pessimistic", "never defers", "always defers", "most likely model", "full mixture"]
CONTROLS: tuple[Kind, ...] = ("never defers", "always defers", "most likely model", "full mixture")


@dataclass(frozen=True)
class Apprenticeship:
    """All lives of one agent in one class; most fields are settings of the scenarios, which describe them.

    `seed` draws the class, the truth and the mentors (there is one class with the bold mentor only); `share` is 0 where
    no model has a twin.
    """

    agent: Kind
    family: Family
    seed: int
    beta: float
    planner: Planning
    models: int
    share: float
    example: float
    discount: float
    horizon: int
    noise: float
    steps: int
    seeds: int


@dataclass(frozen=True, eq=False)
class Situation:
    """A class with its truth and its true mentor, who is the first of its mentors."""

    models: ModelClass
    mentors: MentorClass
    truth: TabularModel
    mentor: TabularMentor


def situation_of(cell: Apprenticeship) -> Situation:
    """Return the class of a cell; cells of one class share it, and with it the plans that have been made."""
    return _situation(replace(cell, agent="pessimistic", beta=0.0, planner="exact", noise=1.0, steps=0, seeds=0))


@lru_cache(maxsize=CLASSES_KEPT)
def _situation(cell: Apprenticeship) -> Situation:
    """Return the class that a cell's family, seed and sizes draw."""
    models, mentors, truth = _bold_class() if cell.family == "bold mentor" else _random_class(cell)
    first = mentors.mentors[0]
    if not isinstance(first, TabularMentor):
        raise TypeError("these mentors are tabular")
    return Situation(models, mentors, tabular(models)[truth], first)


def _random_class(cell: Apprenticeship) -> tuple[ModelClass, MentorClass, int]:
    """Return a random class, its mentors and the index of the truth."""
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
    return twins(ModelClass(drawn), [event], cell.share), seldom(mentors, event, cell.example), truth


def _bold_class() -> tuple[ModelClass, MentorClass, int]:
    """Return the two models of the bold arm, the mentor who takes it, and the index of the one in which it pays."""
    stays = [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]
    falls = [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    pays = TabularModel(stays, [[SAFE_PAY, BOLD_PAY], [0.0, 0.0]])
    ruins = TabularModel(falls, [[SAFE_PAY, 0.0], [0.0, 0.0]])
    bold = TabularMentor([BOLD_ARM, BOLD_ARM], n_actions=2)
    return ModelClass([pays, ruins], [BELIEF_IN_BOLD, 1 - BELIEF_IN_BOLD]), MentorClass([bold]), 0


def lives_of(cell: Apprenticeship) -> list[Life]:
    """Return all lives of a cell."""
    situation = situation_of(cell)
    agent, world = _agent_of(cell, situation), true_world(situation.truth)
    seeds = [cell.seed * 1_000_003 + index for index in range(cell.seeds)]
    return [
        live(agent.fresh(EndlessStream(seed, AGENT_SLOT)), world, situation.mentor, cell.steps, seed) for seed in seeds
    ]


def _agent_of(cell: Apprenticeship, situation: Situation) -> MentoredAgent:
    """Return the agent of a cell."""
    plan = (situation.models, cell.discount, cell.horizon)
    if cell.agent == "always defers":
        return AlwaysDefers(*plan)
    if cell.agent == "most likely model":
        return MostLikelyAgent(*plan)
    if cell.agent == "full mixture":
        return BayesAgent(*plan)
    kind = NeverDefers if cell.agent == "never defers" else PessimisticAgent
    exact = cell.planner == "exact"
    return kind(
        situation.models, situation.mentors, cell.beta, cell.discount, cell.horizon, exact=exact, noise=cell.noise
    )


def advantages(cell: Apprenticeship) -> Floats:
    """Return [T, S, A], what an action is truly worth more than what the mentor does, by rewards left, less one.

    ``Q_t(s, a) − V_t(s)`` with t rewards left, the mentor followed afterwards, as a share of the largest value of all
    T rewards.
    """
    situation = situation_of(cell)
    model, mentor = situation.truth, situation.mentor
    by_rewards_left, values = [], np.zeros(len(model.rewards))
    for _ in range(cell.horizon):
        ahead = (model.rows @ values).reshape(model.rewards.shape)
        action_values = (1 - cell.discount) * model.rewards + cell.discount * ahead
        values = (mentor.policy * action_values).sum(axis=1)
        by_rewards_left.append(action_values - values[:, None])
    return np.array(by_rewards_left) / largest_value(cell.discount, cell.horizon)


def best_above_mentor(cell: Apprenticeship) -> Floats:
    """Return [S], what the best policy is truly worth more than the mentor, as a share of the largest value."""
    situation = situation_of(cell)
    best, _ = best_policy(situation.truth, cell.discount, cell.horizon)
    above = best - policy_values(situation.truth, situation.mentor.policy, cell.discount, cell.horizon)
    scaled: Floats = above / largest_value(cell.discount, cell.horizon)
    return scaled


def states_of(life: Life) -> list[int]:
    """Return the states before each step and after the last; all these classes start in state 0."""
    return [0 if seen is None else seen for seen in life.observations]


def above_mentor(life: Life, step: int, advantage: Floats, discount: float) -> float:
    """Return an unbiased estimate of what the agent is worth more than its mentor from a step of a life on.

    The estimate is the discounted sum of the advantages of what the agent did, and 0 where the mentor acted. Its mean
    is the difference of the two values (performance difference, Kakade and Langford 2002, for a finite horizon).
    Chance in rewards, transitions and the mentor's choices is left out of it; it would only add noise.

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
    """Return the least and the largest value that `above_mentor` can have."""
    weights = discount ** np.arange(len(advantage))
    least, most = advantage[::-1].min(axis=(1, 2)), advantage[::-1].max(axis=(1, 2))
    return float(np.minimum(least, 0) @ weights), float(np.maximum(most, 0) @ weights)
