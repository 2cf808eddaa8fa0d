"""Algebraic numbers: where a policy is worth most, a probability may be an irrational root of a polynomial.

FLINT factors polynomials and isolates their roots without rounding (`python-flint`). An irrational root is kept as an
`Algebraic` number: its irreducible polynomial and an interval that holds no other root of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, total_ordering
from importlib.util import find_spec
from math import lcm
from typing import TYPE_CHECKING, Any, TypeAlias

from multislot.exact.copies.plain_roots import evaluate, maximum_nearby

if TYPE_CHECKING:  # most worlds need no root: FLINT is imported where one is sought
    from flint import fmpq, fmpq_poly

WIDTH = Fraction(1, 10**12)
"""The width of the interval that is shown for an irrational number."""
FLOAT_WIDTH = Fraction(1, 2**80)


def _flint(coefficients: Sequence[Fraction]) -> "fmpq_poly":
    from flint import fmpq, fmpq_poly

    return fmpq_poly([fmpq(number.numerator, number.denominator) for number in coefficients])


def _fraction(number: "fmpq") -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _coefficients(polynomial: "fmpq_poly") -> tuple[Fraction, ...]:
    return tuple(map(_fraction, polynomial.coeffs()))


@total_ordering
@dataclass(frozen=True, eq=False)
class Algebraic:
    """An irrational root of a polynomial with rational coefficients.

    It compares with numbers exactly, adds to and multiplies with rational ones, and converts to a float.

    Args:
        polynomial: the coefficients of an irreducible polynomial, the constant first.
        ends: rational numbers between which it has exactly this root.
    """

    polynomial: tuple[Fraction, ...]
    ends: tuple[Fraction, Fraction]

    def within(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Return rational bounds that are at most so far apart."""
        lower, upper = self.ends
        rises = evaluate(self.polynomial, upper) > 0
        while upper - lower > width:
            middle = (lower + upper) / 2
            if (evaluate(self.polynomial, middle) > 0) == rises:
                upper = middle
            else:
                lower = middle
        return lower, upper

    @cached_property
    def _narrow(self) -> tuple[Fraction, Fraction]:
        return self.within(WIDTH)

    @property
    def lower(self) -> Fraction:
        """A rational number below."""
        return self._narrow[0]

    @property
    def upper(self) -> Fraction:
        """A rational number above."""
        return self._narrow[1]

    def __float__(self) -> float:
        return float(sum(self.within(FLOAT_WIDTH)) / 2)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Algebraic):
            ratio = self.polynomial[-1] / other.polynomial[-1]
            if self.polynomial != tuple(ratio * coefficient for coefficient in other.polynomial):
                return False
            lower, upper = max(self.ends[0], other.ends[0]), min(self.ends[1], other.ends[1])
            return lower < upper and evaluate(self.polynomial, lower) * evaluate(self.polynomial, upper) < 0
        return NotImplemented if not isinstance(other, int | float | Fraction) else False

    __hash__ = None  # type: ignore[assignment]  # equal numbers may have different intervals

    def __lt__(self, other: Any) -> bool:
        if not isinstance(other, int | float | Fraction | Algebraic):
            return NotImplemented
        if self == other:
            return False
        width = self.ends[1] - self.ends[0]
        while True:
            lower, upper = self.within(width)
            low, high = other.within(width) if isinstance(other, Algebraic) else (Fraction(other),) * 2
            if upper <= low or lower >= high:
                return upper <= low
            width /= 16

    def __neg__(self) -> "Algebraic":
        return self.__mul__(-1)  # type: ignore[no-any-return]  # by a rational number

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return float(self) + other if isinstance(other, float) else NotImplemented
        return self._mapped(Fraction(1), Fraction(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return float(self) * other if isinstance(other, float) else NotImplemented
        return self._mapped(Fraction(other), Fraction()) if other else Fraction()

    __rmul__ = __mul__

    def _mapped(self, factor: Fraction, summand: Fraction) -> "Algebraic":
        """Return ``factor · x + summand``; the factor is not 0."""
        polynomial = _flint(self.polynomial)(_flint([-summand / factor, 1 / factor]))
        lower, upper = sorted(factor * end + summand for end in self.ends)
        return Algebraic(_coefficients(polynomial), (lower, upper))

    def __str__(self) -> str:
        whole = lcm(*(coefficient.denominator for coefficient in self.polynomial))
        sign = 1 if self.polynomial[-1] > 0 else -1
        terms = [
            f"{'-' if factor < 0 else '+'} {abs(factor) if abs(factor) != 1 or not power else ''}{'x' if power else ''}"
            f"{f'^{power}' if power > 1 else ''}"
            for power in reversed(range(len(self.polynomial)))
            if (factor := int(sign * whole * self.polynomial[power]))
        ]
        return f"{float(self):.12g} (algebraic: {' '.join(terms).removeprefix('+ ')} = 0)"

    __repr__ = __str__


Located: TypeAlias = Fraction | Algebraic


def bounds(number: Located) -> tuple[Fraction, Fraction]:
    """Return rational bounds of a number, equal if it is rational."""
    return (number.lower, number.upper) if isinstance(number, Algebraic) else (number, number)


def maximum(polynomial: Sequence[Fraction]) -> tuple[Located, Located]:
    """Return the smallest place at which a polynomial is largest on [0, 1], and its value there.

    Without FLINT an irrational place is a fraction that is closer to it than 1e-18.

    Args:
        polynomial: its coefficients, the constant first.
    """
    if find_spec("flint") is None:  # in a browser
        return maximum_nearby(polynomial)
    inner = [root for root in _roots(_flint(polynomial).derivative()) if 0 < root < 1]
    places: list[Located] = [Fraction(0), *sorted(inner), Fraction(1)]
    values = [_value_at(polynomial, place) for place in places]
    best = max(values)
    return places[values.index(best)], best


def _roots(polynomial: "fmpq_poly") -> Iterator[Located]:
    """Yield the real roots of a polynomial, each once; none of the constant 0."""
    for factor, _ in polynomial.factor()[1] if polynomial.degree() > 0 else ():
        if factor.degree() == 1:
            yield _fraction(-factor[0] / factor[1])
            continue
        isolated: Any = factor.complex_roots()
        for ball, _ in isolated:
            if ball.imag == 0:
                middle, radius = _fraction(ball.real.mid().fmpq()), _fraction(ball.real.rad().fmpq())
                yield Algebraic(_coefficients(factor), (middle - radius, middle + radius))


def _value_at(polynomial: Sequence[Fraction], place: Located) -> Located:
    """Return the value of a polynomial at a place.

    The values at the roots of an irreducible polynomial are the eigenvalues of the matrix that multiplies by the value
    modulo that polynomial.
    """
    from flint import fmpq_mat

    if isinstance(place, Fraction):
        return evaluate(polynomial, place)
    modulus, size = _flint(place.polynomial), len(place.polynomial) - 1
    value = _flint(polynomial) % modulus
    rows = [
        [(value * _flint([Fraction(0)] * power + [Fraction(1)]) % modulus)[k] for k in range(size)]
        for power in range(size)
    ]
    candidates = list(_roots(fmpq_mat(rows).charpoly()))
    reduced, width = _coefficients(value), place.ends[1] - place.ends[0]
    while len(candidates) > 1:
        lower, upper = _spanned(reduced, place.within(width))
        candidates = [root for root in candidates if lower <= root <= upper]
        width /= 16
    return candidates[0]


def _spanned(polynomial: Sequence[Fraction], ends: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Return bounds of a polynomial's values between two numbers, by interval arithmetic."""
    lower = upper = Fraction()
    for coefficient in reversed(polynomial):
        corners = [a * b for a in (lower, upper) for b in ends]
        lower, upper = min(corners) + coefficient, max(corners) + coefficient
    return lower, upper
