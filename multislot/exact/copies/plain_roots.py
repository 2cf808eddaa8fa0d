"""Where a polynomial is largest, in plain Python, for a browser that has no FLINT.

Between two neighboring roots of its derivative a polynomial rises or falls, so that it has at most one root there. It
is found by halving. A rational root with a small denominator is found exactly; another one to within 2 ** -60.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

HALVINGS = 60
MOST_DENOMINATOR = 10**6


def evaluate(polynomial: Sequence[Fraction], place: Fraction) -> Fraction:
    """Return the value of a polynomial, given by its coefficients, the constant first."""
    value = Fraction()
    for coefficient in reversed(polynomial):
        value = value * place + coefficient
    return value


def maximum_nearby(polynomial: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return a place at which a polynomial is largest on [0, 1], and its value there.

    Both are exact if the place is a fraction with a denominator of at most `MOST_DENOMINATOR`.

    Args:
        polynomial: its coefficients, the constant first.
    """
    places = [Fraction(0), *_roots(_slope(polynomial)), Fraction(1)]
    values = [evaluate(polynomial, place) for place in places]
    best = max(values)
    return places[values.index(best)], best


def _slope(polynomial: Sequence[Fraction]) -> list[Fraction]:
    return [power * coefficient for power, coefficient in enumerate(polynomial)][1:]


def _roots(polynomial: Sequence[Fraction]) -> list[Fraction]:
    """The places in (0, 1) at which a polynomial changes its sign, in order."""
    if len(polynomial) < 2:
        return []
    ends = [Fraction(0), *_roots(_slope(polynomial)), Fraction(1)]
    found = [
        _root_between(polynomial, low, high)
        for low, high in pairwise(ends)
        if evaluate(polynomial, low) * evaluate(polynomial, high) < 0
    ]
    return sorted({*found, *(end for end in ends[1:-1] if evaluate(polynomial, end) == 0)})


def _root_between(polynomial: Sequence[Fraction], low: Fraction, high: Fraction) -> Fraction:
    rises = evaluate(polynomial, high) > 0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if (evaluate(polynomial, middle) > 0) == rises else (middle, high)
    simple = ((low + high) / 2).limit_denominator(MOST_DENOMINATOR)
    return simple if evaluate(polynomial, simple) == 0 else (low + high) / 2
