"""The fixed view as a vector environment of Stable-Baselines3, which this module imports; see `vectors.vector_env`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from multislot.zoo.infos import FINAL


class SlotVecEnv(VecEnv):
    """A `multislot.zoo.vectors.SlotVector` for Stable-Baselines3."""

    def __init__(self, rows: Any) -> None:
        self.rows, self.width = rows, len(rows.names)
        self.taken: list[Any] = []
        super().__init__(rows.num_envs, rows.single_observation_space, rows.single_action_space)

    def reset(self) -> Any:
        """Begin an episode in every copy, with the seeds that were given since the last reset."""
        observations, self.reset_infos = self.rows.reset_rows(self._seeds[:: self.width])
        self._reset_seeds()
        return observations

    def step_async(self, actions: Any) -> None:
        """Keep the actions for `step_wait`."""
        self.taken = list(actions)

    def step_wait(self) -> Any:
        """Return observations, rewards, dones and infos; rows of an episode that is over have begun the next one.

        A row is also done when its agent leaves: no learner bootstraps through a deletion.
        """
        observations, rewards, terminated, truncated, infos = self.rows.step_rows(self.taken)
        for info, was_cut in zip(infos, truncated, strict=True):
            if FINAL in info:
                info["terminal_observation"] = info.pop(FINAL)
                info["TimeLimit.truncated"] = bool(was_cut)
        return observations, rewards.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        """Close the copies."""
        self.rows.close()

    def get_images(self) -> Sequence[Any]:
        """Return the picture of every copy."""
        return [environment.render() for environment in self.rows.environments]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the copy of each row."""
        return [getattr(environment, attr_name) for environment in self._of(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the copies of some rows."""
        for environment in self._of(indices):
            setattr(environment, attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **settings: Any) -> list[Any]:
        """Call a method of the copy of each row."""
        return [getattr(environment, method_name)(*arguments, **settings) for environment in self._of(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return for each row that no Gymnasium wrapper is around it."""
        return [False for _ in self._of(indices)]

    def _of(self, indices: Any) -> list[Any]:
        return [self.rows.environments[row // self.width] for row in self._get_indices(indices)]
