"""Exact algebra for probabilities that are sought: polynomials in one unknown, their roots, and algebraic numbers.

The number of roots in an interval is counted with a Sturm sequence, so roots are isolated without rounding. A root that
is not rational is kept as an `Algebraic` number: a polynomial with Fractions as coefficients and an interval that holds
one of its roots.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, total_ordering
from itertools import pairwise
from math import lcm
from typing import Any, TypeAlias

Coefficients: TypeAlias = Sequence[Fraction]
"""Of a polynomial in one unknown, the constant first; the last one is not 0."""
WIDTH = Fraction(1, 10**12)
FLOAT_WIDTH = Fraction(1, 2**80)


def trim(coefficients: Sequence[Fraction]) -> list[Fraction]:
    """Return coefficients without zeros at the end."""
    trimmed = list(coefficients)
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return trimmed


def evaluate(polynomial: Coefficients, place: Any) -> Any:
    """Return the value at a place, by Horner's rule."""
    value: Any = Fraction()
    for coefficient in reversed(polynomial):
        value = value * place + coefficient
    return value


def derivative(polynomial: Coefficients) -> list[Fraction]:
    """Return the derivative."""
    return [power * coefficient for power, coefficient in enumerate(polynomial)][1:]


def divide(dividend: Coefficients, divisor: Coefficients) -> tuple[list[Fraction], list[Fraction]]:
    """Return the quotient and the remainder."""
    rest, quotient = list(dividend), [Fraction()] * max(len(dividend) - len(divisor) + 1, 0)
    for place in reversed(range(len(quotient))):
        factor = quotient[place] = rest[place + len(divisor) - 1] / divisor[-1]
        for power, coefficient in enumerate(divisor):
            rest[place + power] -= factor * coefficient
    return quotient, trim(rest)


def squarefree(polynomial: Coefficients) -> list[Fraction]:
    """Return the polynomial with the same roots, each once."""
    left, right = list(polynomial), derivative(polynomial)
    while right:
        left, right = right, divide(left, right)[1]
    return divide(polynomial, left)[0]


def count_roots(polynomial: Coefficients, lower: Fraction, upper: Fraction) -> int:
    """Return the number of roots of a square-free polynomial in (lower, upper], by Sturm's theorem."""
    chain = [list(polynomial), derivative(polynomial)]
    while chain[-1]:
        chain.append([-one for one in divide(chain[-2], chain[-1])[1]])

    def changes(place: Fraction) -> int:
        signs = [value > 0 for one in chain if (value := evaluate(one, place))]
        return sum(a != b for a, b in pairwise(signs))

    return changes(lower) - changes(upper)


@total_ordering
@dataclass(frozen=True, eq=False)
class Algebraic:
    """An irrational root of a polynomial with rational coefficients.

    It compares with numbers exactly, adds to and multiplies with rational ones, and converts to a float.

    Args:
        polynomial: square-free, without rational roots between the ends.
        ends: rational numbers between which it has exactly this root.
        width: how wide the interval from `lower` to `upper` may be.
    """

    polynomial: tuple[Fraction, ...]
    ends: tuple[Fraction, Fraction]
    width: Fraction = WIDTH

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
        return self.within(self.width)

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
            shared = list(self.polynomial)
            rest: list[Fraction] = list(other.polynomial)
            while rest:
                shared, rest = rest, divide(shared, rest)[1]
            lower, upper = max(self.ends[0], other.ends[0]), min(self.ends[1], other.ends[1])
            return lower < upper and len(shared) > 1 and count_roots(shared, lower, upper) == 1
        return NotImplemented if not isinstance(other, int | float | Fraction) else False

    __hash__ = None  # type: ignore[assignment]  # equal numbers may be roots of different polynomials

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, float):
            other = Fraction(other)
        if not isinstance(other, int | Fraction | Algebraic):
            return NotImplemented
        if self == other:
            return False
        width = self.ends[1] - self.ends[0]
        while True:
            lower, upper = self.within(width)
            low, high = other.within(width) if isinstance(other, Algebraic) else (Fraction(other), Fraction(other))
            if upper <= low or lower >= high:
                return upper <= low
            width /= 16

    def __neg__(self) -> "Algebraic":
        return self.__mul__(-1)  # type: ignore[no-any-return]  # by a rational number

    def __add__(self, other: Any) -> Any:
        if isinstance(other, float):
            return float(self) + other
        if not isinstance(other, int | Fraction):
            return NotImplemented
        moved = [Fraction()]
        for coefficient in reversed(self.polynomial):  # p(x − other), by Horner's rule
            moved = [
                a + b for a, b in zip([Fraction(), *moved], [-other * c for c in moved] + [Fraction()], strict=True)
            ]
            moved[0] += coefficient
        ends = self.ends[0] + other, self.ends[1] + other
        return Algebraic(tuple(trim(moved)), ends, self.width)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, float):
            return float(self) * other
        if not isinstance(other, int | Fraction):
            return NotImplemented
        if not other:
            return Fraction()
        scaled = tuple(one / Fraction(other) ** power for power, one in enumerate(self.polynomial))
        lower, upper = sorted(other * end for end in self.ends)
        return Algebraic(scaled, (Fraction(lower), Fraction(upper)), self.width)

    __rmul__ = __mul__

    def __str__(self) -> str:
        whole = lcm(*(one.denominator for one in self.polynomial))
        sign = 1 if self.polynomial[-1] > 0 else -1
        terms = [
            f"{'-' if one < 0 else '+'} {abs(one) if abs(one) != 1 or not power else ''}{'x' if power else ''}"
            f"{f'^{power}' if power > 1 else ''}"
            for power in reversed(range(len(self.polynomial)))
            if (one := int(sign * whole * self.polynomial[power]))
        ]
        return f"{float(self):.12g} (algebraic: {' '.join(terms).removeprefix('+ ')} = 0)"

    __repr__ = __str__


Located: TypeAlias = Fraction | Algebraic


def bounds(number: Located) -> tuple[Fraction, Fraction]:
    """Return rational bounds of a number, equal if it is rational."""
    return (number.lower, number.upper) if isinstance(number, Algebraic) else (number, number)


def roots(polynomial: Coefficients, width: Fraction = WIDTH) -> list[Located]:
    """Return the roots strictly between 0 and 1, each once."""
    if len(polynomial) < 2:
        return []
    simple = squarefree(polynomial)
    rational = [root for root in _rational_roots(simple) if 0 < root < 1]
    for root in [root for root in (*rational, Fraction(0), Fraction(1)) if not evaluate(simple, root)]:
        simple = divide(simple, [-root, Fraction(1)])[0]
    irrational = [Algebraic(tuple(simple), ends, width) for ends in _isolated(simple, Fraction(0), Fraction(1))]
    return [*rational, *irrational]


def _isolated(polynomial: Coefficients, lower: Fraction, upper: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield intervals with one root each; no end may be a root."""
    number = count_roots(polynomial, lower, upper) if len(polynomial) > 1 else 0
    if number == 1:
        yield lower, upper
    elif number:
        middle = (lower + upper) / 2  # all rational roots were divided out
        yield from _isolated(polynomial, lower, middle)
        yield from _isolated(polynomial, middle, upper)


def _rational_roots(polynomial: Coefficients) -> Iterator[Fraction]:
    """Yield the rational roots in [0, 1] of a square-free polynomial.

    The denominator of a root divides the leading coefficient of the polynomial in integers, so multiples of its
    inverse are tested, one for each isolated root.
    """
    whole = lcm(*(one.denominator for one in polynomial))
    leading = abs(int(polynomial[-1] * whole))
    for lower, upper in _around(polynomial, Fraction(0), Fraction(1), Fraction(1, 2 * leading)):
        for numerator in {int(lower * leading), int(upper * leading)}:
            for candidate in (Fraction(numerator, leading), Fraction(numerator + 1, leading)):
                if lower <= candidate <= upper and not evaluate(polynomial, candidate):
                    yield candidate


def _around(
    polynomial: Coefficients, lower: Fraction, upper: Fraction, width: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield disjoint intervals of at most a width that together hold all roots in (lower, upper]."""
    if count_roots(polynomial, lower, upper):
        if upper - lower <= width:
            yield lower, upper
        else:
            middle = (lower + upper) / 2
            yield from _around(polynomial, lower, middle, width)
            yield from _around(polynomial, middle, upper, width)


def value_at(polynomial: Coefficients, place: Located) -> Located:
    """Return the value of a polynomial at a place."""
    if isinstance(place, Fraction):
        return Fraction(evaluate(polynomial, place))
    modulus = list(place.polynomial)
    rest = divide(polynomial, modulus)[1]
    characteristic = squarefree(_characteristic(rest, modulus))
    width = place.ends[1] - place.ends[0]
    while True:
        lower, upper = _spanned(rest, place.within(width))
        if count_roots(characteristic, lower, upper) == 1:
            break
        width /= 16
    exact = [
        root for root in (upper, *_rational_between(characteristic, lower, upper)) if not evaluate(characteristic, root)
    ]
    return exact[0] if exact else Algebraic(tuple(characteristic), (lower, upper), place.width)


def _rational_between(polynomial: Coefficients, lower: Fraction, upper: Fraction) -> Iterator[Fraction]:
    """Yield the rational roots between two numbers."""
    scale = upper - lower
    moved = [Fraction()]
    for coefficient in reversed(polynomial):  # p(lower + scale x), by Horner's rule
        moved = [
            a + b
            for a, b in zip(
                [Fraction(), *(scale * c for c in moved)], [*(lower * c for c in moved), Fraction()], strict=True
            )
        ]
        moved[0] += coefficient
    yield from (lower + scale * root for root in _rational_roots(trim(moved)))


def _characteristic(polynomial: Coefficients, modulus: Coefficients) -> list[Fraction]:
    """Return the polynomial whose roots are the values at the roots of the modulus (Faddeev and LeVerrier)."""
    size = len(modulus) - 1
    columns = []
    for power in range(size):
        rest = divide([Fraction()] * power + list(polynomial), modulus)[1]
        columns.append(rest + [Fraction()] * (size - len(rest)))
    matrix = [list(row) for row in zip(*columns, strict=True)]
    coefficients = [Fraction(1)]
    power_matrix = [[Fraction()] * size for _ in range(size)]
    for k in range(1, size + 1):
        shifted = [
            [one + (coefficients[-1] if i == j else 0) for j, one in enumerate(row)]
            for i, row in enumerate(power_matrix)
        ]
        power_matrix = [
            [sum((matrix[i][k_] * shifted[k_][j] for k_ in range(size)), Fraction()) for j in range(size)]
            for i in range(size)
        ]
        coefficients.append(-sum((power_matrix[i][i] for i in range(size)), Fraction()) / k)
    return coefficients[::-1]


def _spanned(polynomial: Coefficients, ends: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Return bounds of a polynomial's values between two numbers, by interval arithmetic."""
    lower = upper = Fraction()
    for coefficient in reversed(polynomial):
        corners = [a * b for a in (lower, upper) for b in ends]
        lower, upper = min(corners) + coefficient, max(corners) + coefficient
    return lower - (upper - lower) / 2 - Fraction(1, 10**40), upper


def maximum(polynomial: Coefficients, width: Fraction = WIDTH) -> tuple[Located, Located]:
    """Return where a polynomial is largest on [0, 1], the least such place, and how large it is there."""
    places = sorted([Fraction(0), *roots(trim(derivative(polynomial)), width), Fraction(1)])
    best = [(places[0], value_at(polynomial, places[0]))]
    for place in places[1:]:
        value = value_at(polynomial, place)
        if value > best[0][1]:
            best = [(place, value)]
    return best[0]
