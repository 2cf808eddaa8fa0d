"""The largest value of a polynomial in several probabilities, each free in [0, 1].

A policy whose copies draw for themselves is worth a polynomial in its probabilities. Where an unknown occurs in the
first power only, one of its ends is best, so it is tried at 0 and at 1. Parts without a common unknown are maximized
separately. A part with one unknown is maximized exactly, see `multislot.exact.copies.polynomials`. For a part with
several unknowns there are bounds: boxes of probabilities are halved, and the coefficients in Bernstein's basis bound
the polynomial on a box.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import product
from math import comb, prod
from typing import Any, TypeAlias

from multislot.errors import TooLargeError
from multislot.exact.copies.joint import linked
from multislot.exact.copies.polynomials import Located, bounds, maximum

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
        terms = defaultdict(Fraction, self.terms)
        for monomial, coefficient in Polynomial.of(other).terms.items():
            terms[monomial] += coefficient
        return Polynomial(terms)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Polynomial":
        return self + -1 * Polynomial.of(other)

    def __rsub__(self, other: Any) -> "Polynomial":
        return Polynomial.of(other) + -1 * self

    def __mul__(self, other: Any) -> "Polynomial":
        terms: dict[Monomial, Fraction] = defaultdict(Fraction)
        others = Polynomial.of(other).terms
        for left, factor in self.terms.items():
            for right, coefficient in others.items():
                monomial = left or right
                if left and right:
                    powers = defaultdict(int, left)
                    for unknown, power in right:
                        powers[unknown] += power
                    monomial = tuple(sorted(powers.items()))
                terms[monomial] += factor * coefficient
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

    def by_power(self, unknown: int) -> dict[int, "Polynomial"]:
        """Return the coefficient of each power of an unknown."""
        parts: dict[int, dict[Monomial, Fraction]] = defaultdict(dict)
        for monomial, coefficient in self.terms.items():
            parts[dict(monomial).get(unknown, 0)][tuple(factor for factor in monomial if factor[0] != unknown)] = (
                coefficient
            )
        return {power: Polynomial(terms) for power, terms in parts.items()}

    def replace(self, unknown: int, number: Any) -> "Polynomial":
        """Return the polynomial with a number or another polynomial in the place of an unknown."""
        by_power, result = self.by_power(unknown), Polynomial({})
        for power in range(max(by_power, default=0), -1, -1):
            result = result * number + by_power.get(power, 0)
        return result

    def at(self, place: Mapping[int, Fraction]) -> Fraction:
        """Return the value where all unknowns are known."""
        return sum(
            (coefficient * prod(place[u] ** k for u, k in monomial) for monomial, coefficient in self.terms.items()),
            Fraction(),
        )

    def without_powers(self) -> "Polynomial":
        """Return the polynomial that has the same values where all unknowns are 0 or 1."""
        terms: dict[Monomial, Fraction] = defaultdict(Fraction)
        for monomial, coefficient in self.terms.items():
            terms[tuple((unknown, 1) for unknown, _ in monomial)] += coefficient
        return Polynomial(terms)


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
    value: Located | None = None

    def __add__(self, other: "Maximum") -> "Maximum":
        """Return the maximum of a sum without a common unknown; two irrational values have no exact sum here."""
        irrational = [part.value for part in (self, other) if not isinstance(part.value, Fraction)]
        value = None if None in irrational or len(irrational) > 1 else self.value + other.value  # type: ignore[operator]
        return Maximum(self.lower + other.lower, self.upper + other.upper, {**self.place, **other.place}, value)

    def or_else(self, other: "Maximum") -> "Maximum":
        """Return the better of two; the first if they are equal."""
        if self.value is not None and other.value is not None:
            return other if other.value > self.value else self
        best, worse = (other, self) if other.lower > self.lower else (self, other)
        value = best.value if best.value is not None and best.lower >= worse.upper else None
        return Maximum(best.lower, max(best.upper, worse.upper), best.place, value)


def maximize(polynomial: Polynomial) -> Maximum:
    """Return the largest value of a polynomial where all unknowns are between 0 and 1."""
    best = _Search().maximize(polynomial)
    return replace(best, value=best.lower) if best.lower == best.upper else best


@dataclass
class _Search:
    branches: int = 0
    known: dict[frozenset[tuple[Monomial, Fraction]], Maximum] = field(default_factory=dict)

    def maximize(self, polynomial: Polynomial) -> Maximum:
        constant = polynomial.terms.get((), Fraction())
        total = Maximum(constant, constant, {}, constant)
        for part in _parts(polynomial):
            key = frozenset(part.terms.items())
            if key not in self.known:
                self.known[key] = self._connected(part)
            total += self.known[key]
        return total

    def _connected(self, polynomial: Polynomial) -> Maximum:
        powers = polynomial.powers
        if len(powers) == 1:
            return _of_one(polynomial)
        linear = [unknown for unknown, power in powers.items() if power == 1]
        if not linear:
            return _bracket(polynomial)
        self.branches += 1
        if self.branches > MOST_BRANCHES:
            place = dict.fromkeys(powers, Fraction())
            return Maximum(polynomial.at(place), _upper(polynomial), place)
        often = {u: sum(u in dict(monomial) for monomial in polynomial.terms) for u in linear}
        unknown = max(linear, key=lambda u: (often[u], -u))
        best: Maximum | None = None
        for end in (Fraction(0), Fraction(1)):
            rest = polynomial.replace(unknown, end)
            if best is None or _upper(rest) > best.lower:
                inner = self.maximize(rest)
                inner = replace(inner, place={unknown: end, **inner.place})
                best = best.or_else(inner) if best else inner
        assert best is not None
        return best


def _of_one(polynomial: Polynomial) -> Maximum:
    """Return the maximum of a polynomial in at most one unknown."""
    unknown = next(iter(polynomial.powers), -1)
    by_power = {power: part.at({}) for power, part in polynomial.by_power(unknown).items()}
    place, value = maximum([by_power.get(power, Fraction()) for power in range(max(by_power, default=0) + 1)])
    return Maximum(*bounds(value), {unknown: place} if polynomial.powers else {}, value)


def _parts(polynomial: Polynomial) -> Iterable[Polynomial]:
    """Return parts that have no unknown in common; the constant is left out."""
    shared = linked([unknown for unknown, _ in monomial] for monomial in polynomial.terms)
    parts: dict[Any, dict[Monomial, Fraction]] = defaultdict(dict)
    for monomial, coefficient in polynomial.terms.items():
        if monomial:
            parts[shared[monomial[0][0]]][monomial] = coefficient
    return map(Polynomial, parts.values())


def _upper(polynomial: Polynomial) -> Fraction:
    """Return a quick upper bound on [0, 1]^n."""
    return sum((c for monomial, c in polynomial.terms.items() if c > 0 or not monomial), Fraction())


def _bracket(polynomial: Polynomial) -> Maximum:
    """Return bounds on the largest value of a polynomial in several unknowns, by halving boxes."""
    gap = GAP * sum(abs(coefficient) for coefficient in polynomial.terms.values())
    box = dict.fromkeys(polynomial.powers, (Fraction(0), Fraction(1)))
    best = Maximum(polynomial.at(dict.fromkeys(box, Fraction())), _upper(polynomial), {})
    solved: list[Maximum] = []
    heap = [(-best.upper, 0, box, polynomial)]
    count = 0
    while heap and count < MOST_BOXES and -heap[0][0] > best.lower + gap:
        _, _, box, local = heappop(heap)
        widest = max(local.powers, key=lambda u: box[u][1] - box[u][0])
        low, high = box[widest]
        for start in (Fraction(0), Fraction(1, 2)):
            count += 1
            inside = {**box, widest: (low + start * (high - low), low + (start + Fraction(1, 2)) * (high - low))}
            part, fixed = _monotone(local.replace(widest, Polynomial.unknown(widest) * Fraction(1, 2) + start))

            def placed(shares: Mapping[int, Any], inside: Any = inside, fixed: Any = fixed) -> dict[int, Any]:
                return {u: a + (b - a) * shares.get(u, fixed.get(u, Fraction())) for u, (a, b) in inside.items()}

            if len(part.powers) <= 1:
                inner = _of_one(part)
                solved.append(replace(inner, place=placed(inner.place)))
                best = solved[-1] if inner.lower > best.lower else best
                continue
            upper, corner, value = _bernstein(part)
            if value > best.lower:
                best = Maximum(value, value, placed(corner))
            if upper > best.lower:
                ends = {u: inside[u] if u in part.powers else (here, here) for u, here in placed({}).items()}
                heappush(heap, (-upper, count, ends, part))
    left = max((-bound for bound, *_ in heap), default=best.lower)
    if best.value is not None and left <= best.lower:
        for inner in solved:
            best = best.or_else(inner)
        return best
    return Maximum(best.lower, max(best.lower, left, *(inner.upper for inner in solved)), best.place)


def _monotone(polynomial: Polynomial) -> tuple[Polynomial, dict[int, Fraction]]:
    """Fix the unknowns in which the polynomial only rises or only falls on the unit box."""
    fixed: dict[int, Fraction] = {}
    for unknown in list(polynomial.powers):
        slope = Polynomial({})
        for power, part in polynomial.by_power(unknown).items():
            if power:
                slope += part * Polynomial({((unknown, power - 1),) if power > 1 else (): Fraction(power)})
        values = [value for _, value in _bernstein_coefficients(slope)]
        if min(values, default=0) >= 0 or max(values) <= 0:
            fixed[unknown] = Fraction(max(values, default=0) > 0)
            polynomial = polynomial.replace(unknown, fixed[unknown])
    return polynomial, fixed


def _bernstein(polynomial: Polynomial) -> tuple[Fraction, dict[int, Fraction], Fraction]:
    """Return an upper bound on the unit box, its best corner, and the value there."""
    powers = polynomial.powers
    coefficients = list(_bernstein_coefficients(polynomial))
    corners = [(c, index) for index, c in coefficients if index and all(index[u] in (0, powers[u]) for u in powers)]
    upper = max(coefficient for _, coefficient in coefficients)
    if not corners:
        corner = dict.fromkeys(powers, Fraction())
        return upper, corner, polynomial.at(corner)
    value, index = max(corners, key=lambda corner: corner[0])
    return upper, {u: Fraction(index[u] == power) for u, power in powers.items()}, value


def _bernstein_coefficients(polynomial: Polynomial) -> Iterator[tuple[dict[int, int], Fraction]]:
    """Yield the coefficients in Bernstein's basis; the polynomial lies between the extreme ones on the unit box."""
    powers = polynomial.powers
    if prod(power + 1 for power in powers.values()) > MOST_BERNSTEIN:
        yield from (({}, bound) for bound in (_upper(polynomial), -_upper(-1 * polynomial)))
        return
    tensor = {tuple(dict(monomial).get(u, 0) for u in powers): c for monomial, c in polynomial.terms.items()}
    for axis, power in enumerate(powers.values()):
        turned: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for index, coefficient in tensor.items():
            for row in range(index[axis], power + 1):
                weight = Fraction(comb(row, index[axis]), comb(power, index[axis]))
                turned[*index[:axis], row, *index[axis + 1 :]] += weight * coefficient
        tensor = turned
    for index in product(*(range(power + 1) for power in powers.values())):
        yield dict(zip(powers, index, strict=True)), tensor.get(index, Fraction())
