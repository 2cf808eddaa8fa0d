"""Arrays of rational numbers: what steps cost and pay, exact whatever the fractions.

A step of a task costs or pays one of a few numbers, so an array is those numbers and, for each step, which one. Sums
and multiples are exact; a search takes the numbers as whole ones over a common denominator (`Rationals.whole`).
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

from multislot.errors import SettingError

Number: TypeAlias = int | float | Fraction
Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]

EXACT_BELOW = 2**53
"""Whole numbers below it are exact as floats, and so are their sums."""
WRITTEN_DIGITS = 12
"""A float that prints with more digits may be what a computation came to."""
SIMPLE_BELOW = 10**6
"""The largest denominator of a fraction that a computed float is taken for."""
FEW_ROUNDINGS = Fraction(1, 2**50)
"""How far from that fraction the float may be, relatively."""


def as_written(number: Any) -> Any:
    """A float as the number that was written; anything else, and what is not finite, as it is.

    That is the decimal number that it prints as; or, if it prints with more digits than people write (as ``1/3`` and
    ``0.1 + 0.2`` do), a fraction with a denominator up to 10⁶, if there is one that differs from it by rounding alone.
    """
    if not isinstance(number, float) or not isfinite(number):
        return number
    printed = Decimal(repr(float(number)))
    if len(printed.normalize().as_tuple().digits) > WRITTEN_DIGITS:
        simple = Fraction(number).limit_denominator(SIMPLE_BELOW)
        if abs(simple - Fraction(number)) <= FEW_ROUNDINGS * abs(Fraction(number)):
            return simple
    return Fraction(printed)


def as_fraction(number: Number) -> Fraction:
    """A finite number as the fraction that was written, as `as_written` reads it."""
    written = as_written(number)
    if isinstance(written, Rational):
        return Fraction(int(written.numerator), int(written.denominator))
    return Fraction(float(written))


def simplest(number: Fraction) -> int | Fraction:
    """A fraction, as an integer if it is one."""
    return int(number) if number.denominator == 1 else number


@dataclass(frozen=True, eq=False)
class Rationals:
    """An array of rational numbers.

    Attributes:
        values: the numbers that occur.
        index: any shape; which of them stands in each place.
    """

    values: tuple[Fraction, ...]
    index: Indices

    @classmethod
    def of(cls, numbers: Sequence[Number], shape: tuple[int, ...]) -> "Rationals":
        """The array with these numbers in order; floats as `as_written` reads them."""
        known: dict[Number, int] = {}
        index = np.array([known.setdefault(number, len(known)) for number in numbers], dtype=np.int64)
        return cls(tuple(map(as_fraction, known)), index.reshape(shape))

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> "Rationals":
        """Nothing but 0."""
        return cls((Fraction(0),), np.zeros(shape, dtype=np.int64))

    @cached_property
    def floats(self) -> Floats:
        """The numbers as floats."""
        return np.array([float(value) for value in self.values])[self.index]

    @cached_property
    def denominator(self) -> int:
        """The least number that makes every value whole."""
        return lcm(*(value.denominator for value in self.values))

    def whole(self, denominator: int) -> Floats:
        """Every number times a common denominator, exact.

        Raises:
            SettingError: if one is too large to be exact as a float.
        """
        return np.array([exact_float(value * denominator) for value in self.values])[self.index]

    def exact(self, *place: int) -> int | Fraction:
        """The number in one place."""
        return simplest(self.values[self.index[place]])

    def times(self, factor: Number) -> "Rationals":
        """Every number times one number."""
        return Rationals(tuple(value * as_fraction(factor) for value in self.values), self.index)

    def __add__(self, other: "Rationals") -> "Rationals":
        """The sum, place by place."""
        width = len(other.values)
        pairs, index = np.unique(self.index * width + other.index, return_inverse=True)
        values = tuple(self.values[pair // width] + other.values[pair % width] for pair in pairs.tolist())
        return Rationals(values, index.reshape(self.index.shape))


def exact_float(whole: Fraction) -> float:
    """A whole number as a float.

    Raises:
        SettingError: if it is too large to be exact.
    """
    if abs(whole) >= EXACT_BELOW:
        raise no_common_denominator()
    return float(whole)


def no_common_denominator() -> SettingError:
    """The error of numbers that no search can compare exactly."""
    return SettingError(
        "coefficients, probabilities, costs and losses have no small common denominator, so that ways could not be "
        "compared exactly; give fractions with smaller denominators"
    )
