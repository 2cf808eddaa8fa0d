"""Vector environments of the fixed view: many copies of a world side by side, a row for every slot of every copy.

`SlotVector` is Gymnasium's form, `vector_env` that of Stable-Baselines3. Rows stay in their place: where no agent lives
in a slot its row has the flag 0, so that worlds in which agents die can be used. A row is terminated when its agent
leaves, so that no learner takes the value of the slot's next agent for its own. `adapt_to_sb3` takes any vector
environment of Gymnasium to Stable-Baselines3.
"""

from collections.abc import Callable, Sequence, Sized
from copy import deepcopy
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from pettingzoo import ParallelEnv

from multislot.checks import checked_callable, checked_instance, checked_seed, refusal, whole
from multislot.errors import MissingExtraError, SettingError
from multislot.zoo.fixed import require_fixed_view
from multislot.zoo.infos import BOOTSTRAP, FINAL, FINAL_INFO
from multislot.zoo.kernel_rows import KernelRows, tables_of

Floats: TypeAlias = npt.NDArray[np.float32]
Flags: TypeAlias = npt.NDArray[np.bool_]
Infos: TypeAlias = list[dict[str, Any]]
Parallel: TypeAlias = ParallelEnv[str, Any, Any]


class SlotVector(VectorEnv[Any, Any, Any]):
    """Copies of a fixed view as a Gymnasium vector environment: row ``k · N + n`` is slot n + 1 of copy k.

    An episode restarts in the step in which it is over (``AutoresetMode.SAME_STEP``); what was seen last is then in
    ``infos["final_obs"]`` and ``infos["final_info"]``. ``infos`` hold an array for every key of the view's infos, among
    them ``action_mask`` with shape [R, n_actions].

    A bare view of a world that is a kernel is stepped in arrays (`multislot.zoo.kernel_rows`), with the same results;
    ``environments`` then has one view for all copies. Other worlds, and views that are wrapped or drawn, are stepped
    one by one.

    Args:
        make: returns a new fixed view, perhaps wrapped:
            ``lambda: pettingzoo.make("parallel", "considerate/garden-v2", view="fixed")``.
        copies: number of copies K; with N slots there are R = K · N rows.
    """

    environments: Sequence[Parallel] = ()

    def __init__(self, make: Callable[[], Parallel], copies: int = 1) -> None:
        checked_callable("make", make, "a function that returns a fixed view")
        copies, first = whole("copies", copies), require_fixed_view(make())
        tables = tables_of(first)
        self.environments = (
            [first] * copies if tables else [first, *(require_fixed_view(make()) for _ in range(1, copies))]
        )
        self._copies = KernelRows(first, tables, copies) if tables else _Copies(self.environments)
        self.names = list(first.possible_agents)
        self.num_envs = copies * len(self.names)
        self.single_observation_space = first.observation_space(self.names[0])
        self.single_action_space = first.action_space(self.names[0])
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        modes = first.metadata.get("render_modes", [])
        self.autoreset_mode = AutoresetMode.SAME_STEP
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": modes}
        self.render_mode = getattr(first, "render_mode", None)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode in every copy; `options` are ignored.

        Args:
            seed: copy k gets the seed ``seed + k``; or one for each copy, or for each row (its first row's is taken).
            options: ignored.
        """
        count = len(self.environments)
        seeds: Any = [None] * count if seed is None else seed
        if not isinstance(seeds, Sized):
            seeds = [checked_seed(seed) + k for k in range(count)]
        if len(seeds) == self.num_envs:
            seeds = seeds[:: len(self.names)]
        if len(seeds) != count:
            raise refusal("seed", seed, f"one for each of {count} copies or {self.num_envs} rows, or a single one")
        return self._copies.reset(seeds)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Floats, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Make one step with an action for each row; those of empty slots are ignored.

        Returns:
            Observations [R, 1 + n_observations], of the next episode's start where one is over; rewards [R]; whether
            the agent of a row has left or the episode is over, [R]; truncations [R]; infos.
        """
        if len(actions) != self.num_envs:
            raise SettingError(f"got {len(actions)} actions; expected one for each of {self.num_envs} rows")
        return self._copies.step(actions)

    def render(self) -> tuple[Any, ...]:
        """The rendering of each copy."""
        return tuple(environment.render() for environment in self.environments)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the copies; Gymnasium calls it for a vector that was refused, too, which has none."""
        for environment in self.environments:
            environment.close()


class _Copies:
    """Copies that are stepped one by one."""

    def __init__(self, environments: Sequence[Parallel]) -> None:
        self.environments, self.names = environments, list(environments[0].possible_agents)

    def reset(self, seeds: Sequence[int | None]) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode in every copy, with a seed for each."""
        started = [environment.reset(seed=seed) for environment, seed in zip(self.environments, seeds, strict=True)]
        observations = np.stack([first[name] for first, _ in started for name in self.names])
        return observations, _in_arrays([infos[name] for _, infos in started for name in self.names])

    def step(self, actions: Any) -> tuple[Floats, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Make one step in every copy."""
        names, width, rows = self.names, len(self.names), len(actions)
        seen, rewards, last, now = list[Floats](), np.zeros(rows), Infos(), Infos()
        terminated, truncated = np.zeros((2, rows), np.bool_)
        final: dict[int, Floats] = {}
        for copy, environment in enumerate(self.environments):
            first = copy * width
            taken = dict(zip(names, actions[first : first + width], strict=True))
            observations, paid, ended, cut, infos = environment.step(taken)
            over = not environment.agents
            for row, name in enumerate(names, first):
                rewards[row] = paid[name]
                terminated[row] = ended[name] or not infos[name].get(BOOTSTRAP, True)
                truncated[row] = cut[name]
                final |= {row: observations[name]} if over else {}
            last += [infos[name] if over else {} for name in names]
            if over:
                observations, infos = environment.reset()
            now += [infos[name] for name in names]
            seen += [observations[name] for name in names]
        arrays = _in_arrays(now)
        if final:
            flags = np.array([row in final for row in range(rows)])
            arrays[FINAL], arrays[f"_{FINAL}"] = np.full(rows, None, object), flags
            for row, observation in final.items():
                arrays[FINAL][row] = observation
            arrays[FINAL_INFO], arrays[f"_{FINAL_INFO}"] = _in_arrays(last), flags.copy()
        return np.stack(seen), rewards, terminated, truncated, arrays


def _in_arrays(infos: Infos) -> dict[str, Any]:
    """The infos of rows as an array for each key, 0 for rows without it; what is not a number is kept as an object."""
    arrays: dict[str, Any] = {}
    for key in dict.fromkeys(key for info in infos for key in info):
        values = {row: info[key] for row, info in enumerate(infos) if key in info}
        plain = all(isinstance(value, bool | int | float | np.ndarray) for value in values.values())
        shape, kind = (len(infos),), np.dtype(object)
        if plain:
            first = np.array(list(values.values()))
            shape, kind = (len(infos), *first.shape[1:]), first.dtype
        arrays[key] = np.zeros(shape, kind) if plain else np.full(shape, None, kind)
        for row, value in values.items():
            arrays[key][row] = value
        arrays[f"_{key}"] = np.array([row in values for row in range(len(infos))])
    return arrays


def vector_env(environment: Parallel, copies: int = 1) -> Any:
    """Return a Stable-Baselines3 ``VecEnv`` with a row for every slot of every copy of a fixed view.

    All slots share the policy that is trained. Episodes restart automatically.

    Args:
        environment: the fixed view, perhaps wrapped; it is copied, and each copy draws seeds of its own.
        copies: number of copies that run side by side.
    """
    seeds = require_fixed_view(environment).unwrapped.stage.seeds

    def copied() -> Parallel:
        copy = deepcopy(environment)
        copy.unwrapped.stage.seeds = seeds and seeds.spawn(1)[0]
        return copy

    return _import_sb3().SlotsForSB3(SlotVector(copied, copies))


def adapt_to_sb3(vector: VectorEnv[Any, Any, Any]) -> Any:
    """Return a Gymnasium vector environment as a ``VecEnv`` of Stable-Baselines3.

    Args:
        vector: one that restarts in the step in which an episode is over (``AutoresetMode.SAME_STEP``).
    """
    return _import_sb3().VectorForSB3(checked_instance("vector", vector, VectorEnv))


def _import_sb3() -> Any:
    try:
        return import_module("multislot.zoo.sb3_vector")
    except ImportError as error:
        raise MissingExtraError("a vector environment for Stable-Baselines3", "deep") from error
