"""A World in which one agent stays in one slot, as a Gymnasium environment."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from multislot.checks import checked_instance
from multislot.engine.trace import Trace
from multislot.engine.turn import Percept
from multislot.engine.world import World
from multislot.errors import SettingError
from multislot.zoo.episode import LONGEST, RENDER_MODES, Stage


class SingleView(gymnasium.Env[np.int64, np.int64]):
    """A World with one agent, which stays in its slot, as a Gymnasium environment.

    The episode is terminated when the world ends or deletes the agent (a deleted agent keeps its observation, with
    reward 0), and truncated at `max_cycles`. The info holds what the observation ``means`` and what the percept adds.

    Args:
        world: the world; agents that it only simulates do not count.
        max_cycles: the largest number of steps.
        render_mode: None, "human", "ansi", "rgb_array" or "rgb_array_list".
    """

    def __init__(self, world: World, *, max_cycles: int = LONGEST, render_mode: str | None = None) -> None:
        checked_instance("world", world, World)
        self.stage = Stage(world, max_cycles, render_mode)
        self.render_mode = render_mode
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}
        self.observation_space = Discrete(world.n_observations)
        self.action_space = Discrete(world.n_actions)
        self._last = Percept(0)

    @property
    def trace(self) -> Trace:
        """The trace of the episode so far, as `multislot.run` records it."""
        return self.stage.episode.trace

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Start the world and return the first observation and its info; `options` are ignored."""
        episode = self.stage.start(seed)
        super().reset(seed=None if seed is None else int(seed))
        if len(episode.first) > 1:
            raise SettingError(f"the world starts with agents in slots {sorted(episode.first)}; use DynamicView")
        (percept,) = episode.first.values()
        return self._arrived(percept)

    def step(self, action: Any) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Make one step and return observation, reward, terminated, truncated and info."""
        stage, episode = self.stage, self.stage.episode
        if len(episode.occupants) != 1:  # several where a copy was refused
            raise SettingError("the episode is over; call reset() to begin another")
        (slot,) = episode.occupants
        change = episode.step({slot: stage.checked(action, slot)})
        if change.born:
            raise SettingError(f"the agent was copied or moved to slot {change.born[0].slot}; use DynamicView")
        percept = Percept(self._last.observation) if change.deleted else change.percepts[slot]
        terminated = not episode.occupants
        observation, info = self._arrived(percept)
        return observation, float(percept.reward), terminated, not terminated and stage.over_long, info

    def render(self) -> Any:
        """Return text or pixels, or show them in a window, as the render mode says."""
        return self.stage.render(type(self.stage.world).__name__)

    def close(self) -> None:
        """Close the window if there is one."""
        self.stage.window.close()

    def _arrived(self, percept: Percept) -> tuple[np.int64, dict[str, Any]]:
        self._last = percept
        self.stage.arrived(type(self.stage.world).__name__)
        return np.int64(percept.observation), {**percept.info, "means": self.stage.means(percept.observation)}
