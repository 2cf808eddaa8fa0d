"""Numbers that move: what a value is worth while one reward changes steadily.

A `Sweep` moves one parameter upwards. An `Affine` number is ``value + slope · (parameter - here)``; it stands for all
rewards and worths that the parameter moves. Two are compared as they are just above `Sweep.here`, and the sweep notes
the nearest point at which the comparison would turn. So planning once, with a reward that is `Affine`, gives all worths
up to that point, for any value: between two such points the decisions do not change.

Sums, and products with fixed numbers, are affine. Anything else raises `NotLinearError`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

from multislot.errors import MultislotError

FIXED = (int, Fraction)


class NotLinearError(MultislotError, TypeError):
    """A world or a value computes something from a moving reward that is not affine in it."""


@dataclass
class Sweep:
    """A parameter that moves upwards.

    Attributes:
        turns: the nearest value above at which a comparison made so far would turn; None if there is none.
    """

    here: Fraction
    turns: Fraction | None = None

    def parameter(self) -> "Affine":
        """Return the parameter as a moving number."""
        return Affine(self.here, Fraction(1), self)

    def meet(self, difference: Fraction, slope: Fraction) -> None:
        """Note the point at which a difference with this slope becomes 0, if it is above."""
        if difference * slope < 0:
            point = self.here - difference / slope
            self.turns = point if self.turns is None else min(self.turns, point)


@total_ordering
@dataclass(frozen=True, eq=False)
class Affine:
    """A number that moves with the parameter of a sweep: its value at the present point, and its growth per unit."""

    value: Fraction
    slope: Fraction
    sweep: Sweep

    def __add__(self, other: Any) -> "Affine":
        if isinstance(other, Affine):
            return Affine(self.value + other.value, self.slope + other.slope, self.sweep)
        return Affine(self.value + _fixed(other), self.slope, self.sweep)

    __radd__ = __add__

    def __neg__(self) -> "Affine":
        return Affine(-self.value, -self.slope, self.sweep)

    def __sub__(self, other: Any) -> "Affine":
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> "Affine":
        return self.__neg__().__add__(other)

    def __mul__(self, other: Any) -> "Affine":
        if isinstance(other, Affine):
            if other.slope and self.slope:
                raise NotLinearError("two moving numbers are multiplied")
            return self * other.value if self.slope else other * self.value
        return Affine(self.value * _fixed(other), self.slope * other, self.sweep)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Affine":
        return self * (1 / Fraction(_fixed(other)))

    def __eq__(self, other: object) -> bool:
        return self._compared(other) == 0

    def __lt__(self, other: Any) -> bool:
        return self._compared(other) < 0

    def _compared(self, other: Any) -> Fraction:
        """A number with the sign of ``self - other`` just above the sweep; the sweep notes where the sign turns."""
        less = self.__sub__(other)
        self.sweep.meet(less.value, less.slope)
        return less.value or less.slope

    def __hash__(self) -> int:
        return hash((self.value, self.slope))

    def __str__(self) -> str:
        raise NotLinearError("a moving number is converted to a text or a plain number")

    __float__ = __int__ = __index__ = __repr__ = __str__


def is_moving(number: Any) -> bool:
    """Whether a number moves."""
    return isinstance(number, Affine)


def _fixed(number: Any) -> Any:
    if type(number) not in FIXED:
        raise NotLinearError(f"a moving number is combined with {number!r}")
    return number
