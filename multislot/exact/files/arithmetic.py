"""Arithmetic on the parameters of a world's file: parsed and computed here, never executed.

Numbers, names, ``+ - * / **`` and brackets: ``"1/3"``, ``"(r_1 + r_2) / 2"``, ``"slot + 1"``. Numbers are exact: 0.1 is
a tenth. Only the standard library is needed, so that the module loads in a browser.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from multislot.checks import refusal
from multislot.errors import SettingError
from multislot.exact.files.affine import NotLinearError, is_moving
from multislot.exact.files.reading import DASHES, MINUS_REMEDY
from multislot.exact.kernel import Number

Term: TypeAlias = "Fraction | str | tuple[Callable[..., Any], Term, Term]"
"""A number, a name, or an operation on two terms."""

LONGEST_ARITHMETIC = 200
LONGEST_TEXT = 1000
"""The largest number of characters of a template, and of the text that it becomes."""
MOST_BITS = 4096
EXPECTED = 'a number, or arithmetic on parameters in quotes, such as "r_1 / 2"'
NUMBERS_OF_OTHERS = (
    (r"\s*\d+(\.\d+)?\s*%\s*", "write 25% as 0.25"),
    (r"\s*-?\d+,\d+\s*", "write a point and no comma, as in 0.9"),
    (f".*[{DASHES}].*", MINUS_REMEDY),
)
"""Numbers that are written as people write them elsewhere, and how to write them here."""
OPERATIONS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
NUMBER = re.compile(r"[-+]?\d{1,30}(/\d{1,30}|\.\d{1,30})?|[-+]?\.\d{1,30}")
PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Arithmetic:
    """A number of a file, possibly to be computed from parameters."""

    text: str
    term: Term

    @property
    def size(self) -> int:
        """Number of characters that are computed."""
        return len(self.text)

    @property
    def names(self) -> set[str]:
        """The names that it uses."""
        return set(_names(self.term))

    def value(self, values: Mapping[str, Number]) -> Number:
        """Return the number for the given values of its names: a Fraction where they are exact."""
        try:
            return _compute(self.term, values)
        except (ArithmeticError, ValueError) as error:
            known = ", ".join(f"{name}={values[name]}" for name in sorted(self.names))
            raise SettingError(f"got {self.text!r} with {known or 'no parameters'}; {error}") from None


def as_arithmetic(value: object) -> Arithmetic:
    """Read a number or text of a file as arithmetic; raises ValueError (see `multislot.exact.files.reading`)."""
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        if _bits(Fraction(value)) > MOST_BITS:
            raise ValueError(f"a number of at most {MOST_BITS} binary digits")
        return Arithmetic(str(value), Fraction(value))
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_ARITHMETIC:
        raise ValueError(EXPECTED)
    remedy = mend_number(value)
    if remedy:
        raise ValueError(f"{EXPECTED}; {remedy}")
    try:
        return Arithmetic(value, _term(ast.parse(value.strip(), mode="eval").body, value.strip()))
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(EXPECTED) from None


def mend_number(text: str) -> str:
    """Say how to write a number that is written as people write it elsewhere; empty for all other texts."""
    return next((remedy for pattern, remedy in NUMBERS_OF_OTHERS if re.fullmatch(pattern, text)), "")


def read_number(value: Any, name: str) -> Fraction:
    """Return a number from outside exactly: a whole number, a float as it is written, or a text such as ``"9/10"``."""
    written = repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if not isinstance(written, str) or not NUMBER.fullmatch(written.strip()) or re.search("/0+$", written.strip()):
        raise refusal(name, value, 'a number such as 3 or "9/10", of at most 30 digits', mend_number(str(value)))
    return Fraction(written.strip())


@dataclass(frozen=True)
class Template:
    """A text of a file with arithmetic in braces, such as ``"room {slot}"``."""

    parts: tuple[str | Arithmetic, ...]

    @property
    def size(self) -> int:
        """Number of characters that are computed."""
        return sum(part.size for part in self.parts if isinstance(part, Arithmetic))

    @property
    def names(self) -> set[str]:
        """The names that it uses."""
        return {name for part in self.parts if isinstance(part, Arithmetic) for name in part.names}

    def text(self, values: Mapping[str, Number]) -> str:
        """Return the text for the given values of its names; raises as `Arithmetic.value` does."""
        text = ""
        for part in self.parts:
            text += part if isinstance(part, str) else str(part.value(values))
            if len(text) > LONGEST_TEXT:
                raise SettingError(f"got an observation of more than {LONGEST_TEXT} characters, {text[:20]!r}…")
        return text


def as_template(value: object) -> Template:
    """Read a text of a file as a template; raises ValueError (see `multislot.exact.files.reading`)."""
    if not isinstance(value, str):
        raise ValueError("a text in quotes")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"at most {LONGEST_TEXT} characters")
    parts = PLACE.split(value)  # texts at even places, what stands in braces at odd ones
    return Template(tuple(as_arithmetic(part) if place % 2 else part for place, part in enumerate(parts)))


def _term(node: ast.expr, text: str) -> Term:
    """The term that a node of Python's grammar stands for; raises ValueError for all but arithmetic."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _number(ast.get_source_segment(text, node) or "")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return operator.sub, Fraction(0), _term(node.operand, text)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)], _term(node.left, text), _term(node.right, text)
    raise ValueError(EXPECTED)


def _number(written: str) -> Fraction:
    """A number as the fraction that is written; 0.1 is a tenth."""
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", written):
        raise ValueError(f"{EXPECTED}, without an exponent")
    return Fraction(written)


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        yield term
    elif isinstance(term, tuple):
        yield from _names(term[1])
        yield from _names(term[2])


def _compute(term: Term, values: Mapping[str, Number]) -> Number:
    if isinstance(term, Fraction):
        return term
    if isinstance(term, str):
        return values[term]
    operation, left, right = term[0], _compute(term[1], values), _compute(term[2], values)
    if operation is operator.pow:
        return _power(left, right)
    if operation is operator.truediv and right == 0:
        raise ValueError("this divides by 0")
    return _short(operation(left, right))


def _power(base: Number, exponent: Number) -> Number:
    """A power; raises ValueError if the exponent is not a whole number, or the result is too long."""
    if is_moving(base) or is_moving(exponent):
        raise NotLinearError("a moving number is raised to a power")
    if exponent != int(exponent) or (base == 0 and exponent < 0):
        raise ValueError("this is not a power with a whole exponent")
    if isinstance(base, Fraction) and _bits(base) * abs(int(exponent)) > MOST_BITS:
        raise ValueError(f"this number has more than {MOST_BITS} binary digits")
    return base ** int(exponent)


def _short(number: Number) -> Number:
    if isinstance(number, Fraction) and _bits(number) > MOST_BITS:
        raise ValueError(f"this number has more than {MOST_BITS} binary digits")
    return number


def _bits(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length(), 1)
