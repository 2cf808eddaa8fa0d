"""A task whose optimum is known, as learners of the benchmark get it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

import considerate
from considerate.craftworld import TASKS, Task, task
from considerate.exact.solutions import Solution
from considerate.zoo.tasks import TaskEnv
from considerate.zoo.vectors import TaskVector
from scenarios.consideration.known_answers.families import GENERATED, make_generated

__all__ = ["KnownTask", "Outcome", "Problem"]

Policy: TypeAlias = Callable[[Any], Any]
"""From an observation to an action."""
Learner: TypeAlias = "Callable[[KnownTask, int, int], Policy]"
"""From an environment, a number of steps and a seed to the policy that was learned."""

STEPS, SLACK = 200, 5
"""The limit of an episode, and how many times as long as the exact solution it is at least."""
RECORDS = 4
"""How often a learner is judged in a training, at equal distances."""


@dataclass(frozen=True)
class Outcome:
    """What a policy gets.

    Attributes:
        returns: everyone's own return, by agent; those who come later have 0 if the acting agent never left.
        augmented: the augmented return.
        ended: whether the acting agent finished before the limit.
        actions: by index.
    """

    returns: dict[str, Any]
    augmented: Any
    ended: bool
    actions: tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """A task, a criterion and a caring coefficient.

    Args:
        task: by name.
        criterion: by name.
        alpha: α₂.
    """

    task: str
    criterion: str
    alpha: Fraction

    @property
    def solution(self) -> Solution:
        """The exact solution, computed once."""
        return _solve(self)

    @property
    def limit(self) -> int:
        """The limit of an episode."""
        return max(STEPS, SLACK * len(self.solution.actions))

    def environment(self, observations: str = "one-hot", alpha: Fraction | None = None) -> TaskEnv:
        """Make the environment; `alpha` is the coefficient if it is another one."""
        coefficient = self.alpha if alpha is None else alpha
        return TaskEnv(
            find_task(self.task),
            self.criterion,
            coefficient,
            steps=self.limit,
            observations=observations,  # type: ignore[arg-type]  # checked there
        )

    def play(self, policy: Policy) -> Outcome:
        """Play an episode, exactly where it ends."""
        env = self.environment()
        observation, _ = env.reset(seed=0)
        states, actions, total, over = [env.problem.start], list[int](), 0.0, False
        while not over:
            actions.append(int(np.asarray(policy(observation)).item()))
            observation, reward, terminated, truncated, _ = env.step(np.int64(actions[-1]))
            states.append(int(env.state or 0))
            total, over = total + reward, terminated or truncated
        if not env.graph.terminal[states[-1]]:
            return Outcome(env.totals(), total, False, tuple(actions))
        behavior = env.problem.behavior_of(states, actions)
        return Outcome(behavior.returns, behavior.own_return + behavior.term, True, tuple(actions))

    def replay(self, actions: str) -> Outcome:
        """Play the actions of an episode that ended, as results have them."""
        remaining = map(int, actions.split())
        return self.play(lambda observation: next(remaining))

    def regret(self, outcome: Outcome) -> Any:
        """How much less than the optimum an outcome is worth: 0 is exact."""
        return self.solution.objective - outcome.augmented


class KnownTask(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The environment that a learner gets: a `TaskEnv` with one-hot observations, which counts its steps.

    Args:
        problem: what policies are judged by.
        steps: how many steps the learner should take.
        alpha: the coefficient that the learner is paid by, if it is not that of the problem.
    """

    def __init__(self, problem: Problem, steps: int, alpha: Fraction | None = None) -> None:
        super().__init__(problem.environment(alpha=alpha))
        self.problem, self.steps, self._alpha = problem, steps, alpha
        self.taken, self.regrets = 0, list[Any]()

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act."""
        self.taken += 1
        return super().step(action)

    def vector(self, num_envs: int, autoreset_mode: AutoresetMode | str = "SameStep") -> "CountedVector":
        """Make many copies that are stepped together (`considerate.zoo.vectors.TaskVector`)."""
        return CountedVector(
            self,
            task=find_task(self.problem.task),
            num_envs=num_envs,
            autoreset_mode=autoreset_mode,
            criterion=self.problem.criterion,
            caring=self.problem.alpha if self._alpha is None else self._alpha,
            steps=self.problem.limit,
            observations="one-hot",
        )

    def record(self, policy: Policy) -> None:
        """Judge what has been learned so far, each time a part of the steps is over; learners may call this often."""
        while len(self.regrets) < RECORDS - 1 and self.taken * RECORDS >= self.steps * (len(self.regrets) + 1):
            self.regrets.append(self.problem.regret(self.problem.play(policy)))


class CountedVector(TaskVector):
    """Copies of a task whose steps are counted."""

    def __init__(self, known: KnownTask, **settings: Any) -> None:
        super().__init__(**settings)
        self.known = known

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act in every row."""
        self.known.taken += self.num_envs
        return super().step(actions)


def find_task(name: str) -> Task:
    """Return a task by its name, of the papers, of the families, or registered."""
    return make_generated(name) if name in GENERATED and name not in TASKS else task(name)


@cache
def _solve(problem: Problem) -> Solution:
    return considerate.solve(find_task(problem.task), problem.criterion, problem.alpha)
