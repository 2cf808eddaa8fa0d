"""Learned solutions: Q-learning with the paper's schedule, to compare with the exact ones.

Appendix C of Alizadeh Alamdari et al. 2021: everything is deterministic, γ = 1, the learning rate is 1, exploration is
ε-greedy, and the other agents' policies are learned first, each for itself, with a budget of their own (`SCHEDULES`
holds Table 2). The paper does not give the initial values. Here they are the most that a last step can pay, which no
true value exceeds where every step costs. Such optimism explores by itself, as the paper's ε = 0 of Table 1 needs.
Episodes are truncated after 1,000 steps, as in the authors' released experiments.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from considerate.craftworld.arrays import Graph
from considerate.craftworld.definition import Task, Visitor, Visits
from considerate.craftworld.rules import State, Things
from considerate.criteria import Criterion, Options, ValuedOptions
from considerate.distributions import Number
from considerate.exact.problem import Caring, Problem, augmented
from considerate.exact.solutions import Solution, solution_of
from considerate.exact.task_futures import LaterReward
from considerate.training.qlearning import q_learning
from multislot.arguments import explains_arguments
from multislot.checks import checked_instance, checked_seed, number, share, whole
from multislot.engine.stream import EndlessStream
from multislot.errors import UnknownNameError
from multislot.mdp.chains import Floats, Integers

EPISODE_LENGTH = 1000
KEPT = 64
MOST_CARING = 1e12
"""How many visitors' learned returns are cached, so that learning for many coefficients learns them once."""


@dataclass(frozen=True)
class Schedule:
    """How long to learn and how much to explore.

    Args:
        steps: steps of the acting agent.
        epsilon: chance of exploring.
        others_steps: steps of all other agents together, learned first; None if they are not learned.

    Raises:
        SettingError: a number is out of its domain.
    """

    steps: int
    epsilon: float
    others_steps: int | None = None

    def __post_init__(self) -> None:
        whole("steps", self.steps)
        if self.others_steps is not None:
            whole("others_steps", self.others_steps)
        share("epsilon", self.epsilon)


SCHEDULES = {
    "box": Schedule(steps=700_000, epsilon=0.5, others_steps=400_000),
    "garden": Schedule(steps=200_000, epsilon=0.2, others_steps=300_000),
    "doll": Schedule(steps=200_000, epsilon=0.2, others_steps=900_000),
    "mail-room": Schedule(steps=200_000, epsilon=0.2),
    "shared-key": Schedule(steps=10_000_000, epsilon=0.0),
}
"""Alizadeh Alamdari et al. 2021, Table 2, for each value of α₂."""

KITCHEN = Schedule(steps=200_000, epsilon=0.2, others_steps=100_000)
"""For the kitchens, which Table 2 does not have: the budget of the authors' later experiments."""


def published_schedule(task: Task) -> Schedule:
    """Return the published schedule of a task; raise UnknownNameError if it has no schedule."""
    if task.name.startswith("kitchen-"):
        return KITCHEN
    if task.name not in SCHEDULES:
        raise UnknownNameError("schedule", task.name, SCHEDULES)
    return SCHEDULES[task.name]


@dataclass(frozen=True)
class Learned:
    """The result of Q-learning.

    Attributes:
        values: [S, A], learned action values of the task's states.
        solution: the greedy behaviour, with its true returns; None if it never ends.
    """

    values: Floats
    solution: Solution | None


@explains_arguments
def learn(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Caring = 1,
    *,
    seed: int,
    schedule: Schedule | None = None,
) -> Learned:
    """Return the acting agent's learned behaviour; the others' are learned first if the schedule says so.

    Args:
        task: the acting agent's task.
        criterion: as for `considerate.solve`.
        caring: as for `considerate.solve`.
        seed: of all random numbers.
        schedule: how long to learn; by default the published schedule of the task.

    Raises:
        SettingError: an argument is out of its domain.
        UnknownNameError: there is no such criterion or agent, or no published schedule.
        NeverEndingError: the task cannot be finished.
    """
    seed = checked_seed(seed)
    for strength in caring.values() if isinstance(caring, Mapping) else (caring,):
        number("caring", strength, most=MOST_CARING)
    reward = augmented(task, criterion, caring)
    if schedule is None:
        schedule = published_schedule(task)
    checked_instance("schedule", schedule, Schedule, "None means the published one")
    futures: dict[Any, Any] = dict(reward.others.futures)
    if schedule.others_steps is not None:
        futures |= learned_futures(task, reward.criterion, schedule, seed)
    problem = Problem(task, augmented(task, criterion, caring, futures=futures))
    process = problem.process()
    own = (task.graph, process.rewards, task.graph.starts)
    values = _learn(*own, schedule.steps, schedule.epsilon, EndlessStream(seed, 1))
    return Learned(values, _greedy(Problem(task, reward), values))


@dataclass(frozen=True)
class LearnedValue:
    """A visitor's return by its learned policy, from what it finds."""

    task: Task
    returns: Mapping[Things, Number]

    def __call__(self, state: State) -> Number:
        """Return its return after the acting agent has stopped in a state."""
        return self.returns[self.task.left(state)]


def learned_values(task: Task, schedule: Schedule, seed: int) -> dict[str, LearnedValue]:
    """Return each visitor's value function by Q-learning, with the budget split evenly between them.

    Episodes start in turn from everything that a visitor may find and from which it can finish.
    """
    visitors = [other for other in task.others if isinstance(other, Visitor)]
    steps = (schedule.others_steps or 0) // max(len(visitors), 1)
    return {
        visitor.name: LearnedValue(task, _learned_returns(task.visits(visitor), steps, schedule.epsilon, seed, founder))
        for founder, visitor in enumerate(visitors, 2)
    }


def learned_futures(task: Task, criterion: Criterion, schedule: Schedule, seed: int) -> dict[str, Any]:
    """Return each visitor's learned value function as the criterion takes it: as it is, a last reward or an option."""
    values = learned_values(task, schedule, seed)
    if criterion.every_step:
        return {name: LaterReward(value) for name, value in values.items()}
    if isinstance(criterion, Options | ValuedOptions):
        options = task.options()
        return {name: replace(options[name], value=value) for name, value in values.items()}
    return dict(values)


@lru_cache(maxsize=KEPT)
def _learned_returns(visits: Visits, steps: int, epsilon: float, seed: int, founder: int) -> Mapping[Things, Number]:
    """Return one visitor's return by its learned policy, by what it finds; cached."""
    starts = np.array([start for found, start in visits.starts.items() if visits.can_end(found)])
    if not len(starts):
        return dict.fromkeys(visits.starts, visits.visitor.impossible)
    values = _learn(visits.graph, -visits.graph.costs, starts, steps, epsilon, EndlessStream(seed, founder))
    returns: dict[Things, Number] = {}
    for found, start in visits.starts.items():
        walk = greedy_walk(visits.graph, values, start)
        paid = 0 if walk is None else sum(visits.graph.exact_costs.exact(*step) for step in walk)
        returns[found] = visits.visitor.impossible if walk is None else -paid
    return returns


def _learn(
    graph: Graph, rewards: Floats, starts: Integers, steps: int, epsilon: float, stream: EndlessStream
) -> Floats:
    """Return [S, A], action values by Q-learning from optimistic initial values."""
    last = rewards[graph.terminal[graph.targets] & ~graph.terminal[:, None]]
    values = q_learning(
        graph.targets.ravel().tolist(),
        rewards.ravel().tolist(),
        graph.terminal.tolist(),
        starts.tolist(),
        len(graph.actions),
        steps,
        EPISODE_LENGTH,
        epsilon,
        1.0,
        1.0,
        float(last.max()),
        stream,
    )
    return np.array(values).reshape(graph.targets.shape)


def greedy_walk(graph: Graph, values: Floats, start: int) -> list[tuple[int, int]] | None:
    """Return (state, action) of each step of the greedy policy until it ends; None if it never does."""
    steps, state, seen = list[tuple[int, int]](), int(start), set[int]()
    while not graph.terminal[state]:
        if state in seen:
            return None
        seen.add(state)
        steps.append((state, int(np.argmax(values[state]))))
        state = int(graph.targets[steps[-1]])
    return steps


def _greedy(problem: Problem, values: Floats) -> Solution | None:
    """Return the greedy behaviour with its true returns."""
    walk = greedy_walk(problem.graph, values, problem.start)
    if walk is None:
        return None
    last = int(problem.graph.targets[walk[-1]])
    return solution_of(problem, [*(state for state, _ in walk), last], [action for _, action in walk])
