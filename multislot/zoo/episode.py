"""One episode of a World whose agents are outside: who occupies which slot, who was born, who has left.

`multislot.run` holds its agents; the PettingZoo and Gymnasium views receive actions from outside. Both follow the same
protocol (Orseau 2014, Def. 4). An *occupant* is an agent in one slot, from its birth there until it leaves, is copied
over or is deleted. A slot in its own copy set (``c^ii``) keeps its occupant. Every other target has a new one, whose
parent is the occupant of the source.
"""

import copy as copying
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from multislot.checks import checked_seed, refusal, whole
from multislot.engine.forest import Recorder
from multislot.engine.slots import Slots
from multislot.engine.trace import Trace
from multislot.engine.turn import Percept, settle, settle_start
from multislot.engine.world import World
from multislot.errors import SettingError, UnknownNameError, bad_action
from multislot.zoo.rendering import Picture, Window, picture, text

LARGEST_SEED = 2**63
LONGEST = 200
"""The default limit of steps in an episode; many worlds never end."""
MOST_AGENTS = 64
"""The default limit of occupants in an episode of the dynamic view."""
RENDER_MODES = ("human", "ansi", "rgb_array", "rgb_array_list")


@dataclass(frozen=True, slots=True)
class Occupant:
    """An agent in one slot.

    Attributes:
        number: its place in the order of birth, from 0; within a step the lowest slot comes first.
        slot: where it lives.
        birth_step: the step at which it was born, 0 for the start.
        parent: the number of the occupant that it was copied from; None for a fresh agent.
        parent_slot: the slot of its parent; None for a fresh agent.
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
        percepts: of every slot in a copy set, ``{slot: Percept}``.
        stayed: former occupants that were kept and received a percept; some may have `ended`.
        born: new occupants, in order of birth.
        deleted: former occupants that were not kept; they received nothing.
        ended: slots whose occupants received their last percept.
        brief: of copies whose first percept was their last, ``{slot: slot of the parent}``.
    """

    percepts: Mapping[int, Percept]
    stayed: tuple[Occupant, ...]
    born: tuple[Occupant, ...]
    deleted: tuple[Occupant, ...]
    ended: frozenset[int]
    brief: Mapping[int, int]


class Episode:
    """A world that has started, and its occupants.

    Attributes:
        now: number of finished steps.
        occupants: ``{slot: Occupant}``, slots ascending.
        births: number of occupants so far.
        first: the percepts of the start, ``{slot: Percept}``.
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
        """The trace so far, as `multislot.run` would have recorded it."""
        return Trace(**self._recorder.columns(), simulated=tuple(self._slots.births))

    def step(self, actions: Mapping[int, int]) -> Change:
        """Make one step with the action of every occupied slot and return what it did."""
        now = self._slots.step = self.now + 1
        turn = self.world.step(dict(actions))  # a copy that the world may keep or change
        sources, _, percepts, ended = settle(
            turn, self.occupants, self.world.n_observations, now, self._slots.simulated
        )
        before, self.now = self.occupants, now
        self._recorder.action.extend([actions.get(slot, 0) for slot in self._rows])
        self._rows = self._recorder.record(percepts, sources, self._rows)
        self.occupants, born = self._settled([slot for slot in percepts if slot not in ended], sources)
        self._recorder.silent.extend([self._rows[slot] for slot in sorted(ended)])
        stayed, deleted = list[Occupant](), list[Occupant]()
        for slot, occupant in before.items():
            (stayed if sources.get(slot) == slot else deleted).append(occupant)
        brief = {slot: sources[slot] for slot in ended if sources.get(slot, slot) != slot}
        return Change(percepts, tuple(stayed), born, tuple(deleted), frozenset(ended), brief)

    def _settled(
        self, slots: list[int], sources: Mapping[int, int]
    ) -> tuple[dict[int, Occupant], tuple[Occupant, ...]]:
        """The occupants of `slots` now, and those born at this step."""
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
        world: the world, which only this stage uses.
        max_cycles: the number of steps after which an episode is truncated.
        render_mode: None, "human" (a window), "ansi" (text), "rgb_array" (pixels) or "rgb_array_list" (the pixels of
            every step since the last reset or rendering).
    """

    def __init__(self, world: World, max_cycles: int, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UnknownNameError("render mode", render_mode, RENDER_MODES)
        self.world, self.max_cycles, self.render_mode = world, whole("max_cycles", max_cycles), render_mode
        self.window = Window()
        self.meanings: dict[int, str] = {}
        self.frames: list[Picture] = []
        self._episode: Episode | None = None
        self.seeds: np.random.Generator | None = None

    @property
    def episode(self) -> Episode:
        """The present episode."""
        if self._episode is None:
            raise SettingError("the environment has not started; call reset() first")
        return self._episode

    @property
    def over_long(self) -> bool:
        """Whether the episode has reached its largest number of steps."""
        return self.episode.now >= self.max_cycles

    def start(self, seed: int | None) -> Episode:
        """Begin a new episode."""
        seed = None if seed is None else checked_seed(seed)
        if seed is not None or self.seeds is None:
            self.seeds = np.random.default_rng(seed)
        world_seed = int(self.seeds.integers(LARGEST_SEED)) if seed is None else seed
        self._episode, self.frames = Episode(self.world, world_seed), []
        return self._episode

    def checked(self, action: object, slot: int) -> int:
        """Return an action as an int."""
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            number = -1
        if not 0 <= number < self.world.n_actions:
            raise bad_action(action, self.world.n_actions, slot, self.episode.now + 1)
        return number

    def means(self, observation: int) -> str:
        """Return the world's description of an observation, which is asked for once."""
        if observation not in self.meanings:
            self.meanings[observation] = self.world.describe(observation)
        return self.meanings[observation]

    def arrived(self, title: object) -> None:
        """Show or keep the picture of a step, where the render mode wants it."""
        if self.render_mode == "human":
            self.render(title)
        elif self.render_mode == "rgb_array_list":
            self.frames.append(self._pixels())

    def render(self, title: object) -> str | Picture | list[Picture] | None:
        """Return the episode as the render mode wants it, or show it."""
        if self.render_mode is None:
            raise refusal("render_mode", None, f"one of {RENDER_MODES}", "give it when the environment is made")
        if self.render_mode == "ansi":
            return self.world.text() or text(self.episode.trace, self.world)
        if self.render_mode == "rgb_array_list":
            frames, self.frames = self.frames, []
            return frames
        if self.render_mode == "rgb_array":
            return self._pixels()
        self.window.show(self._pixels(), str(title))
        return None

    def _pixels(self) -> Picture:
        drawn = self.world.picture()
        return picture(self.episode.trace) if drawn is None else drawn

    def __deepcopy__(self, memo: dict[int, Any]) -> "Stage":
        memo[id(self.world)] = self.world.copy()
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        for name, value in vars(self).items():
            setattr(copied, name, copying.deepcopy(value, memo))
        return copied
