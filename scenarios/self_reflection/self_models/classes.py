"""The same classes of models as world-models, for the agents of `multislot.bayes`.

What would be done at another observation is part of what is done. So an action of these models is a whole policy, and a
percept is the observation at which it was used, with the reward. One model says for each observation which other one
the reward there looks at. With n observations there are n^n of them, and as many policies as `policies` lists.

`SelfModeller` keeps a posterior for each observation apart, which is the same, since the prior and the likelihoods are
products. The pessimists must agree where the top set is the most likely model (β = 0) and where it is the whole class;
in between the top set of all observations together is not made of one top set for each.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import cast

import numpy as np

from extenv.battery import make
from multislot import bayes
from multislot.bayes.agents import ClassAgent
from multislot.bayes.models import History, HistoryModel, PerceptKey
from multislot.bayes.pessimistic import PessimisticDecision
from multislot.bayes.planning import find_first_best
from multislot.engine.stream import Stream
from multislot.errors import TooLargeError
from scenarios.self_reflection.measuring import begin
from scenarios.self_reflection.self_models.agent import (
    BETA,
    PLAIN_PRIOR,
    PRIOR_COUNT,
    SIGNS,
    Rule,
    SelfModeller,
    policies,
)

NEVER_SEEN = 1e-6
"""What counts as a visit before the first one, since what has probability 0 cannot be learned from."""
PAYS = ((SIGNS + 1.0) / 2.0).tolist()
"""Rewards of a world-model lie in [0, 1]."""

LIBRARY: dict[Rule, type[ClassAgent]] = {
    "bayes": bayes.BayesAgent,
    "most likely": bayes.MostLikelyAgent,
    "thompson": bayes.ThompsonAgent,
    "pessimist": bayes.PessimisticAgent,
}
"""The library's agent of each rule."""


class FixedStream(Stream):
    """A stream that always gives the number that was set last."""

    number = 0.5

    def at(self, index: int) -> float:
        return self.number


class PolicyModel(HistoryModel):
    """A model of what a policy earns at each observation, with a table of Dirichlet(½) priors.

    Args:
        rows: the policies, each after a 0, as `policies` has them; an action is the index of one.
        looks: [observations], 0 where the reward depends on the action alone, 1 + o′ where also on the action at o′.
    """

    def __init__(self, rows: list[list[int]], looks: tuple[int, ...]) -> None:
        super().__init__(self.predict, len(rows))
        self.rows, self.looks = rows, looks

    def predict(self, history: History, action: int) -> Mapping[PerceptKey, float]:
        """The probability of every (observation, reward): observations come as often as they did."""
        counts = Counter((*self.cell(seen, done), pays) for done, (seen, pays) in history)
        visits = Counter(seen for _, (seen, _) in history)
        law = {}
        for seen in range(len(self.looks)):
            share = (NEVER_SEEN + visits[seen]) / sum(NEVER_SEEN + visits[other] for other in range(len(self.looks)))
            cells = [counts[(*self.cell(seen, action), pays)] + PRIOR_COUNT for pays in PAYS]
            law.update({(seen, pays): share * n / sum(cells) for pays, n in zip(PAYS, cells, strict=True)})
        return law

    def cell(self, seen: int, action: int) -> tuple[int, int, int]:
        """The row of the table: the observation, the action there, and the action that the reward looks at."""
        policy = self.rows[action]
        return seen, policy[1 + seen], policy[self.looks[seen]]


def policy_models(n_observations: int, n_actions: int, selfish: bool = True) -> bayes.ModelClass:
    """The class of all such models; without self-reference it is one model.

    Raises:
        TooLargeError: there are too many policies.
    """
    listed = policies(n_observations, n_actions)
    if listed is None:
        raise TooLargeError(f"{n_actions} actions at {n_observations} observations make too many policies to be listed")
    rows: list[list[int]] = listed.tolist()
    other = (1.0 - PLAIN_PRIOR) / max(n_observations - 1, 1)
    choices = [
        [(0, PLAIN_PRIOR), *((1 + place, other) for place in range(n_observations) if place != seen)]
        if selfish and n_observations > 1
        else [(0, 1.0)]
        for seen in range(n_observations)
    ]
    weighed = [
        (tuple(look for look, _ in choice), float(np.prod([weight for _, weight in choice])))
        for choice in product(*choices)
    ]
    return bayes.ModelClass([PolicyModel(rows, looks) for looks, _ in weighed], [weight for _, weight in weighed])


def library_agent(rule: Rule, models: bayes.ModelClass, n_observations: int, beta: float, stream: Stream) -> ClassAgent:
    """The library's agent of a rule; the pessimist's mentor is as likely to do anything."""
    if rule != "pessimist":
        return LIBRARY[rule](models, 0.0, 1, stream=stream, n_inner=n_observations)
    n_actions = models.models[0].n_actions
    mentors = bayes.MentorClass([bayes.TabularMentor(np.full((n_observations, n_actions), 1 / n_actions))])
    return bayes.PessimisticAgent(models, mentors, beta, 0.0, 1, stream=stream, n_inner=n_observations)


def number_of(agent: SelfModeller, models: bayes.ModelClass) -> float:
    """A number in [0, 1) by which the library draws the models that the planner drew when it planned last."""
    drawn = [agent.draw_model(seen, agent.learned - 1) for seen in range(len(agent.policy))]
    weights = [agent.weights(seen) for seen in range(len(agent.policy))]
    below = 0.0
    for model in models.models:
        looks = cast("PolicyModel", model).looks
        weight = float(np.prod([each[look] for each, look in zip(weights, looks, strict=True)]))
        if list(looks) == drawn:
            return below + weight / 2
        below += weight
    return 0.5  # a class without self-reference has only one model


def unlike_the_library(
    environment: str, rule: Rule, steps: int, seed: int, selfish: bool = True, beta: float = BETA
) -> int:
    """Count the steps after which a `SelfModeller` plans another policy than the library's agent, from the same turns.

    Args:
        environment: where the `SelfModeller` lives; with few observations.
        rule: one of `LIBRARY`.
        steps: how long.
        seed: of the run.
        selfish: whether the library's agent has the models with self-reference, too.
        beta: β of the pessimists.
    """
    world = make(environment)
    agent, observation = begin(world, partial(SelfModeller, rule=rule, beta=beta), seed)
    assert isinstance(agent, SelfModeller)  # so made
    models, stream = policy_models(world.n_observations, world.n_actions, selfish), FixedStream()
    beside = library_agent(rule, models, world.n_observations, beta, stream)
    rows = cast("PolicyModel", models.models[0]).rows
    differing = 0
    for _ in range(steps):
        action, whole = agent.act(observation), agent.elsewhere()
        reward, following = world.step(action)
        agent.learn(observation, action, reward, following)
        stream.number = number_of(agent, models)
        beside.observe(rows.index([0, *whole]), (observation, PAYS[1 + int(np.sign(reward))]))
        differing += rows[plan_of(beside)] != [0, *agent.policy]
        observation = following
    return differing


def plan_of(agent: ClassAgent) -> int:
    """The policy that an agent plans, even if a pessimist defers; ties go to the first in order."""
    if not isinstance(agent, bayes.PessimisticAgent):
        return agent.decide().action or 0
    decision = cast("PessimisticDecision", agent.decide())
    first = agent.plan(decision.top_set)
    return find_first_best(first.action_values, agent.discount, agent.horizon)
