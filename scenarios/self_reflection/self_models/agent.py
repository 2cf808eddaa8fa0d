"""A planner whose model class can say "the reward depends on what I would do at another observation".

For each observation o the class holds one model in which the reward depends on the action alone, and for every other
observation o′ one in which it depends on the action and on the action that the agent would take at o′ now. Each model
has a table of reward probabilities with Dirichlet(½) priors. The posterior is exact: marginal likelihoods are products
of Krichevsky-Trofimov estimates. The plan is one policy for all observations, the one with the largest mean reward over
the observations seen so far; in such a class the choice at one observation changes what another one is worth. A step
changes what is believed at one observation only: its part of a plan's worth is computed again, the others are kept.
"""

from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from multislot.bayes.models import draw
from multislot.bayes.top_sets import checked_beta, top_set
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream
from multislot.errors import UnknownNameError

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
TIE = 1e-9
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
            ``"thompson"`` draws one for each, ``"pessimist"`` the worst of the top models of posterior weight over β.
        beta: β of the pessimist, in [0, 1).
    """

    def __init__(
        self,
        n_observations: int,
        n_actions: int,
        stream: Stream,
        models: Models = "self",
        rule: Rule = "bayes",
        beta: float = BETA,
    ) -> None:
        for kind, name, known in (("models", models, get_args(Models)), ("rule", rule, get_args(Rule))):
            if name not in known:
                raise UnknownNameError(kind, name, known)
        self.n_actions, self.stream, self.models, self.rule = n_actions, stream, models, rule
        self.beta = checked_beta(beta)
        shape = (n_observations, 1 + n_observations, n_actions, n_actions, len(SIGNS))
        self.counts = np.full(shape, PRIOR_COUNT)
        self.log_weights = np.full(shape[:2], np.log((1.0 - PLAIN_PRIOR) / max(n_observations - 1, 1)))
        self.log_weights[:, 0] = np.log(PLAIN_PRIOR)
        self.log_weights[np.arange(n_observations), 1 + np.arange(n_observations)] = -np.inf
        if models == "plain":
            self.log_weights[:, 1:] = -np.inf
        self.means = self.counts @ SIGNS / self.counts.sum(axis=-1)
        self.visits = np.zeros(n_observations)
        every = policies(n_observations, n_actions)
        self.model_indices = np.arange(1 + n_observations)
        self.worths = np.zeros((n_observations, 0 if every is None else len(every)))
        self.policy = np.zeros(n_observations, dtype=np.int64)
        self.learned = 0

    def draw_number(self, place: int) -> float:
        """A number of this learning step: two an observation, and then others."""
        return self.number(self.learned, place)

    def number(self, step: int, place: int) -> float:
        return self.stream.at((2 + 4 * len(self.policy)) * step + place)

    def act(self, observation: int) -> int:
        if self.draw_number(2 * observation) < EXPLORING:
            return int(self.draw_number(2 * observation + 1) * self.n_actions)
        return int(self.policy[observation])

    def elsewhere(self) -> list[int]:
        """Its present action at every observation, or the random actions that the shuffled class has instead."""
        observations = range(len(self.policy))
        if self.models != "shuffled":
            return [self.act(observation) for observation in observations]
        return [int(self.draw_number(3 * len(self.policy) + place) * self.n_actions) for place in observations]

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        seen = observation, self.model_indices, action, np.array([0, *self.elsewhere()])
        cells, sign = self.counts[seen], 1 + int(np.sign(reward))
        self.log_weights[observation] += np.log(cells[:, sign] / cells.sum(axis=1))
        cells[:, sign] += 1.0
        self.counts[seen], self.means[seen] = cells, cells @ SIGNS / cells.sum(axis=1)
        self.visits[observation] += 1.0
        self.policy = self.plan(observation)
        self.learned += 1

    def weights(self, observation: int) -> Floats:
        """The posterior weight of every model at an observation, shape [models]."""
        relative = np.exp(self.log_weights[observation] - self.log_weights[observation].max())
        weights: Floats = relative / relative.sum()
        return weights

    def plan(self, observation: int) -> Integers:
        """The policy with the largest mean reward over the observations seen; ties, up to rounding, to the first.

        Args:
            observation: the only one at which it has learned since the last plan.
        """
        candidates = policies(len(self.policy), self.n_actions)
        if candidates is None:
            candidates = neighbors(self.policy, self.n_actions)
            worths = np.array([self.worth(candidates, seen) for seen in self.seen_observations()])
        else:
            for seen in self.seen_observations() if self.rule == "thompson" else [observation]:
                self.worths[seen] = self.worth(candidates, seen)
            worths = self.worths
        totals = worths.sum(axis=0)
        best: Integers = candidates[np.argmax(totals >= totals.max() - TIE * self.visits.sum()), 1:]
        return best

    def seen_observations(self) -> list[int]:
        seen: list[int] = np.flatnonzero(self.visits).tolist()
        return seen

    def worth(self, candidates: Integers, observation: int) -> Floats:
        """What candidates earn at an observation, times how often that was seen, shape [candidates]."""
        expected = self.means[observation][self.model_indices, candidates[:, 1 + observation, None], candidates]
        worth: Floats = self.visits[observation] * self.judge(expected, observation)
        return worth

    def judge(self, expected: Floats, observation: int) -> Floats:
        """Combine the rewards that models expect by the rule, shape [policies, models] to [policies]."""
        weights = self.weights(observation)
        if self.rule == "pessimist":
            top = top_set(self.log_weights[observation], weights, self.beta)
            worst: Floats = expected[:, list(top)].min(axis=1)
            return worst
        if self.rule == "most likely":
            weights = np.eye(len(weights))[top_set(self.log_weights[observation], weights, 0.0)[0]]
        elif self.rule == "thompson":
            weights = np.eye(len(weights))[self.draw_model(observation, self.learned)]
        mean: Floats = expected @ weights
        return mean

    def draw_model(self, observation: int, step: int) -> int:
        """The model that is drawn from the present posterior by the number of a learning step."""
        return draw(self.weights(observation), self.number(step, 2 * len(self.policy) + observation))


@lru_cache
def policies(n_observations: int, n_actions: int) -> Integers | None:
    """All policies as `neighbors` does, or None if there are too many."""
    if n_actions**n_observations > MOST_POLICIES:
        return None
    grid = np.indices((1, *(n_actions,) * n_observations))
    return grid.reshape(1 + n_observations, -1).T.astype(np.int64)


def neighbors(policy: Integers, n_actions: int) -> Integers:
    """A policy and all that differ from it at one observation, shape [policies, 1 + observations].

    The first column is 0: what the model without self-reference looks up.
    """
    rows = np.repeat(np.array([[0, *policy]]), 1 + len(policy) * n_actions, axis=0)
    for place in range(len(policy)):
        rows[1 + place * n_actions : 1 + (place + 1) * n_actions, 1 + place] = np.arange(n_actions)
    return rows
