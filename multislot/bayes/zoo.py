"""An agent and its mentor as a PettingZoo AEC environment, over any World or Gymnasium environment of one agent.

``agent_0`` acts first. The last of its actions is *defer*. If it defers, ``mentor_0`` acts. Otherwise nobody asks the
mentor, who may be a person. After each step both observe the action, who took it, and what followed. This observation
is an index (`multislot.bayes.mentored.TurnCode`). ``infos`` give it as text, and say whether the mentor acted. Both
receive the reward. ``multislot/mentor-cliff-v0`` is such an environment.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from multislot.bayes.builders import START, cliff_grid
from multislot.bayes.mentored import AGENT_SLOT, MENTOR_SLOT, MentoredWorld, ModelWorld
from multislot.checks import checked_instance
from multislot.engine.trace import Trace
from multislot.engine.turn import Percept, Turn
from multislot.engine.world import World
from multislot.zoo.episode import LONGEST, RENDER_MODES, Stage
from multislot.zoo.spaces import FiniteSpace

__all__ = ["GymnasiumWorld", "MentoredEnv", "mentor_cliff"]

AGENT, MENTOR = "agent_0", "mentor_0"
SLOTS = {AGENT: AGENT_SLOT, MENTOR: MENTOR_SLOT}
UNREAD = 0
CLIFF_ID = "multislot/mentor-cliff-v0"


class GymnasiumWorld(World):
    """A Gymnasium environment with finite spaces as a world of one agent.

    Args:
        environment: with observations and actions in finite spaces (`multislot.zoo.spaces.FiniteSpace`).
    """

    def __init__(self, environment: "gymnasium.Env[Any, Any]") -> None:
        self.environment = checked_instance("environment", environment, gymnasium.Env)
        self.observations = FiniteSpace("observation", environment.observation_space)
        self.actions = FiniteSpace("action", environment.action_space)
        self.n_observations, self.n_actions = self.observations.count, self.actions.count

    def start(self, seed: int) -> dict[int, Percept]:
        """Reset the environment."""
        observation, _ = self.environment.reset(seed=seed % 2**32)
        return {AGENT_SLOT: Percept(self.observations(observation))}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Step the environment; its agent's life ends when it terminates or is truncated."""
        observation, reward, terminated, truncated, _ = self.environment.step(self.actions.value(actions[AGENT_SLOT]))
        percept = Percept(self.observations(observation), float(reward))
        ended = (AGENT_SLOT,) if terminated or truncated else ()
        return Turn({AGENT_SLOT: (AGENT_SLOT,)}, {AGENT_SLOT: percept}, ended)

    def describe(self, observation: int) -> str:
        """Return the environment's own observation."""
        return self.observations.describe(observation)

    def describe_action(self, action: int) -> str:
        """Return the environment's own action."""
        return self.actions.describe(action)


class MentoredEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """An agent that may defer, and its mentor.

    Args:
        inner: the world they share, or a Gymnasium environment with finite spaces.
        max_cycles: number of steps of the inner world after which an episode is cut off.
        render_mode: None, "human", "ansi", "rgb_array" or "rgb_array_list".
        name: in the metadata.
    """

    def __init__(
        self,
        inner: "World | gymnasium.Env[Any, Any]",
        *,
        max_cycles: int = LONGEST,
        render_mode: str | None = None,
        name: str = "mentored",
    ) -> None:
        super().__init__()
        world = inner if isinstance(inner, World) else GymnasiumWorld(inner)
        self.world = MentoredWorld(world)
        self.stage = Stage(self.world, max_cycles, render_mode)
        self.render_mode = render_mode
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 4,
        }
        self.possible_agents = [AGENT, MENTOR]
        self.observation_spaces: Any = dict.fromkeys(self.possible_agents, Discrete(self.world.n_observations))
        actions = self.world.n_actions  # those of the inner world, and *defer*
        self.action_spaces: Any = {AGENT: Discrete(actions), MENTOR: Discrete(actions - 1)}

    def observation_space(self, agent: str) -> Any:
        """Return an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return an agent's action space."""
        return self.action_spaces[agent]

    @property
    def trace(self) -> Trace:
        """What happened in the episode so far; the mentor's action is 0 if it was not asked."""
        return self.stage.episode.trace

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; `options` are not used."""
        self.stage.start(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._seen = self.stage.episode.first[AGENT_SLOT].observation
        self.infos = {agent: self._info() for agent in self.agents}
        self.agent_selection = AGENT
        self.stage.arrived(str(self.metadata["name"]))

    def observe(self, agent: str) -> Any:
        """Return the last shared turn's index; at the beginning that of what is observed first, or 0 for nothing."""
        return np.int64(self._seen)

    def step(self, action: Any) -> None:
        """Take the selected agent's action."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = self.stage.checked(action, SLOTS[agent])
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if agent == AGENT and chosen == self.world.code.defer:
            self.agent_selection = MENTOR
            return
        own = self.world.code.defer if agent == MENTOR else chosen
        self._advance({AGENT_SLOT: own, MENTOR_SLOT: chosen if agent == MENTOR else UNREAD})
        self.agent_selection = AGENT

    def render(self) -> Any:
        """Return text or pixels, or show them in a window, as the render mode says."""
        return self.stage.render(str(self.metadata["name"]))

    def close(self) -> None:
        """Close the window if there is one."""
        self.stage.window.close()

    def _advance(self, actions: Mapping[int, int]) -> None:
        change = self.stage.episode.step(actions)
        percept = change.percepts[AGENT_SLOT]
        self._seen = percept.observation
        over, cut = bool(change.ended), not change.ended and self.stage.over_long
        for agent in self.agents:
            self.rewards[agent] = float(percept.reward)
            self.terminations[agent], self.truncations[agent] = over, cut
            self.infos[agent] = self._info()
        self._accumulate_rewards()
        self.stage.arrived(str(self.metadata["name"]))

    def _info(self) -> dict[str, Any]:
        code = self.world.code
        by_mentor = not code.is_first(self._seen) and code.decode(self._seen).by_mentor
        return {"means": self.stage.means(self._seen), "by_mentor": by_mentor}


def mentor_cliff(
    cliffs: str = "c", max_cycles: int = LONGEST, render_mode: str | None = None
) -> "AECEnv[str, Any, Any]":
    """Return an agent and its mentor on a 7×7 world with cliffs, ``multislot/mentor-cliff-v0``.

    Args:
        cliffs: which of the suspect cells ``a`` to ``j`` are cliffs.
        max_cycles: number of steps after which an episode is cut off.
        render_mode: None, "human", "ansi", "rgb_array" or "rgb_array_list".
    """
    grid = cliff_grid(cliffs)
    inner = ModelWorld(grid.model(START), len(grid.kinds), grid)
    return OrderEnforcingWrapper(MentoredEnv(inner, max_cycles=max_cycles, render_mode=render_mode, name=CLIFF_ID))
