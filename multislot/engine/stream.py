"""The random numbers that agents and worlds read, each at indices of its own.

A stream is a function from an index to a number in [0, 1), fixed before the run (Alexander et al. 2021, section 4.3: "a
common read-only store of random numbers"). Reading changes nothing, so copies share their founder's stream.
"""

import operator
import random
from typing import Any, SupportsIndex

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from multislot.checks import checked_seed, refusal, whole
from multislot.errors import WrongTypeError

PUBLISHED_LENGTH = 100_000
BLOCK = 4096
NOT_LOADED = -(2**62)
EXPECTED_INDEX = "a whole number, at least 0"
WORLD_FOUNDER = 0
LARGEST_KEY = 2**64 - 1


@mypyc_attr(allow_interpreted_subclasses=True)
class Stream:
    """A read-only sequence of numbers in [0, 1); copies of an agent share it. Make an `EndlessStream`."""

    def __init__(self, *seeds: object) -> None:
        if type(self) is Stream:
            raise WrongTypeError("Stream has no numbers of its own; make EndlessStream(seed, founder), or subclass it")

    def at(self, index: i64) -> float:
        """Return the number at `index` ≥ 0; the same index always gives the same number."""
        raise NotImplementedError(f"{type(self).__name__} does not define at(index) -> float")

    def __copy__(self) -> "Stream":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Stream":
        return self


@mypyc_attr(allow_interpreted_subclasses=True)
class PublishedStream(Stream):
    """A store of numbers read modulo its length, as in the authors' released experiments.

    Args:
        numbers: the store, at least one number in [0, 1).
        seed: the seed that the store was made from, if known.
    """

    def __init__(self, numbers: list[float], seed: SupportsIndex | None = None) -> None:
        if not numbers:
            raise refusal("numbers", numbers, "at least one number in [0, 1)")
        for number in numbers:
            if not 0.0 <= number < 1.0:
                raise refusal("numbers", number, "only numbers in [0, 1)")
        self.numbers = vec[float](numbers)
        self.length: i64 = len(numbers)
        self.seed: int | None = None if seed is None else operator.index(seed)

    def at(self, index: i64) -> float:
        """Return the number at `index` modulo the length of the store."""
        if index >= self.length:  # a division costs more than the rest of a draw
            index %= self.length
        elif index < 0:
            raise refusal("index", index, EXPECTED_INDEX)
        return self.numbers[index]

    def again(self) -> "PublishedStream":
        """Return another stream of the same numbers. Agents of different runs have different streams."""
        stream = PublishedStream([0.0], self.seed)
        stream.numbers = self.numbers
        stream.length = self.length
        return stream

    def __reduce__(self) -> tuple[Any, ...]:
        return PublishedStream, (list(self.numbers), self.seed)


def published_streams(seed: int) -> tuple[PublishedStream, PublishedStream]:
    """Return the stores of agents and of environments that the authors' code makes from `seed`.

    ``random.Random(seed)`` of CPython gives 100,000 numbers for agents, then 100,000 for environments.
    """
    generator = random.Random(seed)
    agents = [generator.random() for _ in range(PUBLISHED_LENGTH)]
    environments = [generator.random() for _ in range(PUBLISHED_LENGTH)]
    return PublishedStream(agents, seed), PublishedStream(environments, seed)


@mypyc_attr(allow_interpreted_subclasses=True)
class EndlessStream(Stream):
    """An endless sequence of numbers: blocks of NumPy's Philox, keyed by (seed, founder, block).

    Args:
        seed: the run's seed, 0 ≤ seed < 2⁶⁴.
        founder: the slot whose first agent reads the stream; its copies share it. 0 is the world.
    """

    def __init__(self, seed: SupportsIndex, founder: SupportsIndex) -> None:
        self.seed = checked_seed(seed)
        self.founder = whole("founder", founder, 0, LARGEST_KEY)
        self.block: i64 = NOT_LOADED
        self.numbers = vec[float]()

    def load(self, block: i64) -> vec[float]:
        """Return the numbers of one block, shape [4096]."""
        if block < 0:
            raise refusal("block", block, EXPECTED_INDEX)
        import numpy as np

        key = np.array([self.seed, self.founder], dtype=np.uint64)
        counter = np.array([0, 0, 0, block], dtype=np.uint64)
        numbers: list[float] = np.random.Generator(np.random.Philox(key=key, counter=counter)).random(BLOCK).tolist()
        return vec[float](numbers)

    def at(self, index: i64) -> float:
        """Return the number at `index` ≥ 0."""
        block = index // BLOCK
        if block != self.block:
            if index < 0:
                raise refusal("index", index, EXPECTED_INDEX)
            self.numbers = self.load(block)
            self.block = block
        return self.numbers[index - block * BLOCK]

    def __reduce__(self) -> tuple[Any, ...]:
        return EndlessStream, (self.seed, self.founder)
