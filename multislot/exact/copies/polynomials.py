"""The largest value of a polynomial on [0, 1]: a Fraction, or an interval of stated width (algebra by SymPy)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias


class Interval(NamedTuple):
    """A number that lies between two Fractions."""

    lower: Fraction
    upper: Fraction


Located: TypeAlias = Fraction | Interval


def bounds(number: Located) -> Interval:
    """Return a number as an interval."""
    return number if isinstance(number, Interval) else Interval(number, number)


def maximum(points: Sequence[tuple[Fraction, Fraction]], width: Fraction) -> tuple[Located, Located]:
    """Return where a polynomial is largest on [0, 1], the least such place, and how large it is there.

    Args:
        points: arguments and values; the polynomial is the one of least degree through them.
        width: how wide the intervals of an irrational place, and of the value there, may be.
    """
    from sympy import QQ, Poly, Symbol, interpolate

    variable = Symbol("p")
    through = [(_rational(argument), _rational(value)) for argument, value in points]
    polynomial = Poly(interpolate(through, variable), variable, domain=QQ)
    steepest = sum((abs(_fraction(one)) for one in polynomial.diff().all_coeffs()), Fraction(1))
    places = sorted(_candidates(polynomial.diff(), width / steepest), key=bounds)
    values = [_value(polynomial, place, steepest) for place in places]
    return max(zip(places, values, strict=True), key=lambda one: bounds(one[1]).lower)


def _candidates(slope: Any, width: Fraction) -> Iterator[Located]:
    """Yield the ends, and the places between them where the slope is 0; intervals hold no rational such place."""
    yield from (Fraction(0), Fraction(1))
    if slope.is_zero:
        return
    rational = [_fraction(root) for root in slope.ground_roots()]
    yield from (root for root in rational if 0 < root < 1)
    for (low, high), _ in slope.intervals(eps=_rational(width), inf=0, sup=1):
        place = Interval(_fraction(low), _fraction(high))
        if not any(place.lower <= root <= place.upper for root in rational):
            yield place


def _value(polynomial: Any, place: Located, steepest: Fraction) -> Located:
    """Return the value at a place; `steepest` bounds how fast it changes on [0, 1]."""
    lower, upper = bounds(place)
    least = max(_fraction(polynomial.eval(_rational(end))) for end in (lower, upper))
    return Interval(least, least + steepest * (upper - lower)) if isinstance(place, Interval) else least


def _rational(number: Fraction) -> Any:
    from sympy import Rational

    return Rational(number.numerator, number.denominator)


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))
