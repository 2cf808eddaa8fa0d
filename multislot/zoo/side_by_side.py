"""Copies of a fixed view side by side, a row for every slot of every copy; `multislot.zoo.vectors` is made of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import ParallelEnv

from multislot.checks import checked_callable, whole
from multislot.zoo.fixed import require_fixed_view
from multislot.zoo.infos import BOOTSTRAP

Floats: TypeAlias = npt.NDArray[np.float32]
Flags: TypeAlias = npt.NDArray[np.bool_]
Parallel: TypeAlias = ParallelEnv[str, Any, Any]


@dataclass(frozen=True)
class Rows:
    """What one step gave, R rows: row ``k · N + n`` is slot n + 1 of copy k.

    Attributes:
        observations: [R, 1 + n_observations]; of the next episode's start where one is over.
        rewards: [R].
        terminated: whether the agent of a row has left, or the episode is over, [R].
        truncated: [R].
        infos: of every row, as the view gives them, before a restart.
        last: by the row of a copy whose episode is over, its last observations.
    """

    observations: Floats
    rewards: npt.NDArray[np.float64]
    terminated: Flags
    truncated: Flags
    infos: list[dict[str, Any]]
    last: dict[int, Floats]


class Copies:
    """Copies of a fixed view, each of which begins its next episode in the step in which one is over.

    Attributes:
        environments: the copies.
        count: number of rows.
    """

    def __init__(self, make: Callable[[], Parallel], copies: int) -> None:
        checked_callable("make", make, "a function that returns a fixed view")
        self.environments = [require_fixed_view(make()) for _ in range(whole("copies", copies))]
        self.names = list(self.environments[0].possible_agents)
        self.count = len(self.environments) * len(self.names)
        self.observation_space: gymnasium.Space[Any] = self.environments[0].observation_space(self.names[0])
        self.action_space: gymnasium.Space[Any] = self.environments[0].action_space(self.names[0])

    def reset(self, seeds: Sequence[int | None]) -> tuple[Floats, list[dict[str, Any]]]:
        """Begin an episode in every copy, with a seed for each; return [R, 1 + n_observations] and the infos."""
        started = [environment.reset(seed=seed) for environment, seed in zip(self.environments, seeds, strict=True)]
        observations = np.stack([first[name] for first, _ in started for name in self.names])
        return observations, [infos[name] for _, infos in started for name in self.names]

    def step(self, actions: Sequence[Any]) -> Rows:
        """Make one step in every copy, with an action for each row."""
        names, width = self.names, len(self.names)
        flags = np.zeros(self.count, np.bool_)
        seen = np.empty((self.count, *(self.observation_space.shape or ())), np.float32)
        rows = Rows(seen, np.zeros(self.count), flags, flags.copy(), [], {})
        for copy, environment in enumerate(self.environments):
            first = copy * width
            taken = dict(zip(names, actions[first : first + width], strict=True))
            observations, rewards, terminated, truncated, infos = environment.step(taken)
            rows.infos.extend(infos[name] for name in names)
            for row, name in enumerate(names, first):
                rows.rewards[row] = rewards[name]
                rows.terminated[row] = terminated[name] or not infos[name].get(BOOTSTRAP, True)
                rows.truncated[row] = truncated[name]
            if not environment.agents:
                rows.last[first] = np.stack([observations[name] for name in names])
                observations, _ = environment.reset()
            rows.observations[first : first + width] = [observations[name] for name in names]
        return rows
