"""Many copies of a Craft-World task stepped together, as a Gymnasium vector environment.

The tasks are deterministic, so the tables of a task (`considerate.craftworld.arrays.Graph`) say what every step does.
`TaskVector` looks up the steps of all copies at once: millions of steps a second. Observations, rewards, ends and infos
are those of `gymnasium.vector.SyncVectorEnv` over copies of `TaskEnv`::

    vector = gymnasium.make_vec("considerate/kitchen-cookie-v2", num_envs=64, criterion="value", caring=1)

Stable-Baselines3 learns in `multislot.zoo.vectors.adapt_to_sb3(TaskVector(..., autoreset_mode="SameStep"))`,
TorchRL in ``GymWrapper(TaskVector(..., autoreset_mode="Disabled"))``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from considerate.craftworld.definition import Task
from considerate.wrappers import AT_LIMIT, ORIGINAL
from considerate.zoo.tasks import OneHots, TaskEnv, open_task
from multislot.checks import checked_mapping, checked_seed, refusal, whole, wrong_type
from multislot.errors import SettingError
from multislot.mdp.chains import Flags, Floats, Integers

__all__ = ["TaskVector"]

Infos = dict[str, Any]


class TaskVector(VectorEnv[Any, Any, Any]):
    """Copies of a task, a row each.

    Args:
        task: the acting agent's task.
        num_envs: number of copies N.
        autoreset_mode: when a copy whose episode is over starts again, see `gymnasium.vector.AutoresetMode`.
            With "Disabled" only ``reset(options={"reset_mask": rows})`` starts rows again.
        copy: whether one-hot observations are new arrays. Otherwise every step changes the same array, which is faster
            if observations are long.
        settings: criterion, caring, observations and all else that `TaskEnv` takes.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **settings: Any,
    ) -> None:
        self.single, self.num_envs, self.copy = TaskEnv(task, **settings), whole("num_envs", num_envs), copy
        modes = [mode.value for mode in AutoresetMode]
        if autoreset_mode not in (*AutoresetMode, *modes):
            raise refusal("autoreset_mode", autoreset_mode, f"one of {modes}")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.single.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = self.single.render_mode
        self.single_observation_space = self.single.observation_space
        self.single_action_space = self.single.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        graph = self.single.graph
        self._n_actions, self._terminal = len(graph.actions), graph.terminal
        self._targets = np.ascontiguousarray(graph.targets).ravel()
        self._rewards = np.ascontiguousarray(self.single.rewards, np.float64).ravel()
        self._own = -np.ascontiguousarray(graph.costs).ravel()
        self._ones = np.zeros((self.num_envs, 2), np.int64)
        self._vectors: NDArray[Any] | None = None
        if isinstance(self.single.sight, OneHots) and not copy:
            self._vectors = np.zeros((self.num_envs, self.single.sight.width), np.float32)
        self._states = np.full(self.num_envs, self.single.problem.start)
        self._times = np.zeros(self.num_envs, np.int64)
        self._waiting: Flags | None = None  # the rows whose episode is over; None before the first reset

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], Infos]:
        """Put the acting agents at their start: all, or the rows of ``options["reset_mask"]``, [N]."""
        seeds = [seed] if seed is None or isinstance(seed, int | np.integer) else list(seed)
        if len(seeds) not in (1, self.num_envs):
            raise refusal("seed", seed, f"one for each of {self.num_envs} rows, or a single one")
        super().reset(seed=None if seeds[0] is None else checked_seed(seeds[0]))
        rows = checked_mapping("options", {} if options is None else options).get("reset_mask")
        if rows is None:
            rows = np.ones(self.num_envs, np.bool_)
        elif not isinstance(rows, np.ndarray) or rows.dtype != np.bool_:
            raise wrong_type('options["reset_mask"]', rows, "an array of bool")
        elif rows.shape != (self.num_envs,) or not rows.any():
            raise refusal('options["reset_mask"]', rows, f"one flag for each of {self.num_envs} rows, one of them true")
        elif self._waiting is None:
            raise SettingError("the environment has not started; reset all rows first")
        self._waiting = np.zeros(self.num_envs, np.bool_) if self._waiting is None else self._waiting & ~rows
        self._states = np.where(rows, self.single.problem.start, self._states)
        self._times = np.where(rows, 0, self._times)
        return self._see(self._states), _tell(np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_), rows)

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[Any], Floats, Flags, Flags, Infos]:
        """Act, with an action for each row."""
        if self._waiting is None:
            raise SettingError("the environment has not started; call reset() first")
        taken = self._checked(actions)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._waiting.any():
            raise SettingError(
                f"the episode of row {self._waiting.argmax()} is over; call reset(options={{'reset_mask': rows}})"
            )
        steps = self._states * self._n_actions + taken
        states = self._targets.take(steps)
        rewards, own = self._rewards.take(steps), self._own.take(steps)
        self._times += 1
        terminated = self._terminal.take(states)
        limit = (self._times >= self.single.steps) & ~terminated
        infos: Infos = {}
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and self._waiting.any():
            for numbers in (rewards, own, terminated, limit):
                numbers[self._waiting] = 0
            self._start(self._waiting, states)
        truncated = limit
        if self.single.pays_futures and limit.any():
            rewards[limit] += [self.single.term_at_limit(state) for state in states[limit].tolist()]
            terminated, truncated = terminated | limit, np.zeros_like(limit)
        self._waiting = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._waiting.any():
            infos |= self._final(self._waiting, states, own, limit)
            own, limit = np.where(self._waiting, 0.0, own), limit & ~self._waiting
            self._start(self._waiting, states)
        self._states = states
        infos |= _tell(own, limit, np.ones(self.num_envs, np.bool_))
        return self._see(states), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...]:
        """The rendering of each row."""
        return tuple(self.single.draw(int(state)) for state in self._states)

    def _see(self, states: Integers) -> NDArray[Any]:
        """Observations of the states of all rows."""
        sight, vectors = self.single.sight, self._vectors
        if vectors is None or not isinstance(sight, OneHots):
            return sight.look(states)
        np.put(vectors, self._ones, 0)
        self._ones = sight.places(states)
        np.put(vectors, self._ones, 1)
        return vectors

    def _start(self, rows: Flags, states: Integers) -> None:
        """Start rows again."""
        states[rows] = self.single.problem.start
        self._times[rows] = 0

    def _final(self, over: Flags, states: Integers, own: Floats, limit: Flags) -> Infos:
        """What rows whose episode is over saw last, as Gymnasium's infos have it."""
        seen = np.full(self.num_envs, None, dtype=object)
        for row, observation in zip(np.flatnonzero(over), self.single.sight.look(states[over]), strict=True):
            seen[row] = observation
        final = _tell(np.where(over, own, 0.0), limit & over, over)
        return {"final_obs": seen, "_final_obs": over.copy(), "final_info": final, "_final_info": over.copy()}

    def _checked(self, actions: Any) -> Integers:
        taken = np.asarray(actions)
        if taken.dtype.kind not in "iu":
            raise wrong_type("actions", actions, "an array of whole numbers")
        if taken.shape != (self.num_envs,) or taken.min() < 0 or taken.max() >= self._n_actions:
            raise refusal("actions", actions, f"one in range({self._n_actions}) for each of {self.num_envs} rows")
        return taken


def make_vector(num_envs: int = 1, task: Task | str = "", path: str | Path = "", **settings: Any) -> TaskVector:
    """Make copies of a task for Gymnasium's registry; settings of `TaskVector`."""
    return TaskVector(open_task(task, path), num_envs, **settings)


def _tell(own: Floats, limit: Flags, rows: Flags) -> Infos:
    """The infos of some rows: own rewards, and whether the limit was reached; [N] each."""
    return {ORIGINAL: own, f"_{ORIGINAL}": rows.copy(), AT_LIMIT: limit.copy(), f"_{AT_LIMIT}": rows.copy()}
