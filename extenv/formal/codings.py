"""Computable bijections between the natural numbers and ℚ, ℚ×ℕ, sequences and plays.

Alexander 2022 asks for "a canonical computable bijection" ℕ → ℚ×ℕ (Example 7) and "a canonical computable enumeration
of all non-empty ROA-plays" (Example 11) and leaves the choice open. These are our choices. Codes are short: a sequence
is written as text over three symbols, so its code has about as many digits as all numbers in it together. Only pairs
use Cantor's polynomial.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Generic, TypeVar

from extenv.formal.plays import FormalPercept, Play, Rational, is_natural, is_rational
from multislot.checks import checked_instance, whole
from multislot.errors import SettingError, show_value

T = TypeVar("T")
U = TypeVar("U")
SEPARATOR = 3


@dataclass(frozen=True)
class Coding(Generic[T]):
    """A bijection between the natural numbers and items: ``encode(decode(n)) == n`` and ``decode(encode(x)) == x``.

    Attributes:
        items: a description of the items, for messages.
        holds: whether an object is one of the items.
        number_of: from item to number, unchecked.
        item_at: from number to item, unchecked.
    """

    items: str
    holds: Callable[[object], bool]
    number_of: Callable[[T], int]
    item_at: Callable[[int], T]

    def encode(self, item: T) -> int:
        """Return the number of `item`."""
        if not self.holds(item):
            raise SettingError(f"got {show_value(item)}; expected one of {self.items}")
        return self.number_of(item)

    def decode(self, number: int) -> T:
        """Return the item numbered `number`."""
        if not is_natural(number):
            raise SettingError(f"got {show_value(number)}; items are numbered by ints ≥ 0")
        return self.item_at(number)

    def __getitem__(self, number: int) -> T:
        """Return `decode` of `number`: a coding read as an enumeration."""
        return self.decode(number)


NATURALS: Coding[int] = Coding("the natural numbers", is_natural, lambda natural: natural, lambda number: number)
INTEGERS: Coding[int] = Coding(
    "the integers",
    lambda item: isinstance(item, int) and not isinstance(item, bool),
    lambda integer: 2 * integer if integer >= 0 else -2 * integer - 1,
    lambda number: -(number + 1) // 2 if number % 2 else number // 2,
)


def pair(left: int, right: int) -> int:
    """Return Cantor's number of two natural numbers."""
    if not (is_natural(left) and is_natural(right)):
        raise SettingError(f"got ({show_value(left)}, {show_value(right)}); expected two ints ≥ 0")
    return (left + right) * (left + right + 1) // 2 + left


def unpair(number: int) -> tuple[int, int]:
    """Return the two natural numbers whose `pair` is `number`."""
    if not is_natural(number):
        raise SettingError(f"got {show_value(number)}; pairs are numbered by ints ≥ 0")
    diagonal = (isqrt(8 * number + 1) - 1) // 2
    left = number - diagonal * (diagonal + 1) // 2
    return left, diagonal - left


def pairs(left: Coding[T], right: Coding[U]) -> Coding[tuple[T, U]]:
    """Return the coding of pairs of items."""
    for name, coding in {"left": left, "right": right}.items():
        checked_instance(name, coding, Coding)

    def holds(item: object) -> bool:
        return isinstance(item, tuple) and len(item) == 2 and left.holds(item[0]) and right.holds(item[1])

    def item_at(number: int) -> tuple[T, U]:
        first, second = unpair(number)
        return left.item_at(first), right.item_at(second)

    return Coding(
        f"the pairs of {left.items} and {right.items}",
        holds,
        lambda items: pair(left.number_of(items[0]), right.number_of(items[1])),
        item_at,
    )


def digits(number: int, base: int) -> list[int]:
    """Return the bijective numeral of `number`: digits 1 … base, most significant first; none for 0."""
    number = whole("number", number, 0)
    reversed_digits = []
    while number:
        number, digit = divmod(number - 1, base)
        reversed_digits.append(digit + 1)
    return reversed_digits[::-1]


def from_digits(numeral: list[int], base: int) -> int:
    """Return the number of a bijective numeral."""
    number = 0
    for digit in numeral:
        number = number * base + digit
    return number


def sequence_number(naturals: tuple[int, ...]) -> int:
    """Return the number of a non-empty finite sequence of naturals.

    Each natural is written in bijective base 2 (digits 1 and 2), with the digit 3 between them; the whole is read in
    bijective base 3. Every text over 1, 2, 3 is exactly one non-empty sequence.
    """
    numeral: list[int] = []
    for place, natural in enumerate(naturals):
        numeral += [SEPARATOR] * (place > 0) + digits(natural, 2)
    return from_digits(numeral, 3)


def numbered_sequence(number: int) -> tuple[int, ...]:
    """Return the non-empty sequence of naturals with this `sequence_number`."""
    parts: list[list[int]] = [[]]
    for digit in digits(number, 3):
        if digit == SEPARATOR:
            parts.append([])
        else:
            parts[-1].append(digit)
    return tuple(from_digits(part, 2) for part in parts)


def sequences(coding: Coding[T]) -> Coding[tuple[T, ...]]:
    """Return the coding of all non-empty finite sequences of items."""
    checked_instance("coding", coding, Coding)
    return Coding(
        f"the non-empty tuples of {coding.items}",
        lambda item: isinstance(item, tuple) and len(item) > 0 and all(map(coding.holds, item)),
        lambda items: sequence_number(tuple(map(coding.number_of, items))),
        lambda number: tuple(map(coding.item_at, numbered_sequence(number))),
    )


def rational_number(rational: Rational) -> int:
    """Return the number of a rational: the `sequence_number` of its continued fraction.

    In ``[q₀; q₁, …, q_k]`` the first term is any integer, the later ones are at least 1 and the last, if it is not the
    first, at least 2; each is shifted to start at 0.
    """
    numerator, denominator = rational.numerator, rational.denominator
    terms: list[int] = []
    while denominator:
        terms.append(numerator // denominator)
        numerator, denominator = denominator, numerator % denominator
    first, *later = terms
    shifted = [term - 1 for term in later[:-1]] + [term - 2 for term in later[-1:]]
    return sequence_number((INTEGERS.number_of(first), *shifted))


def numbered_rational(number: int) -> Fraction:
    """Return the rational with this `rational_number`."""
    first, *later = numbered_sequence(number)
    terms = [INTEGERS.item_at(first)] + [term + 1 for term in later[:-1]] + [term + 2 for term in later[-1:]]
    value = Fraction(terms[-1])
    for term in terms[-2::-1]:
        value = term + 1 / value
    return value


RATIONALS: Coding[Rational] = Coding("the ints and Fractions", is_rational, rational_number, numbered_rational)
"""The enumeration of all fractions, for rewards."""
PERCEPTS: Coding[FormalPercept] = pairs(RATIONALS, NATURALS)
"""The bijection ô of Alexander 2022, Example 7: every observation encodes one reward-observation pair."""
TURNS = sequences(pairs(PERCEPTS, NATURALS))


def turns_of(play: Play) -> tuple[Any, ...]:
    """Return the turns of a play, each as a percept and an action."""
    return tuple((play[start : start + 2], play[start + 2]) for start in range(0, len(play), 3))


PLAYS: Coding[Play] = Coding(
    "the non-empty plays",
    lambda item: isinstance(item, tuple) and len(item) % 3 == 0 and TURNS.holds(turns_of(item)),
    lambda play: TURNS.number_of(turns_of(play)),
    lambda number: tuple(entry for percept, action in TURNS.item_at(number) for entry in (*percept, action)),
)
"""The enumeration of all non-empty plays of Alexander 2022, Example 11; play 0 is ``(0, 0, 0)``."""


def strings(alphabet: str) -> Coding[str]:
    """Return the coding of all finite strings over `alphabet`, the empty one first."""
    if not checked_instance("alphabet", alphabet, str) or len(set(alphabet)) < len(alphabet):
        raise SettingError(f"got alphabet {show_value(alphabet)}; give at least one character, none twice")
    return Coding(
        f"the strings over {show_value(alphabet)}",
        lambda item: isinstance(item, str) and set(item) <= set(alphabet),
        lambda text: from_digits([alphabet.index(character) + 1 for character in text], len(alphabet)),
        lambda number: "".join(alphabet[digit - 1] for digit in digits(number, len(alphabet))),
    )
