"""The same classes of models as world-models, for the agents of `multislot.bayes`.

What would be done at another observation is part of what is done. So an action of these models is a whole policy, and a
percept is the observation at which it was used, with the reward. One model says for each observation which other one
the reward there looks at. With n observations there are n^n of them, and as many policies as `policies` counts: the
agents of `multislot.bayes` decide with two observations in milliseconds, with six not at all. `SelfModeller` keeps a
posterior for each observation apart, which is the same, since the prior and the likelihoods are products.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product

import numpy as np

from extenv.battery import make
from multislot.bayes import BayesAgent, ModelClass, MostLikelyAgent
from multislot.bayes.models import PerceptKey
from multislot.errors import TooLargeError
from scenarios.self_reflection.measuring import begun
from scenarios.self_reflection.self_models.agent import (
    PLAIN_PRIOR,
    PRIOR_COUNT,
    SIGNS,
    Rule,
    SelfModeller,
    policies,
)

Counts = tuple[tuple[tuple[int, int, int, int], int], ...]
"""How often each (observation, action there, action looked at, sign of the reward) was seen, those that were."""
NEVER_SEEN = 1e-6
"""What counts as a visit before the first one, since what has probability 0 cannot be learned from."""
PAYS = ((SIGNS + 1.0) / 2.0).tolist()
"""Rewards of a world-model lie in [0, 1]."""

LIBRARY: dict[Rule, type[BayesAgent] | type[MostLikelyAgent]] = {"bayes": BayesAgent, "most likely": MostLikelyAgent}
"""Rules that draw nothing and that the library has."""


class PolicyModel:
    """A model of what a policy earns at each observation, with a table of Dirichlet(½) priors.

    Args:
        rows: the policies, each after a 0, as `policies` has them; an action is the index of one.
        looks: [observations], 0 where the reward depends on the action alone, 1 + o′ where also on the action at o′.
    """

    def __init__(self, rows: list[list[int]], looks: tuple[int, ...]) -> None:
        self.rows, self.looks = rows, looks
        self.n_actions = len(rows)

    def begin(self) -> Counts:
        """Return no counts."""
        return ()

    def law(self, summary: Counts, action: int) -> Mapping[PerceptKey, float]:
        """Return the probability of every (observation, reward): observations come as often as they did."""
        known = dict(summary)
        visits = [NEVER_SEEN + sum(n for cell, n in summary if cell[0] == seen) for seen in range(len(self.looks))]
        law = {}
        for seen, often in enumerate(visits):
            cells = [known.get((*self.cell(seen, action), sign), 0) + PRIOR_COUNT for sign in range(len(PAYS))]
            share = often / sum(visits)
            law.update({(seen, pays): share * n / sum(cells) for pays, n in zip(PAYS, cells, strict=True)})
        return law

    def after(self, summary: Counts, action: int, percept: PerceptKey) -> Counts:
        """Return the counts with one more."""
        seen, pays = percept
        cell = (*self.cell(seen, action), PAYS.index(pays))
        known = dict(summary)
        known[cell] = known.get(cell, 0) + 1
        return tuple(sorted(known.items()))

    def cell(self, seen: int, action: int) -> tuple[int, int, int]:
        """Return the row of the table: the observation, the action there, and the action that the reward looks at."""
        policy = self.rows[action]
        return seen, policy[1 + seen], policy[self.looks[seen]]


def every_policy(n_observations: int, n_actions: int) -> list[list[int]]:
    """Return all policies, each after a 0.

    Raises:
        TooLargeError: there are too many.
    """
    found = policies(n_observations, n_actions)
    if found is None:
        raise TooLargeError(f"{n_actions} actions at {n_observations} observations make too many policies to be listed")
    rows: list[list[int]] = found.tolist()
    return rows


def policy_models(n_observations: int, n_actions: int, selfish: bool = True) -> ModelClass:
    """Return the class of all such models; without self-reference it is one model."""
    rows = every_policy(n_observations, n_actions)
    other = (1.0 - PLAIN_PRIOR) / max(n_observations - 1, 1)
    choices = [
        [(0, PLAIN_PRIOR), *((1 + place, other) for place in range(n_observations) if place != seen)]
        if selfish and n_observations > 1
        else [(0, 1.0)]
        for seen in range(n_observations)
    ]
    made = [
        (tuple(look for look, _ in one), float(np.prod([weight for _, weight in one]))) for one in product(*choices)
    ]
    return ModelClass([PolicyModel(rows, looks) for looks, _ in made], [weight for _, weight in made])


def unlike_the_library(environment: str, rule: Rule, steps: int, seed: int, selfish: bool = True) -> int:
    """Return after how many steps a `SelfModeller` plans another policy than the library's agent, told the same.

    Args:
        environment: where the `SelfModeller` lives; with few observations.
        rule: one of `LIBRARY`.
        steps: how long.
        seed: of the run.
        selfish: whether the library's agent has the models that speak of oneself, too.
    """
    world = make(environment)
    agent, observation = begun(world, partial(SelfModeller, rule=rule), seed)
    assert isinstance(agent, SelfModeller)  # so made
    known = policy_models(world.n_observations, world.n_actions, selfish)
    beside = LIBRARY[rule](known, 0.0, 1, n_inner=world.n_observations)
    rows = every_policy(world.n_observations, world.n_actions)
    differing = 0
    for _ in range(steps):
        action, whole = agent.act(observation), agent.elsewhere()
        reward, following = world.step(action)
        agent.learn(observation, action, reward, following)
        beside.observe(rows.index([0, *whole]), (observation, PAYS[1 + int(np.sign(reward))]))
        differing += rows[beside.decide().action or 0] != [0, *agent.policy]
        observation = following
    return differing
