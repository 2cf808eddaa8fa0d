"""Gymnasium's vector environments for Stable-Baselines3, which this module imports; see `vectors.adapt_to_sb3`."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.vec_env import VecEnv

from multislot.checks import refusal
from multislot.zoo.infos import FINAL, FINAL_INFO


class VectorForSB3(VecEnv):
    """A vector environment of Gymnasium for Stable-Baselines3.

    Args:
        vector: restarts in the step in which an episode is over (``AutoresetMode.SAME_STEP``).
    """

    def __init__(self, vector: VectorEnv[Any, Any, Any]) -> None:
        mode = vector.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise refusal("autoreset_mode", mode, "AutoresetMode.SAME_STEP", "give it when the vector is made")
        self.vector = vector
        self.taken: Any = None
        super().__init__(vector.num_envs, vector.single_observation_space, vector.single_action_space)

    def reset(self) -> Any:
        """Begin an episode in every row, with the seeds that were given since the last reset."""
        seeds: Any = None if None in self._seeds else self._seeds
        observations, infos = self.vector.reset(seed=seeds)
        self.reset_infos = self._by_row(infos)
        self._reset_seeds()
        return deepcopy(observations)

    def step_async(self, actions: Any) -> None:
        """Keep the actions for `step_wait`."""
        self.taken = actions

    def step_wait(self) -> Any:
        """Return observations, rewards, dones and infos; rows of an episode that is over have begun the next one."""
        observations, rewards, terminated, truncated, infos = self.vector.step(self.taken)
        rows = self._by_row(infos)
        ended = self._by_row(infos.get(FINAL_INFO, {}))
        for row in np.flatnonzero(infos.get(f"_{FINAL}", ())).tolist():
            rows[row]["terminal_observation"] = infos[FINAL][row]
            rows[row]["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
            rows[row] |= ended[row]
        # A copy, since a vector may overwrite its own.
        return deepcopy(observations), rewards.astype(np.float32), terminated | truncated, rows

    def close(self) -> None:
        """Close the vector environment."""
        self.vector.close()

    def get_images(self) -> Sequence[Any]:
        """Return the picture of every row."""
        return list(self.vector.render() or ())

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for some rows."""
        return [getattr(environment, attr_name) for environment in self.of_rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for some rows."""
        for environment in self.of_rows(indices):
            setattr(environment, attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **settings: Any) -> list[Any]:
        """Call a method for some rows."""
        return [getattr(environment, method_name)(*arguments, **settings) for environment in self.of_rows(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return for each row that no Gymnasium wrapper is around it."""
        return [False for _ in self.of_rows(indices)]

    def of_rows(self, indices: Any) -> list[Any]:
        """Return what has the attributes and methods of each row: here the vector environment itself."""
        return [self.vector for _ in self._get_indices(indices)]

    def _by_row(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        columns = {key: values for key, values in infos.items() if key[0] != "_" and key not in (FINAL, FINAL_INFO)}
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for key, values in columns.items():
            if isinstance(values, dict):  # such as those of RecordEpisodeStatistics
                values = self._by_row(values)
            elif values.ndim == 1:
                values = values.tolist()
            for info, value, is_given in zip(rows, values, infos.get(f"_{key}", [True] * self.num_envs), strict=True):
                if is_given:
                    info[key] = value
        return rows


class SlotsForSB3(VectorForSB3):
    """A `multislot.zoo.vectors.SlotVector` for Stable-Baselines3: attributes are those of its copies."""

    def of_rows(self, indices: Any) -> list[Any]:
        """Return the copy of each row."""
        vector: Any = self.vector
        return [vector.environments[row // len(vector.names)] for row in self._get_indices(indices)]
