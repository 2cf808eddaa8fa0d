"""Vector environments of the fixed view: many copies of a world side by side, a row for every slot of every copy.

`SlotVector` is Gymnasium's form, `vector_env` that of Stable-Baselines3. Neither needs another package. Rows stay in
their place: where no agent lives in a slot its row has the flag 0, so that worlds in which agents die can be used. A
row is terminated when its agent leaves, so that no learner takes the value of the slot's next agent for its own.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from multislot.checks import refusal
from multislot.errors import MissingExtraError, SettingError
from multislot.zoo.fixed import require_fixed_view
from multislot.zoo.side_by_side import Copies, Flags, Floats, Parallel


class SlotVector(VectorEnv[Any, Any, Any]):
    """Copies of a fixed view as a Gymnasium vector environment.

    An episode restarts in the step in which it is over (``AutoresetMode.SAME_STEP``); what was seen last is then in
    ``infos["final_obs"]``. ``infos`` hold an array for every key of the view's infos, among them ``action_mask`` with
    shape [R, n_actions].

    Args:
        make: returns a new fixed view, perhaps wrapped:
            ``lambda: pettingzoo.make("parallel", "considerate/garden-v1", view="fixed")``.
        copies: number of copies K; with N slots there are R = K · N rows.
    """

    def __init__(self, make: Callable[[], Parallel], copies: int = 1) -> None:
        self.copies = Copies(make, copies)
        self.num_envs = self.copies.count
        self.single_observation_space = self.copies.observation_space
        self.single_action_space = self.copies.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        modes = self.copies.environments[0].metadata.get("render_modes", [])
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": modes}
        self.render_mode = getattr(self.copies.environments[0], "render_mode", None)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode in every copy; `options` are ignored.

        Args:
            seed: copy k gets the seed ``seed + k``; or one for each copy.
            options: ignored.
        """
        count = len(self.copies.environments)
        seeds = [None] * count if seed is None else [seed + k for k in range(count)] if isinstance(seed, int) else seed
        if len(seeds) != count:
            raise refusal("seed", seed, f"one for each of {count} copies, or a single one")
        observations, infos = self.copies.reset(seeds)
        return observations, _in_arrays(infos)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Floats, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Make one step with an action for each row; those of empty slots are ignored."""
        if len(actions) != self.num_envs:
            raise SettingError(f"got {len(actions)} actions; expected one for each of {self.num_envs} rows")
        rows = self.copies.step(list(actions))
        infos, width = _in_arrays(rows.infos), len(self.copies.names)
        if rows.last:
            final = np.full(self.num_envs, None, dtype=object)
            for first, seen in rows.last.items():
                for row in range(width):
                    final[first + row] = seen[row]
            infos |= {"final_obs": final, "_final_obs": np.array([seen is not None for seen in final])}
        return rows.observations, rows.rewards, rows.terminated, rows.truncated, infos

    def render(self) -> tuple[Any, ...]:
        """The rendering of each copy."""
        return tuple(environment.render() for environment in self.copies.environments)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the copies."""
        copies: Copies | None = getattr(self, "copies", None)  # Gymnasium also closes a vector that was refused
        for environment in copies.environments if copies else ():
            environment.close()


def _in_arrays(infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The infos of rows as an array for each key; what is not a number is kept as an object."""
    arrays: dict[str, Any] = {}
    for key in dict.fromkeys(key for info in infos for key in info):
        values = [info.get(key) for info in infos]
        plain = all(isinstance(value, bool | int | float | np.ndarray) for value in values)
        if plain:
            arrays[key] = np.array(values)
        else:
            arrays[key] = np.empty(len(values), dtype=object)
            arrays[key][:] = values
        arrays[f"_{key}"] = np.array([key in info for info in infos])
    return arrays


def vector_env(environment: Parallel, copies: int = 1) -> Any:
    """Return a Stable-Baselines3 ``VecEnv`` with a row for every slot of every copy of a fixed view.

    All slots share the policy that is trained. Episodes restart automatically.

    Args:
        environment: the fixed view, perhaps wrapped; it is copied.
        copies: number of copies that run side by side.
    """
    require_fixed_view(environment)
    try:
        from multislot.zoo.sb3_vector import SlotVecEnv
    except ImportError as error:
        raise MissingExtraError("a vector environment for Stable-Baselines3", "deep") from error
    return SlotVecEnv(environment, copies)
