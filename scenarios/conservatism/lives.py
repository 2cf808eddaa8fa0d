"""What the scenarios of this family share: random classes, and lives of an agent with its mentor."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from multislot.bayes import Decision, MentorClass, ModelClass, TabularMentor, TabularModel
from multislot.stream import EndlessStream

WORLD, AGENT = 0, 1
NUDGE = 0.05
REWARDS = (0.1, 0.4, 0.7, 1.0)


class Living(Protocol):
    """Any agent that is asked to decide and told what was done."""

    def decide(self) -> Decision:
        """Returns the decision of this step."""

    def observe(self, action: int, percept: tuple[int, float], by_mentor: bool = False) -> None:
        """Learns one step."""


@dataclass
class Life:
    """What happened in a life.

    Attributes:
        states: before each step, and what the last one led to.
        actions: done at each step, by whomever.
        rewards: of each step.
        queries: whether the mentor acted.
    """

    states: list[int]
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    queries: list[bool] = field(default_factory=list)


class Truth:
    """A tabular model as the world that is lived in; its laws are kept.

    Args:
        model: the truth.
    """

    def __init__(self, model: TabularModel) -> None:
        self.model = model
        self._laws: dict[tuple[int, int], tuple[list[tuple[int, float]], list[float]]] = {}

    def percept(self, state: int, action: int, chance: float) -> tuple[int, float]:
        """Returns what follows an action; ``chance`` in [0, 1) draws it."""
        if (state, action) not in self._laws:
            law = self.model.law(state, action)
            self._laws[state, action] = list(law), list(accumulate(law.values()))
        percepts, total = self._laws[state, action]
        return percepts[min(bisect_right(total, chance * total[-1]), len(percepts) - 1)]


def live(
    agent: Living,
    truth: Truth,
    mentor: TabularMentor,
    steps: int,
    seed: int,
    watch: Callable[[Any], None] | None = None,
) -> Life:
    """Lets an agent live with its mentor.

    Args:
        agent: fresh.
        truth: the world.
        mentor: who acts when the agent defers.
        steps: number of steps.
        seed: of the world and of the mentor.
        watch: is shown the agent after every step.
    """
    life, stream = Life([truth.model.start]), EndlessStream(seed, WORLD)
    for step in range(steps):
        state = life.states[-1]
        decided = agent.decide().action
        by_mentor = decided is None
        action = mentor.choose(state, stream.at(2 * step)) if decided is None else decided
        percept = truth.percept(state, action, stream.at(2 * step + 1))
        life.states.append(percept[0])
        life.actions.append(action)
        life.rewards.append(percept[1])
        life.queries.append(by_mentor)
        agent.observe(action, percept, by_mentor)
        if watch is not None:
            watch(agent)
    return life


def random_class(
    rng: np.random.Generator, models: int, states: int, actions: int, concentration: float = 0.5
) -> ModelClass:
    """Returns a class of random models that share rewards of at least 0.1, with a random prior.

    Args:
        rng: draws it.
        models: number of models.
        states: number of states.
        actions: number of actions.
        concentration: of the Dirichlet distributions that transitions are drawn from; small is nearly deterministic.
    """
    weights = rng.dirichlet(np.full(models, 5.0))
    drawn = [
        TabularModel(
            rng.dirichlet(np.full(states, concentration), (states, actions)),
            rng.dirichlet(np.full(len(REWARDS), concentration), (states, actions)),
            reward_values=REWARDS,
        )
        for _ in range(models)
    ]
    return ModelClass(drawn, weights)


def tabular(models: ModelClass) -> list[TabularModel]:
    """Returns the tabular models of a class."""
    return [model for model in models.models if isinstance(model, TabularModel)]


def random_mentors(rng: np.random.Generator, mentors: int, states: int, actions: int) -> MentorClass:
    """Returns a class of random policies, each action in each of them with some probability."""
    policies = 0.97 * rng.dirichlet(np.full(actions, 0.5), (mentors, states)) + 0.03 / actions
    return MentorClass([TabularMentor(policy) for policy in policies])


def tempting_event(model: TabularModel, discount: float, horizon: int) -> tuple[int, int]:
    """Returns the start of a model with its best action there: what an agent that knew the model would do first."""
    plan = model.as_mdp().solve(discount=discount, horizon=horizon)
    return model.start, int(plan.policy[model.start])


def seldom(mentors: MentorClass, event: tuple[int, int]) -> MentorClass:
    """Returns mentors who cause an event with probability 0.05 in its state, on the states of a class with twins."""
    policies = [mentor.policy.copy() for mentor in mentors.mentors if isinstance(mentor, TabularMentor)]
    for policy in policies:
        policy[event] = 0.0
        policy[event[0]] *= (1 - NUDGE) / policy[event[0]].sum()
        policy[event] = NUDGE
    return MentorClass([TabularMentor(np.tile(policy, (2, 1))) for policy in policies])
