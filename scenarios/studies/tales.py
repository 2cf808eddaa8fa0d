"""Small random worlds: an agent is copied by chance, the copies see something, and each decides once."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from multislot.exact import Arrival, Mixture
from scenarios.lab.cells import Results, select

__all__ = ["describe"]

HORIZON = 2
SEEDS_APART = 10**7
"""Random worlds of one search; those of the next search begin after them."""


@dataclass(frozen=True)
class Cell:
    """Some random worlds, by their seeds, or another part of a scenario."""

    part: str
    first: int = 0
    number: int = 0

    @property
    def seeds(self) -> range:
        return range(self.first, self.first + self.number)


def random_cells(part: str, seed: int, worlds: int, size: int) -> list[Cell]:
    """List so many random worlds in cells of a size."""
    start = seed * SEEDS_APART
    return [Cell(part, start + k, min(size, worlds - k)) for k in range(0, worlds, size)]


def join_lists(results: Results, part: str, case: str) -> list[Any]:
    """Join what the cells of a part list under ``found`` for a case."""
    return [entry for result in select(results, part=part) for entry in result["found"].get(case, ())]


@dataclass(frozen=True)
class Tale:
    """A random world: copies wake, and each acts once.

    Args:
        waking: probabilities, each with what the copies see.
        acting: for each slot that wakes, and each action, what the agent there and a new copy of it are paid; nothing
            if it is deleted.
    """

    waking: tuple[tuple[Fraction, tuple[str, ...]], ...]
    acting: Mapping[tuple[int, Hashable], tuple[int, ...]]
    actions: tuple[int, ...] = (0, 1)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "asleep"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[tuple[Fraction, dict[int, Arrival]]]:
        """Wake the copies, or pay for an action; slots 3 and 4 are for copies of slots 1 and 2."""
        if state == "asleep":
            return [
                (chance, {i: Arrival("awake", seen) for i, seen in enumerate(sights, start=1)})
                for chance, sights in self.waking
            ]
        pays = self.acting[slot, action]
        return [(Fraction(1), {slot + 2 * i: Arrival("over", "over", pay) for i, pay in enumerate(pays)})]

    @property
    def size(self) -> int:
        """The sum of the absolute payments, plus one for each way of waking and each copy that wakes."""
        return sum(map(abs, sum(self.acting.values(), ()))) + sum(1 + len(sights) for _, sights in self.waking)


def draw_tale(stream: Random) -> Tale:
    ways = stream.choice((1, 1, 2))
    chances = [Fraction(1)] if ways == 1 else [(p := Fraction(stream.randint(1, 3), 4)), 1 - p]
    sights = [tuple(stream.choice("xxy") for _ in range(stream.randint(1, 2))) for _ in range(ways)]
    pays: dict[tuple[int, Hashable], tuple[int, ...]] = {
        key: tuple(stream.randint(-3, 3) for _ in range(stream.choice((0, 1, 1, 1, 2))))
        for key in product((1, 2), (0, 1))
    }
    return Tale(tuple(zip(chances, sights, strict=True)), pays)


def draw_world(seed: int) -> Mixture:
    stream = Random(seed)
    return Mixture((draw_tale(stream), draw_tale(stream)), (stream.randint(1, 3), stream.randint(1, 3)))


def size_of(world: Mixture) -> int:
    """The size of a random world: the sizes of its tales."""
    return sum(kernel.size for kernel in world.kernels if isinstance(kernel, Tale))


def describe(seed: int) -> list[str]:
    """Describe a random world in words, line by line."""
    mixture, lines = draw_world(seed), list[str]()
    for share, tale in zip(mixture.prior, mixture.kernels, strict=True):
        assert isinstance(tale, Tale)
        ways = " or ".join(f"{chance}: copies see {', '.join(sights)}" for chance, sights in tale.waking)
        most = max(len(sights) for _, sights in tale.waking)
        pays = "; ".join(
            f"slot {slot}, {action}: {' and '.join(map(str, paid)) or 'deleted'}"
            for (slot, action), paid in tale.acting.items()
            if slot <= most
        )
        lines.append(f"    weight {share}: {ways}; {pays}")
    return lines
