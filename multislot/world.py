"""What an environment must provide to be run by the engine: `World`, and what it answers a step with: `Turn`.

A world maps actions of slots to copy sets and observations (Orseau 2014, Defs. 4 and 5). Two things go beyond the
paper: ``ended`` names occupants whose interaction is over, ``spawned`` names slots that a fresh agent fills.
"""

import copy as copying
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multislot.agent import FloatArray, IntArray
from multislot.errors import SettingError
from multislot.stream import EndlessStream, Stream

if TYPE_CHECKING:
    from multislot.slots import Slots

Streams = Callable[[int, int], Stream]


@dataclass(frozen=True, slots=True)
class Percept:
    """What one slot receives at the end of a step.

    Attributes:
        observation: an index in ``range(n_observations)``; 0 is the paper's empty observation λ.
        reward: the reward of the step that this observation ends, ``r(o)``; finite.
        info: anything for people; agents do not see it and traces do not keep it.
    """

    observation: int
    reward: float = 0.0
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """A world's answer to one step: who is copied where, and what every occupied slot then observes.

    Attributes:
        copies: the copy sets, ``{source slot: target slots}`` (Orseau 2014, Def. 3). A slot that is in none is empty
            afterwards; staying (``c^ii``) is not implicit.
        percepts: ``{slot: Percept}``, one for every slot occupied after the copies.
        ended: slots whose occupants receive this percept as their last: they learn it with ``learn_last`` and leave.
        spawned: slots that are filled by a fresh agent, the one that `run` was given for the slot.
    """

    copies: Mapping[int, Iterable[int]]
    percepts: Mapping[int, Percept]
    ended: Iterable[int] = ()
    spawned: Iterable[int] = ()

    @staticmethod
    def from_arrays(
        sources: npt.ArrayLike,
        targets: npt.ArrayLike,
        observations: npt.ArrayLike,
        rewards: npt.ArrayLike | None = None,
        ended: Iterable[int] = (),
    ) -> "ArrayTurn":
        """Return the array form: entry ``k`` says that ``sources[k]`` is copied to ``targets[k]``, and what it sees.

        Args:
            sources: slots, shape [n].
            targets: slots, shape [n]; sorted here if they are not.
            observations: what each target observes, shape [n].
            rewards: what each target is paid, shape [n]; 0 if left out.
            ended: as in `Turn`.

        Raises:
            SettingError: if the shapes differ, or a column is not of whole numbers (rewards: of numbers).
        """
        source, target = _whole("sources", sources), _whole("targets", targets)
        seen = _whole("observations", observations)
        paid = np.zeros(source.shape) if rewards is None else _real("rewards", rewards)
        if not source.shape == target.shape == seen.shape == paid.shape or source.ndim != 1:
            shapes = ", ".join(str(column.shape) for column in (source, target, seen, paid))
            raise SettingError(f"got arrays of shapes {shapes}; a Turn needs four of the same length")
        if not (target[1:] > target[:-1]).all():
            order = np.argsort(target, kind="stable")
            source, target, seen, paid = source[order], target[order], seen[order], paid[order]
        return ArrayTurn(source, target, seen, paid, tuple(_whole("ended", list(ended)).tolist()))


def _whole(name: str, column: npt.ArrayLike) -> IntArray:
    numbers = np.asarray(column)
    if numbers.size and not (numbers.dtype.kind in "iu" and np.can_cast(numbers.dtype, np.int64)):
        raise SettingError(f"got {name} of type {numbers.dtype}; expected whole numbers below 2**63")
    return numbers.astype(np.int64, copy=False)


def _real(name: str, column: npt.ArrayLike) -> FloatArray:
    numbers = np.asarray(column)
    if numbers.size and numbers.dtype.kind not in "biuf":
        raise SettingError(f"got {name} of type {numbers.dtype}; expected numbers")
    return numbers.astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class ArrayTurn:
    """The array form of a `Turn`, of which the dictionaries are a view; made by `Turn.from_arrays`.

    Attributes:
        sources: slots copied from, shape [n].
        targets: slots copied to, shape [n], ascending.
        observations: what each target observes, shape [n].
        rewards: what each target is paid, shape [n].
        ended: as in `Turn`.
    """

    sources: IntArray
    targets: IntArray
    observations: IntArray
    rewards: FloatArray
    ended: tuple[int, ...] = ()
    spawned: tuple[int, ...] = ()

    @cached_property
    def copies(self) -> dict[int, tuple[int, ...]]:
        """The copy sets as a dictionary."""
        sets: dict[int, tuple[int, ...]] = {}
        for source, target in zip(self.sources.tolist(), self.targets.tolist(), strict=True):
            sets[source] = (*sets.get(source, ()), target)
        return sets

    @cached_property
    def percepts(self) -> dict[int, Percept]:
        """The percepts as a dictionary."""
        columns = (self.targets.tolist(), self.observations.tolist(), self.rewards.tolist())
        return {slot: Percept(observation, reward) for slot, observation, reward in zip(*columns, strict=True)}


def checked_seed(seed: object) -> int:
    """Return the seed of a run as an int.

    Raises:
        SettingError: it is none.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise SettingError(f"got seed={seed!r}; expected a whole number, 0 <= seed < 2**64")
    return int(seed)


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

    def step(self, actions: Mapping[int, int]) -> "Turn | ArrayTurn":
        """Answer one action for every occupied slot, ``{slot: action}``."""
        raise NotImplementedError(f"{type(self).__name__} does not define step({{slot: action}}) -> Turn")

    def step_many(self, slots: IntArray, actions: IntArray) -> "Turn | ArrayTurn":
        """Answer the same in array form, slots ascending, shape [n]; worlds for many slots override it."""
        return self.step(dict(zip(slots.tolist(), actions.tolist(), strict=True)))

    def receive(self, slots: "Slots") -> None:
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
