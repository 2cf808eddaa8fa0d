"""The check that copy sets are disjoint: no two slots are ever copied into one (Orseau 2014, Def. 3).

Slots of one world draw their outcomes independently, so it is enough to follow every pair of occupied slots that can
exist together, step by step from the start. Agents with the same history act alike; others may act differently.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import TypeAlias

from multislot.errors import SettingError
from multislot.exact.kernel import Arrival, CheckedKernel

Occupant: TypeAlias = tuple[int, Hashable]  # slot and hidden state
Pair: TypeAlias = tuple[Occupant, Occupant]

MOST_PAIRS = 2_000


def check_copy_sets(world: CheckedKernel, steps: int | None) -> None:
    """Check that no two slots are copied into one, as far as `MOST_PAIRS` occupants and pairs reach.

    Args:
        world: the kernel.
        steps: how many steps are followed; None for all.
    """
    alone: Iterable[Occupant] = list(world.start.items())
    alike = {_ordered(*pair): True for pair in combinations(alone, 2)}  # pair: whether their histories are the same
    seen_alone, seen_pairs = set(alone), dict(alike)
    step = 0
    while (alone or alike) and step != steps and len(seen_alone) + len(seen_pairs) <= MOST_PAIRS:
        step += 1
        found = [*_parted(world, alone), *_followed(world, alike, step)]
        alone = {place for one in alone for place in _reached(world, one)} - seen_alone
        alike = {}
        for pair, same in found:
            if pair not in seen_pairs or (seen_pairs[pair] and not same):  # other histories allow more
                alike[pair] = seen_pairs[pair] = same
        seen_alone.update(alone)


def _reached(world: CheckedKernel, one: Occupant) -> Iterator[Occupant]:
    for action in world.actions:
        for _, arrivals in world.outcomes(*one, action):
            yield from ((target, found.state) for target, found in arrivals.items())


def _parted(world: CheckedKernel, alone: Iterable[Occupant]) -> Iterator[tuple[Pair, bool]]:
    """Yield the pairs that a single occupant becomes."""
    for one in alone:
        for action in world.actions:
            for _, arrivals in world.outcomes(*one, action):
                yield from (_pair(*two) for two in combinations(arrivals.items(), 2))


def _followed(world: CheckedKernel, pairs: Mapping[Pair, bool], step: int) -> Iterator[tuple[Pair, bool]]:
    """Yield the pairs that pairs become, one of each."""
    for (one, other), same in pairs.items():
        choices = zip(world.actions, world.actions, strict=True) if same else product(world.actions, repeat=2)
        for action, its_action in choices:
            outcomes = world.outcomes(*one, action), world.outcomes(*other, its_action)
            for (_, arrivals), (_, its_arrivals) in product(*outcomes):
                for target in arrivals.keys() & its_arrivals.keys():
                    raise _collision(one[0], other[0], target, step)
                for two in product(arrivals.items(), its_arrivals.items()):
                    pair, alike = _pair(*two)
                    yield pair, alike and same


def _pair(one: tuple[int, Arrival], other: tuple[int, Arrival]) -> tuple[Pair, bool]:
    (slot, found), (its_slot, its_found) = one, other
    return _ordered((slot, found.state), (its_slot, its_found.state)), found.observation == its_found.observation


def _ordered(one: Occupant, other: Occupant) -> Pair:
    return (one, other) if one[0] < other[0] else (other, one)


def _collision(slot: int, other: int, target: int, step: int) -> SettingError:
    first, second = sorted((slot, other))
    return SettingError(
        f"got a kernel that copies both slot {first} and slot {second} into slot {target} at step {step}; expected "
        "disjoint copy sets (Orseau 2014, Def. 3): give each slot targets of its own"
    )
