"""The fixed view: a World as a PettingZoo environment whose agents are its slots, there from beginning to end."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from multislot.checks import checked_instance, refusal, whole
from multislot.engine.turn import Percept
from multislot.engine.world import World
from multislot.errors import SettingError
from multislot.zoo.episode import LONGEST, Change, Occupant
from multislot.zoo.infos import action_mask, in_numbers
from multislot.zoo.views import MOST_NAMES, Answer, View, agent_names

Vector = npt.NDArray[np.float32]
Environment = TypeVar("Environment")
NOTHING = Percept(0)
"""What an empty slot observes."""


class FixedView(View[Vector]):
    """A World whose PettingZoo agents are the slots ``slot_1 … slot_N``, present from beginning to end.

    An observation is a vector of shape [1 + n_observations]: first the occupied flag, 1 if an agent in the slot acts
    next, then the observation as a one-hot. An empty slot observes λ (index 0) with flag 0 and reward 0; actions for it
    must be given but are ignored. A last percept comes with flag 0.

    When no agent is left, all slots are terminated together. At `max_cycles`, and when the world copies an agent into a
    slot beyond N, the episode is truncated.

    The ``infos`` of a slot are numbers, with the same keys at every step: its number (``slot``), whether it is
    ``occupied``, whether its occupant ``has_parent``, the slot ``parent`` that it was copied from (0 without one; both
    also of a copy that ended on arrival), its ``birth_step`` (0 in an empty slot), whether its occupant was ``deleted``
    or ``ended`` on this step, whether a learner may ``bootstrap`` from what the slot observes next (not if its occupant
    has left), and ``action_mask`` (int8, shape [n_actions]; 0 for actions that do exactly what an earlier one does, or
    nothing).

    Args:
        world: the world.
        slots: N.
        max_cycles: the largest number of steps.
        render_mode: None, "human", "ansi", "rgb_array" or "rgb_array_list".
    """

    def __init__(self, world: World, slots: int, *, max_cycles: int = LONGEST, render_mode: str | None = None) -> None:
        self.slots = whole("slots", slots, most=MOST_NAMES)
        checked_instance("world", world, World)
        self._length = 1 + world.n_observations
        space = Box(0, 1, (self._length,), np.float32)
        names = [*agent_names(world)[:slots]]
        names += [f"slot_{slot}" for slot in range(len(names) + 1, slots + 1)]
        super().__init__(world, names, space, max_cycles, render_mode)
        self.state_space = Box(0, 1, (self.slots * self._length,), np.float32)
        self._state = np.zeros(self.slots * self._length, np.float32)

    def state(self) -> Vector:
        """Return the observations of all slots in one vector, for a centralized critic.

        Its shape is [slots · (1 + n_observations)]. What no agent observes is not in it; see `situation`.
        """
        return self._state.copy()

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Vector], dict[str, dict[str, Any]]]:
        """Start the world and return the first observations and infos; `options` are ignored."""
        self.agents = []  # no agent may act if the start is refused
        episode = self.stage.start(seed)
        if max(episode.occupants) > self.slots:
            raise refusal("slots", self.slots, f"at least {max(episode.occupants)}, where the world starts")
        self.agents = self.possible_agents[:]
        change = Change(episode.first, (), (), (), frozenset(), {})
        observations, _, _, _, infos = self._answer(change, terminated=False, truncated=False)
        self.stage.arrived(self)
        return observations, infos

    def step(self, actions: Mapping[str, Any]) -> Answer[Vector]:
        """Make one step; `actions` has one entry for each of ``agents``.

        Returns:
            Observations, rewards, terminations, truncations and infos of all slots; empty when the episode is over.
        """
        stage, episode = self.stage, self.stage.episode
        self._check_actions(actions)
        if not self.agents:
            return {}, {}, {}, {}, {}
        names = self.possible_agents
        change = episode.step({slot: stage.checked(actions[names[slot - 1]], slot) for slot in episode.occupants})
        terminated = not episode.occupants
        truncated = not terminated and (stage.over_long or max(change.percepts) > self.slots)
        answer = self._answer(change, terminated, truncated)
        if terminated or truncated:
            self.agents = []
        self.stage.arrived(self)
        return answer

    def _answer(self, change: Change, terminated: bool, truncated: bool) -> Answer[Vector]:
        names, occupants = self.possible_agents, self.stage.episode.occupants
        deleted = {occupant.slot for occupant in change.deleted}
        observations = dict[str, Vector]()
        rewards = dict[str, float]()
        infos = dict[str, dict[str, Any]]()
        for slot, name in enumerate(names, start=1):
            percept, occupant = change.percepts.get(slot, NOTHING), occupants.get(slot)
            vector = observations[name] = np.zeros(self._length, dtype=np.float32)
            vector[0], vector[1 + percept.observation] = occupant is not None, 1
            rewards[name] = float(percept.reward)
            mask = action_mask(self.stage.world, None if occupant is None else slot)
            parent = change.brief.get(slot) if occupant is None else occupant.parent_slot
            infos[name] = in_numbers(slot, occupant, parent, mask, deleted=slot in deleted, ended=slot in change.ended)
        self._state = np.concatenate(list(observations.values()))
        return observations, rewards, dict.fromkeys(names, terminated), dict.fromkeys(names, truncated), infos

    def _name(self, occupant: Occupant) -> str:
        return self.possible_agents[occupant.slot - 1] if occupant.slot <= self.slots else f"slot_{occupant.slot}"

    def _home(self, agent: str) -> int | None:
        return self.possible_agents.index(agent) + 1


def require_fixed_view(environment: Environment) -> Environment:
    """Return an environment if it is a fixed view, wrapped or not; otherwise raise an error that names the fixed view.

    Put it around what you give to a library that needs all agents from the start:
    ``PettingZooWrapper(require_fixed_view(environment))``. In a dynamic view such libraries fail with errors of their
    own, which do not say what to change.

    Raises:
        SettingError: the environment is not a fixed view.
    """
    view = getattr(environment, "unwrapped", environment)
    if not isinstance(view, FixedView):
        raise SettingError(
            f"got a {type(view).__name__}; expected a FixedView, where no agent enters or leaves; make the environment "
            'with view="fixed"'
        )
    return environment
