"""The largest value of a polynomial in several probabilities, each free in [0, 1].

A policy whose copies draw for themselves is worth a polynomial in its probabilities. Where an unknown occurs in the
first power only, one of its ends is best, so it is tried at 0 and at 1. Parts without a common unknown are maximized
apart. What is left of one unknown is maximized exactly, see `multislot.exact.copies.polynomials`. Several unknowns that
are left together are bracketed: boxes of probabilities are halved, and the coefficients in Bernstein's basis bound the
polynomial on a box.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import product
from math import comb, prod
from typing import Any, TypeAlias

from multislot.errors import TooLargeError
from multislot.exact.copies.polynomials import WIDTH, Located, bounds, maximum, trim

MOST_TERMS = 20_000
MOST_BRANCHES = 5_000
MOST_BOXES = 400
MOST_BERNSTEIN = 1_000
GAP = Fraction(1, 10**6)
"""A bracket this narrow, relative to the size of the polynomial, is not narrowed further."""

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""Unknowns and their powers, in order."""


class Polynomial:
    """A polynomial in unknowns that are numbered from 0.

    Args:
        terms: the coefficient of each monomial.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient}
        if len(self.terms) > MOST_TERMS:
            raise TooLargeError(
                f"the worth is a polynomial of more than {MOST_TERMS} terms; give a shorter horizon, or use "
                "bracket_for_copies"
            )

    @classmethod
    def unknown(cls, number: int) -> "Polynomial":
        """Return an unknown."""
        return cls({((number, 1),): Fraction(1)})

    @classmethod
    def of(cls, number: Any) -> "Polynomial":
        """Return a number as a polynomial."""
        return number if isinstance(number, Polynomial) else cls({(): Fraction(number)})

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Any) -> "Polynomial":
        terms = dict(self.terms)
        for monomial, coefficient in Polynomial.of(other).terms.items():
            terms[monomial] = terms.get(monomial, Fraction()) + coefficient
        return Polynomial(terms)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Polynomial":
        return self + -1 * Polynomial.of(other)

    def __rsub__(self, other: Any) -> "Polynomial":
        return Polynomial.of(other) + -1 * self

    def __mul__(self, other: Any) -> "Polynomial":
        terms: dict[Monomial, Fraction] = {}
        for left, factor in self.terms.items():
            for right, coefficient in Polynomial.of(other).terms.items():
                monomial = _times(left, right)
                terms[monomial] = terms.get(monomial, Fraction()) + factor * coefficient
        return Polynomial(terms)

    __rmul__ = __mul__

    @property
    def powers(self) -> dict[int, int]:
        """The largest power of each unknown."""
        powers: dict[int, int] = {}
        for monomial in self.terms:
            for unknown, power in monomial:
                powers[unknown] = max(powers.get(unknown, 0), power)
        return powers

    def replace(self, unknown: int, number: Any) -> "Polynomial":
        """Return the polynomial with a number or another polynomial in the place of an unknown."""
        by_power: dict[int, dict[Monomial, Fraction]] = {}
        for monomial, coefficient in self.terms.items():
            power = dict(monomial).get(unknown, 0)
            by_power.setdefault(power, {})[tuple(one for one in monomial if one[0] != unknown)] = coefficient
        result = Polynomial({})
        for power in range(max(by_power, default=0), -1, -1):
            result = result * number + Polynomial(by_power.get(power, {}))
        return result

    def at(self, place: Mapping[int, Fraction]) -> Fraction:
        """Return the value where all unknowns are known."""
        return sum(
            (coefficient * prod(place[u] ** k for u, k in monomial) for monomial, coefficient in self.terms.items()),
            Fraction(),
        )

    def without_powers(self) -> "Polynomial":
        """Return the polynomial that has the same values where all unknowns are 0 or 1."""
        terms: dict[Monomial, Fraction] = {}
        for monomial, coefficient in self.terms.items():
            plain = tuple((unknown, 1) for unknown, _ in monomial)
            terms[plain] = terms.get(plain, Fraction()) + coefficient
        return Polynomial(terms)


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for unknown, power in right:
        powers[unknown] = powers.get(unknown, 0) + power
    return tuple(sorted(powers.items()))


@dataclass(frozen=True)
class Maximum:
    """The largest value of a polynomial.

    Attributes:
        lower: the value at `place`, or a rational bound below it.
        upper: no value is larger.
        place: a probability for each unknown; what is missing is 0.
        value: the largest value if it is known exactly, otherwise None.
    """

    lower: Fraction
    upper: Fraction
    place: Mapping[int, Located]
    value: Located | None


def maximize(polynomial: Polynomial, width: Fraction = WIDTH) -> Maximum:
    """Return the largest value of a polynomial where all unknowns are between 0 and 1.

    Args:
        polynomial: the polynomial.
        width: how wide the intervals of irrational numbers are shown.
    """
    found = _Search(width).maximize(polynomial)
    return replace(found, value=found.lower) if found.lower == found.upper else found


@dataclass
class _Search:
    width: Fraction
    branches: int = 0
    known: dict[frozenset[tuple[Monomial, Fraction]], Maximum] = field(default_factory=dict)

    def maximize(self, polynomial: Polynomial) -> Maximum:
        constant = polynomial.terms.get((), Fraction())
        total = Maximum(constant, constant, {}, constant)
        for part in _parts(polynomial):
            key = frozenset(part.terms.items())
            if key not in self.known:
                self.known[key] = self._connected(part)
            total = _sum(total, self.known[key])
        return total

    def _connected(self, polynomial: Polynomial) -> Maximum:
        powers = polynomial.powers
        if len(powers) == 1:
            return _of_one(polynomial, next(iter(powers)), self.width)
        linear = [unknown for unknown, power in powers.items() if power == 1]
        if not linear:
            return _bracket(polynomial, self.width)
        self.branches += 1
        if self.branches > MOST_BRANCHES:
            place = {unknown: Fraction() for unknown in powers}
            return Maximum(polynomial.at(place), _upper(polynomial), place, None)
        often = {u: sum(u in dict(monomial) for monomial in polynomial.terms) for u in linear}
        unknown = max(linear, key=lambda u: (often[u], -u))
        best: Maximum | None = None
        for end in (Fraction(0), Fraction(1)):
            rest = polynomial.replace(unknown, end)
            if best is None or _upper(rest) > best.lower:
                found = self.maximize(rest)
                found = Maximum(found.lower, found.upper, {unknown: end, **found.place}, found.value)
                best = found if best is None else _better(best, found)
        assert best is not None
        return best


def _sum(left: Maximum, right: Maximum) -> Maximum:
    value: Located | None = None
    if isinstance(left.value, Fraction) and right.value is not None:
        value = right.value + left.value
    elif isinstance(right.value, Fraction) and left.value is not None:
        value = left.value + right.value
    return Maximum(left.lower + right.lower, left.upper + right.upper, {**left.place, **right.place}, value)


def _better(first: Maximum, second: Maximum) -> Maximum:
    """Return the better one of two; the first if they are equal."""
    if first.value is not None and second.value is not None:
        return second if second.value > first.value else first
    best = second if second.lower > first.lower else first
    other = first if best is second else second
    value = best.value if best.value is not None and best.lower >= other.upper else None
    return Maximum(best.lower, max(first.upper, second.upper), best.place, value)


def _of_one(polynomial: Polynomial, unknown: int, width: Fraction) -> Maximum:
    coefficients = [Fraction()] * (polynomial.powers[unknown] + 1)
    for monomial, coefficient in polynomial.terms.items():
        coefficients[monomial[0][1] if monomial else 0] = coefficient
    place, value = maximum(trim(coefficients), width)
    return Maximum(*bounds(value), {unknown: place}, value)


def _parts(polynomial: Polynomial) -> Iterator[Polynomial]:
    """Yield parts that have no unknown in common; the constant is left out."""
    leader: dict[int, int] = {}

    def lead(unknown: int) -> int:
        while leader[unknown] != unknown:
            unknown = leader[unknown]
        return unknown

    for monomial in polynomial.terms:
        for unknown, _ in monomial:
            leader.setdefault(unknown, unknown)
            leader[lead(unknown)] = lead(monomial[0][0])
    parts: dict[int, dict[Monomial, Fraction]] = {}
    for monomial, coefficient in polynomial.terms.items():
        if monomial:
            parts.setdefault(lead(monomial[0][0]), {})[monomial] = coefficient
    yield from map(Polynomial, parts.values())


def _upper(polynomial: Polynomial) -> Fraction:
    """Return a quick upper bound on [0, 1]^n."""
    return sum((c for monomial, c in polynomial.terms.items() if c > 0 or not monomial), Fraction())


def _bracket(polynomial: Polynomial, width: Fraction) -> Maximum:
    """Return bounds on the largest value of a polynomial in several unknowns, by halving boxes."""
    unknowns = list(polynomial.powers)
    gap = GAP * sum(abs(coefficient) for coefficient in polynomial.terms.values())
    box = {unknown: (Fraction(0), Fraction(1)) for unknown in unknowns}
    best = Maximum(polynomial.at(dict.fromkeys(unknowns, Fraction())), _upper(polynomial), {}, None)
    exact_values: list[Maximum] = []
    heap: list[tuple[Fraction, int, dict[int, tuple[Fraction, Fraction]], Polynomial]] = []
    heappush(heap, (-_upper(polynomial), 0, box, polynomial))
    count, settled = 0, best.lower
    while heap and count < MOST_BOXES and -heap[0][0] > best.lower + gap:
        _, _, box, local = heappop(heap)
        widest = max(local.powers, key=lambda u: box[u][1] - box[u][0])
        low, high = box[widest]
        for ends in ((low, (low + high) / 2), ((low + high) / 2, high)):
            count += 1
            inside = {**box, widest: ends}
            half = Polynomial.unknown(widest) * Fraction(1, 2) + (0 if ends[0] == low else Fraction(1, 2))
            part, fixed = _monotone(local.replace(widest, half))
            left = part.powers
            if len(left) <= 1:
                end = part.terms.get((), Fraction())
                found = _of_one(part, next(iter(left)), width) if left else Maximum(end, end, {}, end)
                place = {u: a + (b - a) * found.place.get(u, fixed.get(u, Fraction())) for u, (a, b) in inside.items()}
                exact_values.append(Maximum(found.lower, found.upper, place, found.value))
                settled = max(settled, found.upper)
                if found.lower > best.lower:
                    best = exact_values[-1]
                continue
            upper, corner, value = _bernstein(part)
            if value > best.lower:
                place = {u: a + (b - a) * corner.get(u, fixed.get(u, Fraction())) for u, (a, b) in inside.items()}
                best = Maximum(value, value, place, None)
            if upper > best.lower:
                heappush(
                    heap,
                    (-upper, count, {u: inside[u] if u in left else _point(inside[u], fixed[u]) for u in inside}, part),
                )
    upper = max(best.lower, settled, *(-bound for bound, *_ in heap))
    if best.value is not None and all(-bound <= best.lower for bound, *_ in heap):
        top = best
        for one in exact_values:
            top = _better(top, one)
        return top
    return Maximum(best.lower, upper, best.place, None)


def _point(ends: tuple[Fraction, Fraction], share: Fraction) -> tuple[Fraction, Fraction]:
    place = ends[0] + (ends[1] - ends[0]) * share
    return place, place


def _monotone(polynomial: Polynomial) -> tuple[Polynomial, dict[int, Fraction]]:
    """Fix the unknowns in which the polynomial only rises or only falls on the unit box."""
    fixed: dict[int, Fraction] = {}
    for unknown in list(polynomial.powers):
        slope = Polynomial(
            {
                tuple((u, k - (u == unknown)) for u, k in monomial if k - (u == unknown)): c * dict(monomial)[unknown]
                for monomial, c in polynomial.terms.items()
                if unknown in dict(monomial)
            }
        )
        values = list(_bernstein_coefficients(slope))
        if not values or min(v for _, v in values) >= 0 or max(v for _, v in values) <= 0:
            fixed[unknown] = Fraction(1) if values and max(v for _, v in values) > 0 else Fraction(0)
            polynomial = polynomial.replace(unknown, fixed[unknown])
    return polynomial, {u: fixed.get(u, Fraction()) for u in fixed}


def _bernstein(polynomial: Polynomial) -> tuple[Fraction, dict[int, Fraction], Fraction]:
    """Return an upper bound on the unit box, its best corner, and the value there."""
    powers = polynomial.powers
    upper: Fraction | None = None
    best: tuple[Fraction, dict[int, Fraction]] | None = None
    for index, coefficient in _bernstein_coefficients(polynomial):
        upper = coefficient if upper is None else max(upper, coefficient)
        if all(index[u] in (0, power) for u, power in powers.items()) and (best is None or coefficient > best[0]):
            best = coefficient, {u: Fraction(index[u] == power) for u, power in powers.items()}
    if upper is None or best is None:
        corner = dict.fromkeys(powers, Fraction())
        return _upper(polynomial), corner, polynomial.at(corner)
    return upper, best[1], best[0]


def _bernstein_coefficients(polynomial: Polynomial) -> Iterable[tuple[dict[int, int], Fraction]]:
    """Yield the coefficients in Bernstein's basis; the polynomial lies between the extreme ones on the unit box."""
    powers = polynomial.powers
    if prod(power + 1 for power in powers.values()) > MOST_BERNSTEIN:
        yield from (({}, bound) for bound in (_upper(polynomial), -_upper(-1 * polynomial)))
        return
    tensor = {tuple(dict(monomial).get(u, 0) for u in powers): c for monomial, c in polynomial.terms.items()}
    for axis, power in enumerate(powers.values()):
        turned: dict[tuple[int, ...], Fraction] = {}
        for index, coefficient in tensor.items():
            for row in range(index[axis], power + 1):
                key = (*index[:axis], row, *index[axis + 1 :])
                weight = Fraction(comb(row, index[axis]), comb(power, index[axis]))
                turned[key] = turned.get(key, Fraction()) + weight * coefficient
        tensor = turned
    for index in product(*(range(power + 1) for power in powers.values())):
        yield dict(zip(powers, index, strict=True)), tensor.get(index, Fraction())
