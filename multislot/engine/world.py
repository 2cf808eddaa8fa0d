"""The interface of environments: `World`, which answers each step with a `Turn`.

A world maps actions of slots to copy sets and observations (Orseau 2014, Defs. 4 and 5). Two things go beyond the
paper: ``ended`` names slots whose agents receive their last percept, ``spawned`` slots that a fresh agent fills.
"""

import copy as copying
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from multislot.engine.agent import IntArray
from multislot.engine.slots import Slots
from multislot.engine.stream import EndlessStream, Stream
from multislot.engine.turn import ArrayTurn, Percept, Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Streams = Callable[[int, int], Stream]


class World:
    """An environment of agents in slots; subclass it and write `start` and `step`.

    Attributes:
        n_observations: observations are indices below it; 0 is reserved for the empty observation λ.
        n_actions: actions are indices below it.
        streams: ``(seed, founder slot) -> Stream``, random numbers for the agents that factories make.
        affected: names of all that its agents can help or harm, including those who do not act.
    """

    n_observations: int
    n_actions: int
    streams: Streams = EndlessStream
    affected: tuple[str, ...] = ()

    def start(self, seed: int) -> dict[int, Percept]:
        """Begin a run and return the first percepts, ``{slot: Percept}``; the keys are the first agent set S_0.

        All randomness of the run must follow from `seed`: use ``EndlessStream(seed, WORLD_FOUNDER)``.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define start(seed) -> {{slot: Percept}}")

    def step(self, actions: Mapping[int, int]) -> Turn | ArrayTurn:
        """Answer one action for every occupied slot, ``{slot: action}``, slots ascending."""
        raise NotImplementedError(f"{type(self).__name__} does not define step({{slot: action}}) -> Turn")

    def step_many(self, slots: IntArray, actions: IntArray) -> Turn | ArrayTurn:
        """Answer a step in array form, slots ascending, shape [n]; worlds for many slots override it."""
        return self.step(dict(zip(slots.tolist(), actions.tolist(), strict=True)))

    def receive(self, slots: Slots) -> None:
        """Receive the slots before `start`; a world that simulates agents overrides it and spawns them there."""

    def copy(self) -> "World":
        """Return a world with the same state: given the same actions it has the same future."""
        return copying.deepcopy(self)

    def describe(self, observation: int) -> str:
        """Return the meaning of an observation as text."""
        return "λ" if observation == 0 else str(observation)

    def describe_action(self, action: int) -> str:
        """Return the meaning of an action as text."""
        return str(action)

    def distinct_actions(self, slot: int) -> tuple[int, ...] | None:
        """Return the actions that do something of their own in an occupied slot, at least one; None for all of them.

        An action that does exactly what an earlier one does is left out. Action masks for learners are made from this.
        """
        return None

    def bystanders(self) -> Mapping[str, float]:
        """Return by name the sum of rewards so far of those who are affected and do not act."""
        return {}

    def situation(self, slot: int) -> Any:
        """Return the hidden state where the agent of a slot is, or was last; None if observations show it all."""
        return None

    def text(self) -> str | None:
        """Return the present situation as text for people; None if the lineage shows it all."""
        return None

    def picture(self) -> "npt.NDArray[np.uint8] | None":
        """Return the present situation as pixels, shape [height, width, 3]; None if the lineage shows it all."""
        return None
