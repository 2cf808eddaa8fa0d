"""One episode of a World whose agents live outside it: who occupies which slot, who was born, who is gone.

`multislot.run` asks agents that it holds; the PettingZoo and Gymnasium views are told actions from outside. Both play
the same protocol (Orseau 2014, Def. 4). An *occupant* is an agent in one slot from its birth there until the slot is
left, copied into or emptied: a slot that is in its own copy set (``c^ii``) keeps its occupant, every other target has
a new one, born of the occupant of the source.
"""

import copy as copying
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from multislot.checks import checked_seed, whole
from multislot.errors import SettingError, UnknownNameError, bad_action
from multislot.forest import Recorder
from multislot.slots import Slots
from multislot.trace import Trace
from multislot.turn import Percept, settle, settle_start
from multislot.world import World
from multislot.zoo.limits import RENDER_MODES
from multislot.zoo.rendering import Picture, Window, picture, text

LARGEST_SEED = 2**63


@dataclass(frozen=True, slots=True)
class Occupant:
    """An agent in one slot.

    Attributes:
        number: its place in the order of birth, from 0; of those born at one step the lowest slot comes first.
        slot: where it lives.
        birth_step: the step at which it was born, 0 for those of the start.
        parent: the number of the occupant that it was copied from, None if it was put in afresh.
        parent_slot: the slot of its parent, None if it was put in afresh.
    """

    number: int
    slot: int
    birth_step: int
    parent: int | None = None
    parent_slot: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What one step did.

    Attributes:
        percepts: what every slot in a copy set received, ``{slot: Percept}``.
        stayed: occupants before the step that were kept and received a percept; some may have `ended`.
        born: occupants that are new, in order of birth.
        deleted: occupants before the step that were not kept; they received nothing.
        ended: slots whose occupants received their last percept.
    """

    percepts: Mapping[int, Percept]
    stayed: tuple[Occupant, ...]
    born: tuple[Occupant, ...]
    deleted: tuple[Occupant, ...]
    ended: frozenset[int]


class Episode:
    """A world that has started, and its occupants.

    Args:
        world: started afresh here.
        seed: of the world's randomness.

    Attributes:
        now: number of steps made.
        occupants: ``{slot: Occupant}``, slots ascending.
        births: how many occupants there have been.
        first: what the occupants of the start received, ``{slot: Percept}``.

    Raises:
        SlotError: the world's first percepts break the protocol.
        SettingError: it starts with no occupied slot.
    """

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.now = 0
        self._slots = Slots()
        world.receive(self._slots)
        self.first = settle_start(world.start(seed), world.n_observations, self._slots.simulated)
        self.occupants = {slot: Occupant(number, slot, 0) for number, slot in enumerate(self.first)}
        self.births = len(self.first)
        self._recorder = Recorder()
        self._rows = self._recorder.record(self.first, {}, {})

    @property
    def trace(self) -> Trace:
        """What happened so far, as `multislot.run` would have recorded it."""
        return Trace(**self._recorder.columns(), simulated=tuple(self._slots.births))

    def step(self, actions: Mapping[int, int]) -> Change:
        """Make one step with the action of every occupied slot and return what it did.

        Raises:
            SlotError: the world broke the protocol; the occupants are as before.
        """
        now = self._slots.step = self.now + 1
        turn = self.world.step(dict(actions))  # its own, to keep or to change
        sources, _, percepts, ended = settle(
            turn, self.occupants, self.world.n_observations, now, self._slots.simulated
        )
        before, self.now = self.occupants, now
        self._recorder.action.extend(actions.get(slot, 0) for slot in self._rows)
        self._rows = self._recorder.record(percepts, sources, self._rows)
        self.occupants, born = self._settled([slot for slot in percepts if slot not in ended], sources)
        self._recorder.silent.extend(self._rows[slot] for slot in sorted(ended))
        stayed = tuple(occupant for slot, occupant in before.items() if sources.get(slot) == slot)
        deleted = tuple(occupant for slot, occupant in before.items() if sources.get(slot) != slot)
        return Change(percepts, stayed, born, deleted, frozenset(ended))

    def _settled(
        self, slots: list[int], sources: Mapping[int, int]
    ) -> tuple[dict[int, Occupant], tuple[Occupant, ...]]:
        """Return who lives in `slots` now, and who of them was born at this step."""
        before, present, born = self.occupants, dict[int, Occupant](), list[Occupant]()
        for slot in slots:
            source = sources.get(slot)
            if source == slot:
                present[slot] = before[slot]
                continue
            parent = None if source is None else before[source].number
            present[slot] = Occupant(self.births + len(born), slot, self.now, parent, source)
            born.append(present[slot])
        self.births += len(born)
        return present, tuple(born)


class Stage:
    """What the views share: an episode of a world, its seeds and its pictures.

    Args:
        world: the world; the stage makes it its own.
        max_cycles: after how many steps an episode is cut off.
        render_mode: None, "human" (a window), "ansi" (text) or "rgb_array" (pixels).
    """

    def __init__(self, world: World, max_cycles: int, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UnknownNameError("render mode", render_mode, RENDER_MODES)
        self.world, self.max_cycles, self.render_mode = world, whole("max_cycles", max_cycles), render_mode
        self.window = Window()
        self.meanings: dict[int, str] = {}
        self._episode: Episode | None = None
        self._seeds: np.random.Generator | None = None

    @property
    def episode(self) -> Episode:
        """The present episode.

        Raises:
            SettingError: there is none yet.
        """
        if self._episode is None:
            raise SettingError("the environment has not started; call reset() first")
        return self._episode

    @property
    def over_long(self) -> bool:
        """Whether the episode has taken all the steps it may."""
        return self.episode.now >= self.max_cycles

    def start(self, seed: int | None) -> Episode:
        """Begin a new episode.

        Raises:
            SettingError: `seed` is none.
        """
        seed = None if seed is None else checked_seed(seed)
        if seed is not None or self._seeds is None:
            self._seeds = np.random.default_rng(seed)
        world_seed = int(self._seeds.integers(LARGEST_SEED)) if seed is None else seed
        self._episode = Episode(self.world, world_seed)
        return self._episode

    def checked(self, action: object, slot: int) -> int:
        """Return an action as an int.

        Raises:
            ActionError: it is no index of an action.
        """
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            number = -1
        if not 0 <= number < self.world.n_actions:
            raise bad_action(action, self.world.n_actions, slot, self.episode.now + 1)
        return number

    def means(self, observation: int) -> str:
        """Return the world's description of an observation, asked for once."""
        if observation not in self.meanings:
            self.meanings[observation] = self.world.describe(observation)
        return self.meanings[observation]

    def render(self, title: str) -> str | Picture | None:
        """Return the episode as the render mode wants it, or show it."""
        if self.render_mode is None:
            raise SettingError(
                f"no render mode was chosen; make the environment with render_mode= one of {RENDER_MODES}"
            )
        world, trace = self.world, self.episode.trace
        if self.render_mode == "ansi":
            return world.text() or text(trace, world)
        drawn = world.picture()
        pixels = picture(trace) if drawn is None else drawn
        if self.render_mode == "rgb_array":
            return pixels
        self.window.show(pixels, title)
        return None

    def __deepcopy__(self, memo: dict[int, Any]) -> "Stage":
        memo[id(self.world)] = self.world.copy()
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        for name, value in vars(self).items():
            setattr(copied, name, copying.deepcopy(value, memo))
        return copied
