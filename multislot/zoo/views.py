"""Any World as a PettingZoo environment.

Two views of one protocol (Orseau 2014, Def. 4), which both only translate `multislot.zoo.episode`:

- `DynamicView`: a PettingZoo agent is an *occupant*, named ``copy_0, copy_1, …`` in order of birth. Agents are born and
  die during an episode. (PettingZoo does not let a finished name return.)
- `multislot.zoo.FixedView`: the agents are ``slot_1 … slot_N`` from beginning to end, with an occupied flag in the
  observation; vector wrappers and learners need it.

A world that copies nobody can have an attribute ``agent_names``, a name for each slot from 1 on. Both views then use
these names. In the dynamic view the second occupant of ``agent_2``'s slot is ``agent_2_2``.

Conventions: the reward of a step belongs to the observation that ends it. ``reset(seed)`` starts the world with that
seed; ``reset()`` draws the next seed from the last one (or from the system at first).
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv

from multislot.checks import checked_instance, refusal, whole
from multislot.engine.trace import Trace
from multislot.engine.turn import Percept
from multislot.engine.world import World
from multislot.errors import EmptySlotActionError, SettingError, UnknownNameError, show_value
from multislot.zoo.episode import LONGEST, MOST_AGENTS, RENDER_MODES, Change, Occupant, Stage
from multislot.zoo.infos import ACTION_MASK, BOOTSTRAP, action_mask
from multislot.zoo.rendering import Picture

MOST_NAMES = 2**20
"""The largest number of names of agents or slots in a view."""

Observation = TypeVar("Observation")
Answer = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class View(ParallelEnv[str, Observation, int], Generic[Observation]):  # type: ignore[misc]
    """A World as a PettingZoo ParallelEnv; see `DynamicView` and `multislot.zoo.FixedView`.

    Attributes:
        possible_agents: every name an agent may have in any episode.
        agents: the agents that act next.
        stage: the world and its present episode.
        render_mode: the render mode it was made with.
    """

    def __init__(
        self, world: World, agents: list[str], space: "gymnasium.Space[Any]", max_cycles: int, render_mode: str | None
    ) -> None:
        self.stage = Stage(world, max_cycles, render_mode)
        self.render_mode = render_mode
        self.possible_agents = agents
        self.agents: list[str] = []
        self.metadata = {
            "name": type(world).__name__,
            "render_modes": list(RENDER_MODES),
            "render_fps": 4,
            "is_parallelizable": True,
        }
        self._known = frozenset(agents)
        self._observation_space = space
        self._action_space: Discrete = Discrete(world.n_actions)

    def observation_space(self, agent: str) -> "gymnasium.Space[Any]":
        """Return the observation space, one object for all agents, so that seeding it covers newborn agents."""
        self._check_name(agent)
        return self._observation_space

    def action_space(self, agent: str) -> Discrete:
        """Return the action space, one object for all agents, so that seeding it covers newborn agents."""
        self._check_name(agent)
        return self._action_space

    @property
    def trace(self) -> Trace:
        """The trace of the episode so far, as `multislot.run` records it; its ``lineage`` can be drawn."""
        return self.stage.episode.trace

    @property
    def affected_agents(self) -> tuple[str, ...]:
        """Names of all that the agents can help or harm (`World.affected`)."""
        return self.stage.world.affected

    def bystanders(self) -> dict[str, float]:
        """Return the returns so far of those who are affected and do not act (`World.bystanders`), by name."""
        return dict(self.stage.world.bystanders())

    def situation(self, agent: str) -> Any:
        """Return the present or last situation of an agent (`World.situation`); None if it was not born."""
        self._check_name(agent)
        slot = self._home(agent)
        return None if slot is None else self.stage.world.situation(slot)

    def render(self) -> str | Picture | list[Picture] | None:
        """Return text, pixels or a list of them, or show them in a window, as the render mode says."""
        return self.stage.render(self)

    def close(self) -> None:
        """Close the window if there is one."""
        self.stage.window.close()

    def _check_name(self, agent: str) -> None:
        if not isinstance(agent, str) or agent not in self._known:
            raise UnknownNameError("agent", agent, self.possible_agents)

    def _check_actions(self, actions: Mapping[str, Any]) -> None:
        """Check that there is an action for each present agent, and no other."""
        checked_instance("actions", actions, Mapping, "give {agent: action}")  # type: ignore[type-abstract]
        if actions.keys() == set(self.agents):
            return
        if not self.agents:
            raise SettingError("the episode is over; call reset() to begin another")
        missing = [agent for agent in self.agents if agent not in actions]
        wrong: list[Any] = missing or [name for name in actions if name not in self.agents]
        name = wrong[0] if isinstance(wrong[0], str) else repr(wrong[0])
        said = "got no action for" if missing else "got an action for"
        where = next(
            (slot for slot, occupant in self.stage.episode.occupants.items() if self._name(occupant) == name), None
        )
        remedy = f"give one for each of {self.agents} and no other"
        if not missing and name in self._known:
            remedy += '; for a list of agents that stays the same, make the environment with view="fixed"'
        raise EmptySlotActionError(f"{said} {name}", remedy, where, self.stage.episode.now + 1)

    def _name(self, occupant: Occupant) -> str:
        raise NotImplementedError

    def _home(self, agent: str) -> int | None:
        """The present or last slot of an agent of this episode; None if it was not born."""
        raise NotImplementedError


def agent_names(world: World) -> tuple[str, ...]:
    """Return the names that a world has for its agents, one for each slot from 1 on; empty if it has none."""
    return tuple(getattr(world, "agent_names", ()))


def _name_life(name: str, life: int) -> str:
    return name if life == 1 else f"{name}_{life}"


class Present(dict[str, np.int64]):
    """Observations of one step; the error for an absent agent names the fixed view, which has all at every step."""

    __slots__ = ()
    __copy__ = dict.copy  # PettingZoo's conversion copies them at every step

    def __missing__(self, agent: object) -> np.int64:
        raise UnknownNameError(
            f"got agent {show_value(agent)}, which is absent at this step; ask for one of {list(self)}, or make the "
            'environment with view="fixed", where the agents are the same at every step'
        )


class DynamicView(View[np.int64]):
    """A World whose PettingZoo agents are occupants, which are born and die during an episode.

    A slot in its own copy set (``c^ii``) keeps its occupant. Every other copy is a newborn agent with a new name. It
    appears in all five dictionaries on the step of its birth and acts from then on. An occupant that is not kept
    appears there for the last time, ``terminated``. If the world ended it, it has the reward and observation of its
    last percept; if it was deleted, reward 0 and its former observation; ``infos`` tells which. So an agent that is cut
    and pasted dies in one slot and is born in another, with itself as parent.

    An episode is truncated at `max_cycles`, and when it would have more occupants than `max_agents`; then no agent is
    born on that step. (A copy that ends on the step of its birth is never shown; `trace` has it.)

    The ``infos`` of an agent hold its ``slot``, its ``parent`` (a name, or None for a fresh agent), its ``birth_step``,
    whether it was ``deleted`` or ``ended``, whether learners may ``bootstrap``, its ``action_mask`` (int8, shape
    [n_actions]; 0 for actions that do exactly what an earlier one does), what its observation ``means``, and what the
    world's percept adds.

    Args:
        world: the world.
        max_agents: the largest number of occupants in an episode, including the dead.
        max_cycles: the largest number of steps.
        render_mode: None, "human", "ansi", "rgb_array" or "rgb_array_list".
    """

    def __init__(
        self,
        world: World,
        *,
        max_agents: int = MOST_AGENTS,
        max_cycles: int = LONGEST,
        render_mode: str | None = None,
    ) -> None:
        self.max_agents = whole("max_agents", max_agents, most=MOST_NAMES)
        checked_instance("world", world, World)
        self._slot_names = agent_names(world)
        names = [f"copy_{number}" for number in range(self.max_agents)]
        if self._slot_names:
            lives = range(1, max(self.max_agents - len(self._slot_names), 0) + 2)
            names = [_name_life(name, life) for life in lives for name in self._slot_names]
            if len(set(names)) < len(names):
                raise refusal("agent_names", self._slot_names, "names that differ, even with _2 added to some")
        super().__init__(world, names, Discrete(world.n_observations), max_cycles, render_mode)
        self._names: dict[int, str] = {}
        self._last: dict[str, np.int64] = {}
        self._homes: dict[str, int] = {}

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, np.int64], dict[str, dict[str, Any]]]:
        """Start the world and return the first observations and infos; `options` are ignored."""
        self.agents, self._homes = [], {}  # no agent may act if the start is refused
        episode = self.stage.start(seed)
        if episode.births > self.max_agents:
            raise refusal("max_agents", self.max_agents, f"at least {episode.births}, with which the world starts")
        occupants = episode.occupants.values()
        self._names = {}
        self._give_names(tuple(occupants))
        self.agents = [self._name(occupant) for occupant in occupants]
        self._last = {self._name(o): np.int64(episode.first[o.slot].observation) for o in occupants}
        self._homes = {self._name(o): o.slot for o in occupants}
        infos = {self._name(o): self._info(o, episode.first[o.slot]) for o in occupants}
        self.stage.arrived(self)
        return Present(self._last), infos

    def step(self, actions: Mapping[str, Any]) -> Answer[np.int64]:
        """Make one step; `actions` has one entry for each of ``agents``.

        Returns:
            Observations, rewards, terminations, truncations and infos of all that acted or were born; empty when the
            episode is over, as in PettingZoo.
        """
        stage, episode = self.stage, self.stage.episode
        self._check_actions(actions)
        if not self.agents:
            return {}, {}, {}, {}, {}
        chosen = {o.slot: stage.checked(actions[self._name(o)], o.slot) for o in self.stage.episode.occupants.values()}
        change = episode.step(chosen)
        truncated = stage.over_long or episode.births > self.max_agents
        answer = self._answer(change, truncated)
        self.agents = [name for name in answer[0] if not (answer[2][name] or answer[3][name])]
        self._last = {name: answer[0][name] for name in self.agents}
        self.stage.arrived(self)
        return answer

    def _answer(self, change: Change, truncated: bool) -> Answer[np.int64]:
        """The five dictionaries in order of birth."""
        answer: Answer[np.int64] = Present(), {}, {}, {}, {}
        observations, rewards, terminations, truncations, infos = answer
        born = () if truncated else change.born
        self._give_names(born)
        present = (*change.stayed, *change.deleted, *born)
        gone = {occupant.number for occupant in change.deleted}
        for occupant in sorted(present, key=lambda occupant: occupant.number):
            name, deleted = self._name(occupant), occupant.number in gone
            percept = Percept(int(self._last[name])) if deleted else change.percepts[occupant.slot]
            terminated = deleted or occupant.slot in change.ended
            observations[name], rewards[name] = np.int64(percept.observation), float(percept.reward)
            terminations[name], truncations[name] = terminated, truncated and not terminated
            infos[name] = self._info(occupant, percept, deleted=deleted, ended=terminated and not deleted)
            self._homes[name] = occupant.slot
        return answer

    def _info(
        self, occupant: Occupant, percept: Percept, *, deleted: bool = False, ended: bool = False
    ) -> dict[str, Any]:
        return {
            **percept.info,
            "slot": occupant.slot,
            "parent": None if occupant.parent is None else self._names[occupant.parent],
            "birth_step": occupant.birth_step,
            "deleted": deleted,
            "ended": ended,
            BOOTSTRAP: not (deleted or ended),
            ACTION_MASK: action_mask(self.stage.world, None if deleted or ended else occupant.slot),
            "means": self.stage.means(percept.observation),
        }

    def _give_names(self, born: Sequence[Occupant]) -> None:
        for occupant in born:
            name = f"copy_{occupant.number}"
            if self._slot_names:
                if occupant.slot > len(self._slot_names):
                    raise refusal("agent_names", self._slot_names, f"a name for slot {occupant.slot}")
                name = self._slot_names[occupant.slot - 1]
                name = next(n for life in itertools.count(1) if (n := _name_life(name, life)) not in self._homes)
                self._homes[name] = occupant.slot
            self._names[occupant.number] = name

    def _name(self, occupant: Occupant) -> str:
        return self._names.get(occupant.number, "")

    def _home(self, agent: str) -> int | None:
        return self._homes.get(agent)
