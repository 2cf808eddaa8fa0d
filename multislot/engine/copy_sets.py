"""Copy sets: into which slots the agent of a slot is copied.

A world gives ``{source slot: target slots}``, the set ``c^i`` of each source i (Orseau 2014, Def. 3). No slot is in two
of them. A slot in none is empty afterwards; staying (``c^ii``) is not implicit. `multislot.exact.planning` checks that
the copy sets of a kernel are disjoint before anything is computed.
"""

from collections.abc import Iterable, Mapping
from operator import index

from multislot.errors import CopyCollisionError, EmptySourceError, TurnError, UnknownSlotError, show_value

CopySets = Mapping[int, Iterable[int]]
ENDLESS = 2**63
"""Slot numbers are below it, so that a trace can hold them."""


def find_sources(copies: CopySets, occupied: Mapping[int, object], step: int) -> dict[int, int]:
    """Check copy sets and return where every target is copied from, ``{target: source}``."""
    if type(copies) is not dict and not isinstance(copies, Mapping):
        raise TurnError(f"the copy sets are {show_value(copies)}", "give {source: targets}", None, step)
    sources: dict[int, int] = {}
    for source, targets in copies.items():
        if type(source) is not int:
            source = checked_slot(source, step)
        if source not in occupied:
            held = ", ".join(map(str, sorted(occupied))) or "none"
            raise EmptySourceError(
                "the world copies from a slot that holds no agent",
                f"copy only from occupied slots ({held})",
                source,
                step,
            )
        if type(targets) is not tuple and not isinstance(targets, Iterable):
            raise TurnError(f"its copy set is {show_value(targets)}", "give the target slots in a tuple", source, step)
        for target in targets:
            if type(target) is not int or not 0 < target < ENDLESS:
                target = checked_slot(target, step)
            if target in sources:
                rivals = f"sources {sources[target]} and {source} are both copied into slot {target}"
                twice = f"slot {target} is named twice in the copy set of slot {source}"
                raise CopyCollisionError(
                    twice if sources[target] == source else rivals,
                    "give every slot to one copy set at most, once",
                    target,
                    step,
                )
            sources[target] = source
    return sources


def checked_slot(slot: object, step: int) -> int:
    """Return `slot` as an int, or raise UnknownSlotError if it is not a positive integer below 2^63."""
    try:
        number = 0 if isinstance(slot, bool) else index(slot)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if not 0 < number < ENDLESS:
        raise UnknownSlotError(
            f"got slot {show_value(slot)}", "number slots with the integers 1, 2, 3, … (below 2**63)", slot, step
        )
    return number
