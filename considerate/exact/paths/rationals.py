"""Arrays of rational numbers: exact costs and rewards of steps.

The steps of a task have only a few different costs or rewards. So an array consists of these numbers and an index for
each step. Sums and multiples are exact. A search uses the numbers as whole numbers over a common denominator
(`Rationals.whole`): as floats if these are exact, which is fast, and otherwise as Python's integers of any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import isfinite, lcm
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from considerate.distributions import Number
from multislot.checks import checked_float
from multislot.mdp.chains import Floats, Integers

Wholes: TypeAlias = NDArray[Any]
"""Whole numbers, exact: floats where those are exact, Python's integers otherwise; ∞ is a float in both cases."""

EXACT_BELOW = 2**53
"""Whole numbers below it are exact as floats, and so are their sums that stay below it."""
SUMS_AT_ONCE = 4
"""The largest number of path totals that a search adds before it compares them."""
WRITTEN_DIGITS = 12
"""A float that prints with more digits is taken for the result of a computation."""
SIMPLE_BELOW = 10**6
"""The largest denominator of a fraction that replaces a computed float."""
FEW_ROUNDINGS = Fraction(1, 2**50)
"""The largest relative difference between that fraction and the float."""


def as_written(number: Any) -> Any:
    """Return a number as it was written, as one of Python's numbers; anything else unchanged.

    NumPy's integers, which overflow, become Python's. A float of any width becomes the decimal number that it prints
    as. A float that prints with more digits than people write (such as ``1/3`` and ``0.1 + 0.2``) becomes a fraction
    with a denominator up to 10⁶, if one differs from it only by rounding.
    """
    if isinstance(number, Rational):
        exact = isinstance(number, int | Fraction)
        return number if exact else simplest(Fraction(int(number.numerator), int(number.denominator)))
    if not isinstance(number, float | np.floating) or not isfinite(number):
        return number
    printed = Decimal(repr(float(str(number))))
    if len(printed.normalize().as_tuple().digits) > WRITTEN_DIGITS:
        binary = Fraction(float(number))
        simple = binary.limit_denominator(SIMPLE_BELOW)
        if abs(simple - binary) <= FEW_ROUNDINGS * abs(binary):
            return simple
    return Fraction(printed)


def as_fraction(number: Number) -> Fraction:
    """Return a finite number as the fraction that was written, as `as_written` reads it."""
    written = as_written(number)
    return Fraction(written if isinstance(written, Rational) else float(written))


def simplest(number: Any) -> Any:
    """Return a fraction as an integer, if it is one; any other number unchanged."""
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


@dataclass(frozen=True, eq=False)
class Rationals:
    """An array of rational numbers.

    Attributes:
        values: the numbers that occur.
        index: of the number in each place; any shape.
    """

    values: tuple[Fraction, ...]
    index: Integers

    @classmethod
    def of(cls, numbers: Sequence[Number], shape: tuple[int, ...]) -> "Rationals":
        """Make an array of these numbers in order; floats as `as_written` reads them."""
        positions: dict[Number, int] = {}
        index = np.array([positions.setdefault(number, len(positions)) for number in numbers], dtype=np.int64)
        return cls(tuple(map(as_fraction, positions)), index.reshape(shape))

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> "Rationals":
        """Return an array of zeros."""
        return cls((Fraction(0),), np.zeros(shape, dtype=np.int64))

    @cached_property
    def floats(self) -> Floats:
        """The numbers as floats."""
        return np.array([checked_float("a reward", value) for value in self.values])[self.index]

    @cached_property
    def denominator(self) -> int:
        """The least number that makes every value whole."""
        return lcm(*(value.denominator for value in self.values))

    def whole(self, terms: int) -> Wholes:
        """Return every number times `denominator`, exact.

        Args:
            terms: the largest number of them that will be added; the sum has to be exact, too.
        """
        values = [int(value * self.denominator) for value in self.values]
        small = max(map(abs, values)) * terms * SUMS_AT_ONCE < EXACT_BELOW
        return np.array(values, dtype=float if small else object)[self.index]

    def over_denominator(self, total: Any) -> int | Fraction:
        """Convert a sum of numbers from `whole` back: divide it by `denominator`."""
        return simplest(Fraction(int(total), self.denominator))  # type: ignore[no-any-return]  # as Fraction is

    def exact(self, *place: int) -> int | Fraction:
        """Return the number in one place."""
        return simplest(self.values[self.index[place]])  # type: ignore[no-any-return]  # as Fraction is

    def times(self, factor: Number) -> "Rationals":
        """Return every number times one number."""
        return Rationals(tuple(value * as_fraction(factor) for value in self.values), self.index)

    def __add__(self, other: "Rationals") -> "Rationals":
        """Return the sum, place by place."""
        width = len(other.values)
        pairs, index = np.unique(self.index * width + other.index, return_inverse=True)
        values = tuple(self.values[pair // width] + other.values[pair % width] for pair in pairs.tolist())
        return Rationals(values, index.reshape(self.index.shape))
