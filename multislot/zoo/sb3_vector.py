"""The fixed view as a vector environment of Stable-Baselines3, which this module imports; see `vectors.vector_env`."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from multislot.zoo.side_by_side import Copies, Parallel


class SlotVecEnv(VecEnv):
    """Copies of a fixed view, a row for every slot of every copy."""

    def __init__(self, environment: Parallel, copies: int) -> None:
        self.copies = Copies(lambda: deepcopy(environment), copies)
        self.width = len(self.copies.names)
        self.taken: list[Any] = []
        super().__init__(self.copies.count, self.copies.observation_space, self.copies.action_space)

    def reset(self) -> Any:
        """Begin an episode in every copy, with the seeds that were given since the last reset."""
        observations, self.reset_infos = self.copies.reset(self._seeds[:: self.width])
        self._reset_seeds()
        return observations

    def step_async(self, actions: Any) -> None:
        """Keep the actions for `step_wait`."""
        self.taken = list(actions)

    def step_wait(self) -> Any:
        """Return observations, rewards, dones and infos; rows of an episode that is over have begun the next one.

        A row is also done when its agent leaves: no learner bootstraps through a deletion.
        """
        rows = self.copies.step(self.taken)
        dones, infos = rows.terminated | rows.truncated, [dict(info) for info in rows.infos]
        for first, seen in rows.last.items():
            for row in range(self.width):
                infos[first + row]["terminal_observation"] = seen[row]
                infos[first + row]["TimeLimit.truncated"] = bool(rows.truncated[first + row])
        return rows.observations, rows.rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Close the copies."""
        for environment in self.copies.environments:
            environment.close()

    def get_images(self) -> Sequence[Any]:
        """Return the picture of every copy."""
        return [environment.render() for environment in self.copies.environments]

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

    def _of(self, indices: Any) -> list[Parallel]:
        return [self.copies.environments[row // self.width] for row in self._get_indices(indices)]
