"""A planner whose model class can say "the reward depends on what I would do at another observation".

For each observation o the class holds one model in which the reward depends on the action alone, and for every other
observation o′ one in which it depends on the action and on the action that the agent would take at o′ now. Each model
has a table of reward probabilities with Dirichlet(½) priors. The posterior is exact: marginal likelihoods are products
of Krichevsky-Trofimov estimates. The plan is one policy for all observations, the one with the largest mean reward over
the observations seen so far; in such a class the choice at one observation changes what another one is worth.
"""

from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from multislot.agent import Agent
from multislot.errors import UnknownNameError
from multislot.stream import Stream

Rule = Literal["bayes", "most likely", "thompson", "pessimist"]
Models = Literal["plain", "self", "shuffled"]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

EXPLORING = 0.05
PLAIN_PRIOR = 0.9
"""Prior weight of the model without self-reference; the others share the rest."""
PRIOR_COUNT = 0.5
BETA = 0.9
MOST_POLICIES = 256
SIGNS = np.array([-1.0, 0.0, 1.0])


class SelfModeller(Agent):
    """Learns which models of the reward hold, and plans its whole policy with them.

    Rewards are seen by their sign. It explores with probability 1/20.

    Args:
        n_observations: observations are indices below it.
        n_actions: actions are indices below it.
        stream: what it draws from.
        models: ``"plain"``: rewards depend on the action alone; ``"self"``: also on what one would do elsewhere;
            ``"shuffled"``: the same class, but what it takes for its own action elsewhere is drawn at random.
        rule: ``"bayes"`` weighs models by their posterior, ``"most likely"`` takes the best one of each observation,
            ``"thompson"`` draws one, ``"pessimist"`` the worst of the top models of posterior weight over 0.9.

    Raises:
        UnknownNameError: there are no such models, or no such rule.
    """

    def __init__(
        self, n_observations: int, n_actions: int, stream: Stream, models: Models = "self", rule: Rule = "bayes"
    ) -> None:
        for kind, name, known in (("models", models, get_args(Models)), ("rule", rule, get_args(Rule))):
            if name not in known:
                raise UnknownNameError(kind, name, known)
        self.n_actions, self.stream, self.models, self.rule = n_actions, stream, models, rule
        shape = (n_observations, 1 + n_observations, n_actions, n_actions, len(SIGNS))
        self.counts = np.full(shape, PRIOR_COUNT)
        self.log_weights = np.full(shape[:2], np.log((1.0 - PLAIN_PRIOR) / max(n_observations - 1, 1)))
        self.log_weights[:, 0] = np.log(PLAIN_PRIOR)
        self.log_weights[np.arange(n_observations), 1 + np.arange(n_observations)] = -np.inf
        if models == "plain":
            self.log_weights[:, 1:] = -np.inf
        self.visits = np.zeros(n_observations)
        self.policy = np.zeros(n_observations, dtype=np.int64)
        self.learned = 0

    def drawn(self, place: int) -> float:
        """Return a number of this learning step: two an observation, and then others."""
        return self.stream.at((2 + 4 * len(self.policy)) * self.learned + place)

    def act(self, observation: int) -> int:
        """Return the planned action, or one at random."""
        if self.drawn(2 * observation) < EXPLORING:
            return int(self.drawn(2 * observation + 1) * self.n_actions)
        return int(self.policy[observation])

    def elsewhere(self) -> list[int]:
        """Return what it would do now at every observation, or what the shuffled class takes for that."""
        observations = range(len(self.policy))
        if self.models != "shuffled":
            return [self.act(observation) for observation in observations]
        return [int(self.drawn(3 * len(self.policy) + place) * self.n_actions) for place in observations]

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Update the posterior at this observation, and plan."""
        others = np.array([0, *self.elsewhere()])
        cells = self.counts[observation, np.arange(len(others)), action, others]
        sign = 1 + int(np.sign(reward))
        self.log_weights[observation] += np.log(cells[:, sign] / cells.sum(axis=1))
        self.counts[observation, np.arange(len(others)), action, others, sign] += 1.0
        self.visits[observation] += 1.0
        self.policy = self.planned()
        self.learned += 1

    def weights(self) -> Floats:
        """Return the posterior weight of every model, shape [observations, models]; each row sums to 1."""
        relative = np.exp(self.log_weights - self.log_weights.max(axis=1, keepdims=True))
        weights: Floats = relative / relative.sum(axis=1, keepdims=True)
        return weights

    def planned(self) -> Integers:
        """Return the policy with the largest mean reward over the observations seen; ties to the first."""
        candidates = policies(len(self.policy), self.n_actions)
        if candidates is None:
            candidates = neighbours(self.policy, self.n_actions)
        means = self.counts @ SIGNS / self.counts.sum(axis=-1)
        best: Integers = candidates[np.argmax(self.values(candidates, means, self.weights()))].copy()
        return best

    def values(self, candidates: Integers, means: Floats, weights: Floats) -> Floats:
        """Return what policies are worth, shape [policies], from mean rewards by model and weights."""
        others = np.hstack([np.zeros((len(candidates), 1), dtype=np.int64), candidates])
        models = np.arange(others.shape[1])[None, :]
        total = np.zeros(len(candidates))
        for observation, visits in enumerate(self.visits):
            if visits:
                expected = means[observation][models, candidates[:, observation, None], others]
                total += visits * self.judged(expected, weights[observation])
        return total

    def judged(self, expected: Floats, weights: Floats) -> Floats:
        """Return what the rule makes of the rewards that models expect, shape [policies, models] to [policies]."""
        if self.rule == "pessimist":
            order = np.argsort(-weights, kind="stable")
            worst: Floats = expected[:, order[: 1 + int(np.sum(np.cumsum(weights[order]) <= BETA))]].min(axis=1)
            return worst
        if self.rule == "most likely":
            weights = np.eye(len(weights))[np.argmax(weights)]
        elif self.rule == "thompson":
            place = np.searchsorted(np.cumsum(weights), self.drawn(2 * len(self.policy)))
            weights = np.eye(len(weights))[min(int(place), len(weights) - 1)]
        mean: Floats = expected @ weights
        return mean


@lru_cache
def policies(n_observations: int, n_actions: int) -> Integers | None:
    """Return all policies, shape [policies, observations], or None if there are too many."""
    if n_actions**n_observations > MOST_POLICIES:
        return None
    grid = np.indices((n_actions,) * n_observations)
    return grid.reshape(n_observations, -1).T.astype(np.int64)


def neighbours(policy: Integers, n_actions: int) -> Integers:
    """Return a policy and all that differ from it at one observation."""
    found = np.repeat(policy[None, :], 1 + len(policy) * n_actions, axis=0)
    for place in range(len(policy)):
        found[1 + place * n_actions : 1 + (place + 1) * n_actions, place] = np.arange(n_actions)
    return found
