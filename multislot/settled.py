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
    sources = sources_of(turn.copies, occupied, step)
    spawned = _checked_spawned(turn.spawned, sources, step) if turn.spawned else ()
    for slot in simulated:
        if slot in sources:
            raise CopyCollisionError(
                f"source {sources[slot]} is copied into a slot where the world simulates an agent",
                "copy into another slot",
                slot,
                step,
            )
    percepts = received(turn.percepts, [*sources, *spawned], n_observations, step)
    ended: Collection[int] = ()
    if turn.ended:
        ended = frozenset(turn.ended)
        for slot in ended - sources.keys():
            raise ended_nobody(slot, step)
    return Settled(sources, spawned, percepts, ended)


def received(percepts: Mapping[int, Percept], slots: list[int], n_observations: int, step: int) -> dict[int, Percept]:
    """Return the percept of every slot, checked, slots ascending.

    Raises:
        SlotError: one is missing, is for nobody, or is out of its domain.
    """
    checked = {}
    for slot in sorted(slots) if len(slots) > 1 else slots:
        percept = percepts.get(slot)
        if percept is None:
            raise no_percept(slot, step)
        if type(percept.observation) is not int or type(percept.reward) is not float:
            percept = Percept(index(percept.observation), float(percept.reward), percept.info)
        if not 0 <= percept.observation < n_observations:
            raise bad_observation(percept.observation, n_observations, slot, step)
        if not isfinite(percept.reward):
            raise bad_reward(percept.reward, slot, step)
        checked[slot] = percept
    if len(percepts) != len(checked):
        raise percept_for_nobody(min(percepts.keys() - checked.keys()), step)
    return checked


def _checked_spawned(spawned: Iterable[int], sources: Mapping[int, int], step: int) -> tuple[int, ...]:
    slots = tuple(checked_slot(slot, step) for slot in spawned)
    for position, slot in enumerate(slots):
        if slot in sources or slot in slots[:position]:
            rival = f"source {sources[slot]} is copied" if slot in sources else "a fresh agent is spawned"
            raise CopyCollisionError(
                f"{rival} and a fresh agent is spawned into slot {slot}", "fill every slot once", slot, step
            )
    return slots
