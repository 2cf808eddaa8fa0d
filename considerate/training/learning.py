"""Learned solutions: Q-learning with the paper's schedule, to compare with the exact ones.

The other agents' policies are learned first, each separately, with their own budget (appendix C of Alizadeh Alamdari et
al. 2021; `SCHEDULES` holds Table 2). `considerate.craftworld.arrays` lists what the paper leaves open.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from considerate.craftworld.definition import Task, Visitor
from considerate.criteria import Criterion
from considerate.exact.problem import Caring, Problem, augmented, known_futures
from considerate.exact.solutions import Solution, solution_of
from multislot.checks import checked_instance, checked_seed, known_name, number, share, whole
from multislot.engine.stream import EndlessStream
from multislot.mdp.chains import Floats

MOST_CARING = 1e12
"""The largest absolute value of a coefficient for which floats are exact enough."""


@dataclass(frozen=True)
class Schedule:
    """How long to learn and how much to explore.

    Args:
        steps: steps of the acting agent.
        epsilon: chance of exploring.
        others_steps: steps of all other agents together, learned first; None if they are not learned.
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
"""For the kitchens, which are not in Table 2: the budget of the authors' later experiments."""


def published_schedule(task: Task) -> Schedule:
    """Look up the published schedule of a task; raise UnknownNameError if it has no schedule."""
    if task.name.startswith("kitchen-"):
        return KITCHEN
    known_name("schedule", task.name, SCHEDULES)
    return SCHEDULES[task.name]


@dataclass(frozen=True)
class Learned:
    """The result of Q-learning.

    Attributes:
        values: [S, A], learned action values of the task's states.
        solution: the greedy behavior, with its true returns; None if it never ends.
    """

    values: Floats
    solution: Solution | None


def learn(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    caring: Caring = 1,
    *,
    seed: int,
    schedule: Schedule | None = None,
) -> Learned:
    """Learn the acting agent's behavior; the others' value functions are learned first if the schedule says so.

    Args:
        task: the acting agent's task.
        criterion: as for `considerate.solve`.
        caring: as for `considerate.solve`.
        seed: of all random numbers.
        schedule: how long to learn; by default the published schedule of the task.

    Raises:
        NeverEndingError: the task cannot be finished.
    """
    seed = checked_seed(seed)
    for strength in caring.values() if isinstance(caring, Mapping) else (caring,):
        number("caring", strength, -MOST_CARING, MOST_CARING)
    reward = augmented(task, criterion, caring)
    if schedule is None:
        schedule = published_schedule(task)
    checked_instance("schedule", schedule, Schedule, "None means the published one")
    futures: Mapping[Any, Any] = reward.others.futures
    if schedule.others_steps is not None:
        visitors = [other.name for other in task.others if isinstance(other, Visitor)]
        steps = schedule.others_steps // max(len(visitors), 1)  # the budget is split evenly
        learned = {name: task.futures_of(name, steps=steps, epsilon=schedule.epsilon, seed=seed) for name in visitors}
        futures = known_futures(task, reward.criterion, task.acting.name in futures, learned)
    problem = Problem(task, augmented(task, criterion, caring, futures=futures))
    process = problem.process()
    values = task.graph.learn_values(
        process.rewards, task.graph.starts, schedule.steps, schedule.epsilon, EndlessStream(seed, 1)
    )
    path = task.graph.follow(values.argmax(axis=1), problem.start)
    return Learned(values, None if path is None else solution_of(Problem(task, reward), *path))
