"""A world's answer to a step: copy sets and percepts, and how they are checked.

Stages 3 and 4 of the interaction protocol (Orseau 2014, Def. 4). `multislot.run`, which holds the agents, and
`multislot.zoo.episode`, whose agents live outside, both check a `Turn` here before anything moves.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from multislot.checks import refusal
from multislot.engine.agent import FloatArray, IntArray
from multislot.engine.copy_sets import checked_slot, find_sources
from multislot.errors import (
    CopyCollisionError,
    EmptySourceError,
    MissingPerceptError,
    SettingError,
    TurnError,
    UnknownSlotError,
    bad_observation,
    bad_reward,
    show_value,
)

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Percept:
    """An observation and a reward, which one slot receives at the end of a step.

    Attributes:
        observation: an index in ``range(n_observations)``; 0 is the paper's empty observation λ.
        reward: the reward of the step that this observation ends, ``r(o)``; finite.
        info: anything for people to read; agents do not see it and traces do not keep it.
    """

    observation: int
    reward: float = 0.0
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """A world's answer to one step: where agents are copied, and what every occupied slot then observes.

    Attributes:
        copies: the copy sets, ``{source slot: target slots}`` (Orseau 2014, Def. 3). A slot in no copy set is empty
            afterwards; staying (``c^ii``) is not implicit.
        percepts: ``{slot: Percept}``, one for every slot occupied after the copies.
        ended: slots whose agents receive this percept as their last: they learn it with ``learn_last`` and leave.
        spawned: slots that a fresh agent fills, the one that `run` was given for the slot.
    """

    copies: Mapping[int, Iterable[int]]
    percepts: Mapping[int, Percept]
    ended: Iterable[int] = ()
    spawned: Iterable[int] = ()

    @staticmethod
    def from_arrays(
        sources: "npt.ArrayLike",
        targets: "npt.ArrayLike",
        observations: "npt.ArrayLike",
        rewards: "npt.ArrayLike | None" = None,
        ended: Iterable[int] = (),
    ) -> "ArrayTurn":
        """Return the array form: entry ``k`` is the copy from ``sources[k]`` to ``targets[k]`` with its percept.

        Args:
            sources: slots, shape [n].
            targets: slots, shape [n]; sorted here if needed.
            observations: of the targets, shape [n].
            rewards: of the targets, shape [n]; 0 by default.
            ended: as in `Turn`.
        """
        import numpy as np

        source, target = _as_whole("sources", sources), _as_whole("targets", targets)
        seen = _as_whole("observations", observations)
        paid = np.zeros(source.shape) if rewards is None else np.asarray(rewards)
        if paid.size and paid.dtype.kind not in "biuf":
            raise refusal("rewards.dtype", paid.dtype, "numbers")
        paid = paid.astype(np.float64, copy=False)
        if not source.shape == target.shape == seen.shape == paid.shape or source.ndim != 1:
            raise refusal(
                "shapes", [column.shape for column in (source, target, seen, paid)], "four arrays of one length"
            )
        if not (target[1:] > target[:-1]).all():
            order = np.argsort(target, kind="stable")
            source, target, seen, paid = source[order], target[order], seen[order], paid[order]
        return ArrayTurn(source, target, seen, paid, tuple(_as_whole("ended", list(ended)).tolist()))


def _as_whole(name: str, column: "npt.ArrayLike") -> IntArray:
    import numpy as np

    numbers = np.asarray(column)
    if numbers.size and not (numbers.dtype.kind in "iu" and np.can_cast(numbers.dtype, np.int64)):
        raise refusal(f"{name}.dtype", numbers.dtype, "whole numbers below 2**63")
    return numbers.astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class ArrayTurn:
    """The array form of a `Turn`, with the dictionaries as views; made by `Turn.from_arrays`. Targets ascend."""

    sources: IntArray
    targets: IntArray
    observations: IntArray
    rewards: FloatArray
    ended: tuple[int, ...] = ()
    spawned: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("sources", "targets", "observations", "rewards"):
            if not hasattr(getattr(self, name), "ndim"):
                raise refusal(name, getattr(self, name), "an array", "make the turn by Turn.from_arrays")

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


class CheckedTurn(NamedTuple):
    """A world's answer that has been checked.

    Attributes:
        sources: where every target is copied from, ``{target: source}``.
        spawned: slots that a fresh agent fills.
        percepts: of every slot then occupied, slots ascending; observations are ints, rewards floats.
        ended: slots whose agents received their last percept.
    """

    sources: dict[int, int]
    spawned: tuple[int, ...]
    percepts: dict[int, Percept]
    ended: Collection[int]


def settle_start(percepts: object, n_observations: int, simulated: Collection[int]) -> dict[int, Percept]:
    """Check a world's first percepts and return them, slots ascending; `simulated` as in `settle`."""
    if not percepts:
        raise SettingError("the world starts with no occupied slot; return {slot: Percept} from start()")
    if not isinstance(percepts, Mapping):
        raise TurnError(
            f"the world started with {show_value(percepts)}", "return {slot: Percept} from start()", None, 0
        )
    numbered = {checked_slot(slot, 0): percept for slot, percept in percepts.items()}
    _check_simulated(simulated, numbered, 0)
    return check_percepts(numbered, list(numbered), n_observations, 0)


def settle(
    turn: Turn | ArrayTurn,
    occupied: Mapping[int, object],
    n_observations: int,
    step: int,
    simulated: Collection[int] = (),
) -> CheckedTurn:
    """Check a world's answer."""
    if not isinstance(turn, (Turn, ArrayTurn)):
        raise TurnError(f"the world answered {show_value(turn)}", "return a Turn from step()", None, step)
    sources = find_sources(turn.copies, occupied, step)
    spawned = _check_slots(turn.spawned, "spawned", step)
    for position, slot in enumerate(spawned):
        if slot in sources or slot in spawned[:position]:
            rival = f"source {sources[slot]} is copied" if slot in sources else "a fresh agent is spawned"
            raise CopyCollisionError(
                f"{rival} and a fresh agent is spawned into slot {slot}", "fill every slot once", slot, step
            )
    filled = [*sources, *spawned]
    if simulated:
        _check_simulated(simulated, filled, step)
    percepts = check_percepts(turn.percepts, filled, n_observations, step)
    ended = _check_slots(turn.ended, "ended", step)
    for slot in ended:
        if slot not in sources:
            raise EmptySourceError(
                "the world ends the agent of an empty slot", "end only slots that are in a copy set", slot, step
            )
    return CheckedTurn(sources, spawned, percepts, frozenset(ended) if ended else ())


def check_percepts(
    percepts: Mapping[int, Percept], slots: list[int], n_observations: int, step: int
) -> dict[int, Percept]:
    """Return the checked percept of every slot, slots ascending."""
    if type(percepts) is not dict and not isinstance(percepts, Mapping):
        raise TurnError(f"the percepts are {show_value(percepts)}", "give {slot: Percept}", None, step)
    checked = {}
    for slot in sorted(slots) if len(slots) > 1 else slots:
        percept = percepts.get(slot)
        if percept is None:
            remedy = "send one Percept to every slot in a copy set"
            raise MissingPerceptError("the slot is occupied but received no percept", remedy, slot, step)
        if not isinstance(percept, Percept):
            raise TurnError(f"the world sent {show_value(percept)}", "send a Percept(observation, reward)", slot, step)
        if type(percept.observation) is not int or type(percept.reward) is not float:
            percept = _convert_percept(percept, n_observations, slot, step)
        if not 0 <= percept.observation < n_observations:
            raise bad_observation(percept.observation, n_observations, slot, step)
        if not isfinite(percept.reward):
            raise bad_reward(percept.reward, slot, step)
        checked[slot] = percept
    if len(percepts) != len(checked):
        slot = next(slot for slot in percepts if slot not in checked)
        raise UnknownSlotError(
            "the world sent a percept to an empty slot", "send percepts to slots in copy sets only", slot, step
        )
    return checked


def _convert_percept(percept: Percept, n_observations: int, slot: int, step: int) -> Percept:
    """The percept with an int and a float: other numbers, such as NumPy's, are converted."""
    try:
        observation = index(percept.observation)
    except TypeError:
        raise bad_observation(percept.observation, n_observations, slot, step) from None
    return Percept(observation, convert_reward(percept.reward, slot, step), percept.info)


def convert_reward(reward: object, slot: int, step: int) -> float:
    """Return a reward as a float; raise RewardError if it is not a number, but for example a text."""
    try:
        return float(reward.__float__())  # type: ignore[attr-defined]  # float() would accept text too
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise bad_reward(reward, slot, step) from None


def _check_slots(slots: Iterable[int], field: str, step: int) -> tuple[int, ...]:
    if type(slots) is tuple and not slots:
        return slots
    if not isinstance(slots, Iterable):
        raise TurnError(f"Turn.{field} is {show_value(slots)}", "give the slots in a tuple", None, step)
    return tuple(checked_slot(slot, step) for slot in slots)


def _check_simulated(simulated: Collection[int], filled: Collection[int], step: int) -> None:
    for slot in simulated:
        if slot in filled:
            raise CopyCollisionError(
                "an agent enters a slot where the world simulates one", "fill another slot", slot, step
            )
