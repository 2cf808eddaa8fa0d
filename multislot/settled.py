"""What a world's answer comes to, checked: who is copied from where, and what every occupied slot then receives.

Stages 3 and 4 of the interaction protocol (Orseau 2014, Def. 4). `multislot.run`, which holds the agents, and
`multislot.episode`, whose agents live outside, both settle a `Turn` here before anything moves.
"""

from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from operator import index
from typing import NamedTuple

from multislot.errors import (
    CopyCollisionError,
    SettingError,
    TurnError,
    bad_observation,
    bad_reward,
    ended_nobody,
    no_percept,
    percept_for_nobody,
)
from multislot.slots import checked_slot, sources_of
from multislot.world import ArrayTurn, Percept, Turn


class Settled(NamedTuple):
    """A world's answer without faults.

    Attributes:
        sources: where every target is copied from, ``{target: source}``.
        spawned: slots that a fresh agent fills.
        percepts: what every slot then occupied receives, slots ascending; observations are ints, rewards floats.
        ended: slots whose occupants received their last percept.
    """

    sources: dict[int, int]
    spawned: tuple[int, ...]
    percepts: dict[int, Percept]
    ended: Collection[int]


def settle_start(percepts: object, n_observations: int, simulated: Collection[int]) -> dict[int, Percept]:
    """Check a world's first percepts and return them, slots ascending; `simulated` as in `settle`.

    Raises:
        SlotError: they break the protocol.
        SettingError: there is none.
    """
    if not percepts:
        raise SettingError("the world starts with no occupied slot; start() returns {slot: Percept}")
    if not isinstance(percepts, Mapping):
        raise TurnError(f"the world started with {percepts!r}", "return {slot: Percept} from start()", None, 0)
    numbered = {checked_slot(slot, 0): percept for slot, percept in percepts.items()}
    _check_simulated(simulated, numbered, 0)
    return received(numbered, list(numbered), n_observations, 0)


def settle(
    turn: Turn | ArrayTurn,
    occupied: Mapping[int, object],
    n_observations: int,
    step: int,
    simulated: Collection[int] = (),
) -> Settled:
    """Check a world's answer.

    Args:
        turn: the answer.
        occupied: has every slot that holds an agent as a key.
        n_observations: observations lie below it.
        step: the present step, for the messages.
        simulated: slots in which the world keeps agents that it simulates.

    Raises:
        SlotError: it breaks the protocol.
    """
    if not isinstance(turn, (Turn, ArrayTurn)):
        raise TurnError(f"the world answered {turn!r}", "return a Turn from step()", None, step)
    sources = sources_of(turn.copies, occupied, step)
    spawned = _named(turn.spawned, "spawned", step)
    if spawned:
        _check_spawned(spawned, sources, step)
    filled = [*sources, *spawned]
    if simulated:
        _check_simulated(simulated, filled, step)
    percepts = received(turn.percepts, filled, n_observations, step)
    ended = _named(turn.ended, "ended", step)
    for slot in ended:
        if slot not in sources:
            raise ended_nobody(slot, step)
    return Settled(sources, spawned, percepts, frozenset(ended) if ended else ())


def received(percepts: Mapping[int, Percept], slots: list[int], n_observations: int, step: int) -> dict[int, Percept]:
    """Return the percept of every slot, checked, slots ascending.

    Raises:
        SlotError: one is missing, is for nobody, or is out of its domain.
    """
    if type(percepts) is not dict and not isinstance(percepts, Mapping):
        raise TurnError(f"the percepts are {percepts!r}", "give {slot: Percept}", None, step)
    checked = {}
    for slot in sorted(slots) if len(slots) > 1 else slots:
        percept = percepts.get(slot)
        if percept is None:
            raise no_percept(slot, step)
        if not isinstance(percept, Percept):
            raise TurnError(f"the world sent {percept!r}", "send a Percept(observation, reward)", slot, step)
        if type(percept.observation) is not int or type(percept.reward) is not float:
            percept = _in_plain_numbers(percept, n_observations, slot, step)
        if not 0 <= percept.observation < n_observations:
            raise bad_observation(percept.observation, n_observations, slot, step)
        if not isfinite(percept.reward):
            raise bad_reward(percept.reward, slot, step)
        checked[slot] = percept
    if len(percepts) != len(checked):
        raise percept_for_nobody(next(slot for slot in percepts if slot not in checked), step)
    return checked


def _in_plain_numbers(percept: Percept, n_observations: int, slot: int, step: int) -> Percept:
    """Return the percept with an int and a float, which NumPy's numbers, for one, are not."""
    try:
        observation = index(percept.observation)
    except TypeError:
        raise bad_observation(percept.observation, n_observations, slot, step) from None
    reward: object = percept.reward
    try:
        # float() would read a number out of text, too
        return Percept(observation, float(reward.__float__()), percept.info)  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise bad_reward(reward, slot, step) from None


def _named(slots: Iterable[int], field: str, step: int) -> tuple[int, ...]:
    """Return the slots of ``Turn.ended`` or ``Turn.spawned`` as ints."""
    if type(slots) is tuple and not slots:
        return slots
    if not isinstance(slots, Iterable):
        raise TurnError(f"Turn.{field} is {slots!r}", "give the slots in a tuple", None, step)
    return tuple(checked_slot(slot, step) for slot in slots)


def _check_spawned(slots: tuple[int, ...], sources: Mapping[int, int], step: int) -> None:
    for position, slot in enumerate(slots):
        if slot in sources or slot in slots[:position]:
            rival = f"source {sources[slot]} is copied" if slot in sources else "a fresh agent is spawned"
            raise CopyCollisionError(
                f"{rival} and a fresh agent is spawned into slot {slot}", "fill every slot once", slot, step
            )


def _check_simulated(simulated: Collection[int], filled: Collection[int], step: int) -> None:
    for slot in simulated:
        if slot in filled:
            raise CopyCollisionError(
                "an agent enters a slot where the world simulates one", "fill another slot", slot, step
            )
