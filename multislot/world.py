"""What an environment must provide to be run by the engine: `World`, and what it answers a step with: `Turn`.

A world maps actions of slots to copy sets and observations (Orseau 2014, Defs. 4 and 5). Two things go beyond the
paper: ``ended`` names occupants whose interaction is over, ``spawned`` names slots that a fresh agent fills.
"""

import copy as copying
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from multislot.agent import IntArray
from multislot.slots import Slots
from multislot.stream import EndlessStream, Stream
from multislot.turn import ArrayTurn, Percept, Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Streams = Callable[[int, int], Stream]


class World:
    """An environment of agents in slots; subclass it and write `start` and `step`.

    Attributes:
        n_observations: observations are indices below it; 0 is reserved for the empty observation λ.
        n_actions: actions are indices below it.
        streams: ``(seed, founder slot) -> Stream``, what agents read that factories make for this world.
        affected: names of all whom its agents can help or harm, those who do not act included, as the world calls them.
    """

    n_observations: int
    n_actions: int
    streams: Streams = EndlessStream
    affected: tuple[str, ...] = ()

    def start(self, seed: int) -> dict[int, Percept]:
        """Begin a run and return the first percepts, ``{slot: Percept}``; their keys are the first agent set S_0.

        All randomness of the run must follow from `seed`: read ``EndlessStream(seed, WORLD_FOUNDER)``.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define start(seed) -> {{slot: Percept}}")

    def step(self, actions: Mapping[int, int]) -> Turn | ArrayTurn:
        """Answer one action for every occupied slot, ``{slot: action}``."""
        raise NotImplementedError(f"{type(self).__name__} does not define step({{slot: action}}) -> Turn")

    def step_many(self, slots: IntArray, actions: IntArray) -> Turn | ArrayTurn:
        """Answer the same in array form, slots ascending, shape [n]; worlds for many slots override it."""
        return self.step(dict(zip(slots.tolist(), actions.tolist(), strict=True)))

    def receive(self, slots: Slots) -> None:
        """Receive the slots before `start`; only a world that simulates agents overrides it, to spawn them there."""

    def copy(self) -> "World":
        """Return a world with the same state: given the same actions it has the same future."""
        return copying.deepcopy(self)

    def describe(self, observation: int) -> str:
        """Return what an observation means, in words."""
        return "λ" if observation == 0 else str(observation)

    def describe_action(self, action: int) -> str:
        """Return what an action means, in words."""
        return str(action)

    def situation(self, slot: int) -> Any:
        """Return what is true where the agent of a slot is, or was last; None where observations say it all."""
        return None

    def text(self) -> str | None:
        """Return the present situation as text for people; None where the lineage says it all."""
        return None

    def picture(self) -> "npt.NDArray[np.uint8] | None":
        """Return the present situation as pixels, shape [height, width, 3]; None where the lineage says it all."""
        return None
