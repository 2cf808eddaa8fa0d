"""Tasks of Craft-World in Gymnasium, as the acting agent learns them: the problem that `considerate.solve` solves."""

from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from numpy.typing import NDArray

from considerate.craftworld.definition import Task
from considerate.craftworld.drawing import ansi, rgb_array
from considerate.craftworld.files import TASKS, load_task
from considerate.craftworld.files import task as named_task
from considerate.craftworld.grid import WALLS
from considerate.criteria import Criterion
from considerate.distributions import Number
from considerate.exact.problem import Caring, Problem, augmented
from considerate.wrappers import AT_LIMIT, ORIGINAL, warn_of_hidden_limit
from multislot.checks import checked_index, checked_instance, checked_seed, known_name, refusal, whole
from multislot.errors import SettingError, UnknownNameError
from multislot.mdp.chains import Integers

__all__ = ["TaskEnv"]

STEPS = 1000
"""The largest number of steps of an episode of a task, as in the authors' released experiments."""


class Numbers:
    """Observations of states as two numbers: the index of the cell and that of the set of facts."""

    planes: tuple[str, ...] = ()

    def __init__(self, task: Task) -> None:
        self.graph = task.graph
        self.columns = np.stack([self.graph.cell_of, self.graph.things_of], axis=1)
        self.space: gymnasium.Space[Any] = MultiDiscrete([len(self.graph.cells), len(self.graph.things)])

    def look(self, states: Integers) -> NDArray[Any]:
        """Observations of some states, given by their index in the graph, in a new array [M, ...]."""
        return self.columns.take(states, axis=0)

    def look_at(self, state: int) -> NDArray[Any]:
        """The observation of a state."""
        seen: NDArray[Any] = self.look(np.array([state]))[0]
        return seen


class OneHots(Numbers):
    """One-hot vectors. Only the ones are written, since a table of all states could be large."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.columns[:, 1] += len(self.graph.cells)
        self.width = len(self.graph.cells) + len(self.graph.things)
        self.space = Box(0, 1, (self.width,), np.float32)

    def look(self, states: Integers) -> NDArray[Any]:
        """Vectors of some states, in a new array [M, width]."""
        vectors = np.zeros((len(states), self.width), np.float32)
        np.put(vectors, self.places(states), 1)
        return vectors

    def places(self, states: Integers) -> Integers:
        """Where the ones of some states are in such an array, [M, 2]."""
        return self.columns.take(states, axis=0) + np.arange(0, len(states) * self.width, self.width)[:, None]


class Grids(Numbers):
    """Maps. In a vector environment each is drawn when its state is first seen."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        facts = {fact for things in self.graph.things for fact in things.facts}
        names = {name if isinstance(value, tuple) else f"{name}: {value}" for name, value in facts}
        fixed = ("agent", "walls", *task.grid.legend.values())
        self._plane_of = {name: plane for plane, name in enumerate(sorted(names), len(fixed))}
        self.planes = (*fixed, *(f"{name} (thing)" if name in fixed else name for name in self._plane_of))
        self._empty = np.zeros((len(self.planes), task.grid.height, task.grid.width), np.uint8)
        self._empty[1] = [[mark in WALLS for mark in row] for row in task.grid.rows]
        for plane, word in enumerate(task.grid.legend.values(), 2):
            for x, y in task.grid.cells(word):
                self._empty[plane, y, x] = 1
        self.space = Box(0, 1, self._empty.shape, np.uint8)
        self._maps, self._drawn = np.zeros(0, np.uint8), np.zeros(self.graph.n_states, np.bool_)

    def look(self, states: Integers) -> NDArray[Any]:
        """Maps of some states, in a new array [M, planes, height, width]."""
        if not self._maps.size:  # takes memory only where it is written
            self._maps = np.zeros((self.graph.n_states, *self._empty.shape), np.uint8)
        for state in np.unique(states[~self._drawn[states]]):
            self._maps[state], self._drawn[state] = self.look_at(int(state)), True
        return self._maps.take(states, axis=0)

    def look_at(self, state: int) -> NDArray[Any]:
        """The map of a state."""
        (x, y), facts = self.graph.state(state)
        seen = self._empty.copy()
        seen[0, y, x] = 1
        for name, value in facts.facts:
            if isinstance(value, tuple):
                seen[self._plane_of[name], value[1], value[0]] = 1
            else:
                seen[self._plane_of[f"{name}: {value}"]] = 1
        return seen


OBSERVATIONS: dict[str, type[Numbers]] = {"numbers": Numbers, "one-hot": OneHots, "grid": Grids}
"""The kinds of observations of a task."""


class TaskEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """A task of Craft-World as its acting agent learns it, with the augmented reward.

    Actions are those of the task, in its order. The agent's own reward is in ``info`` under `ORIGINAL`.

    With ``observations="numbers"`` an observation is two numbers: the index of the agent's cell and the index of the
    set of facts. With ``"grid"`` it is zeros and ones, [planes, height, width]. The planes are the agent, the walls,
    every word of the legend, every thing that lies in a cell, and every other fact; the plane of a fact that holds has
    ones everywhere. `planes` has their names; a thing that is named like a word of the legend is "NAME (thing)". With
    ``"one-hot"`` it is a vector with a one for the cell and a one for the set of facts.

    Args:
        task: the acting agent's task.
        criterion: as for `considerate.solve`.
        caring: as for `considerate.solve`.
        discount: γ.
        steps: the limit of an episode.
        observations: "numbers", "one-hot" or "grid".
        render_mode: None, "ansi" (text) or "rgb_array" (pixels).
        bootstrap_at_limit: whether learners bootstrap at the limit, where then nothing is paid and the step is
            ``truncated``. By default the futures are paid there, as if the agent had stopped, and the step is
            ``terminated``.

    Raises:
        NeverEndingError: the task cannot be finished.
    """

    def __init__(
        self,
        task: Task,
        criterion: str | Criterion | type[Criterion] = "value",
        caring: Caring = 1,
        discount: Number = 1,
        steps: int = STEPS,
        observations: Literal["numbers", "one-hot", "grid"] = "numbers",
        render_mode: Literal["ansi", "rgb_array"] | None = None,
        bootstrap_at_limit: bool = False,
    ) -> None:
        checked_instance("bootstrap_at_limit", bootstrap_at_limit, bool)
        known_name("kind of observations", observations, OBSERVATIONS)
        self.metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownNameError("render mode", render_mode, self.metadata["render_modes"])
        self.observations, self.render_mode = observations, render_mode
        remedy = "considerate.craftworld.task finds one by its name"
        self.agent = checked_instance("task", task, Task, remedy).acting.name
        self.has_end = self.is_deterministic = True
        self.problem = Problem(task, augmented(task, criterion, caring, discount=discount))
        self.own_coefficient = self.problem.reward.own_coefficient
        self.graph, self.steps = task.graph, whole("steps", steps)
        self.pays_futures = not (bootstrap_at_limit or self.problem.reward.criterion.every_step)
        self.rewards, self._terms = self.problem.process().rewards, dict[int, float]()
        self.sight = OBSERVATIONS[observations](task)
        self.observation_space, self.planes = self.sight.space, self.sight.planes
        self.action_space = Discrete(len(self.graph.actions))
        self.state: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Put the acting agent at its start."""
        super().reset(seed=None if seed is None else checked_seed(seed))
        warn_of_hidden_limit(self.pays_futures)
        self.state, self.time, self._returns = self.problem.start, 0, dict.fromkeys(self.problem.task.agents, 0.0)
        return self.sight.look_at(self.state), {ORIGINAL: 0.0, AT_LIMIT: False}

    def step(self, action: np.int64) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Act."""
        if self.state is None:
            raise SettingError("the environment has not started; call reset() first")
        before = (self.state, checked_index("action", action, len(self.graph.actions)))
        self.time += 1
        self.state = int(self.graph.targets[before])
        ended = bool(self.graph.terminal[self.state])
        own = -float(self.graph.costs[before])
        self._returns[self.agent] += own
        task, after = self.problem.task, self.graph.state(self.state)
        if task.partner is not None:
            self._returns[task.partner.name] += float(task.partner.reward(self.graph.state(before[0]), after))
        elif ended:  # those who come later get their returns at the end
            self._returns |= {name: float(value(after)) for name, value in task.value_functions().items()}
        reward, limit = float(self.rewards[before]), self.time >= self.steps and not ended
        if limit and self.pays_futures:
            reward += self.term_at_limit(self.state)
        terminated = ended or (limit and self.pays_futures)
        return (
            self.sight.look_at(self.state),
            reward,
            terminated,
            limit and not terminated,
            {ORIGINAL: own, AT_LIMIT: limit},
        )

    def term_at_limit(self, state: int) -> float:
        """Return what is paid for the others' futures when the agent is stopped in a state."""
        if state not in self._terms:
            end = self.graph.state(state)
            self._terms[state] = float(self.problem.reward.term(end, self.problem.task.start))
        return self._terms[state]

    def finish(self, steps: int) -> dict[str, float]:
        """Return everyone's own return of this episode; those who come later have 0 if the acting agent never left."""
        return self.totals()

    def totals(self) -> dict[str, float]:
        """Everyone's own return of this episode so far, by name."""
        return dict(self._returns)

    def render(self) -> Any:
        """Return the present state as text or pixels, as the render mode says."""
        return self.draw(self.problem.start if self.state is None else self.state)

    def draw(self, state: int) -> Any:
        """Draw a state, given by its index in `graph`, as the render mode says."""
        if self.render_mode is None:
            raise refusal("render_mode", None, "a render mode", "give it when the environment is made")
        return (ansi if self.render_mode == "ansi" else rgb_array)(self.problem.task, self.graph.state(state))


def make_single(task: Task | str = "", path: str | Path = "", **settings: Any) -> TaskEnv:
    """Make a task for Gymnasium's registry, given by its name or by the path of its file; settings of `TaskEnv`."""
    return TaskEnv(open_task(task, path), **settings)


def open_task(task: Task | str, path: str | Path) -> Task:
    """Find a task by its name, or load it from a file."""
    if isinstance(task, Task):
        return task
    name = task or path
    return named_task(str(name)) if task or name in TASKS else load_task(path)
