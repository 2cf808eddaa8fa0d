"""The form of a world's file: its tables and entries, before anything of it is computed. See docs/files.md."""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any

from multislot.errors import SettingError
from multislot.exact.files.arithmetic import Arithmetic, as_arithmetic, as_template
from multislot.exact.files.reading import Document, FileError, number

RESERVED = ("slot", "discount", "horizon", "caring")
"""Names that no parameter of a file may have."""
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SMALL = re.compile(r"(?<![\w.])([\d_.]+)[eE]-\d+")
RANGE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.+)\.\.(.+)")


@dataclass(frozen=True)
class Each:
    """A name that runs over whole numbers: ``each = "k = 1..n"``."""

    name: str
    first: Arithmetic
    last: Arithmetic


def each(value: object) -> Each:
    """Read a name and its range; raises ValueError. A reader, see `multislot.exact.files.reading`."""
    match = RANGE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError('a name and a range, such as "k = 1..n"')
    return Each(match[1], as_arithmetic(match[2]), as_arithmetic(match[3]))


def target(value: object) -> Arithmetic:
    """Return a slot of a file; "same" is the agent's own slot. A reader, see `multislot.exact.files.reading`."""
    return as_arithmetic("slot" if value == "same" else value)


def fixed(value: object) -> int | Fraction:
    """Return a number of a file, or arithmetic without names such as "1/3"; raises ValueError. A reader."""
    if not isinstance(value, str):
        return number(value)
    written = as_arithmetic(value)
    if written.names:
        raise ValueError('a number such as 3, or "1/3" in quotes')
    try:
        return number(written.value({}))
    except SettingError as error:
        raise ValueError(f"a number ({error})") from None


OneNumber = Annotated[Any, fixed]
OneArithmetic = Annotated[Any, as_arithmetic]
OneTemplate = Annotated[Any, as_template]
OneEach = Annotated[Any, each]
OneTarget = Annotated[Any, target]


@dataclass(frozen=True)
class Parameter:
    """A number that a user may set.

    Attributes:
        default: its value if the user gives none.
        least: the smallest allowed value; None for any.
        most: the largest allowed value; None for any.
        whole: whether it must be a whole number.
        meaning: what it is, in words.
    """

    default: OneNumber
    least: OneNumber = None
    most: OneNumber = None
    whole: bool = False
    meaning: str = ""


@dataclass(frozen=True)
class Start:
    """An agent at the beginning."""

    state: str
    slot: OneArithmetic = field(default_factory=lambda: as_arithmetic(1))


@dataclass(frozen=True)
class State:
    """A hidden state: its observation and reward at each step, and how long it lasts."""

    sees: OneTemplate = None
    pays: OneArithmetic = field(default_factory=lambda: as_arithmetic(0))
    lasts: OneArithmetic = None
    then: str = ""


@dataclass(frozen=True)
class Becomes:
    """One copy, and what it finds."""

    slot: OneTarget = field(default_factory=lambda: target("same"))
    state: str = ""
    sees: OneTemplate = None
    pays: OneArithmetic = None
    each: OneEach = None


@dataclass(frozen=True)
class Outcome:
    """A possible outcome of an action in a state; of every action if none is named."""

    state: str
    becomes: list[Becomes]
    action: str = ""
    probability: OneArithmetic = field(default_factory=lambda: as_arithmetic(1))
    each: OneEach = None


@dataclass(frozen=True)
class WorldForm:
    """A whole file."""

    name: str
    start: list[Start]
    title: str = ""
    source: str = ""
    question: str = ""
    moral: str = ""
    actions: list[str] = field(default_factory=list)
    after: list[list[str]] = field(default_factory=list)
    discount: OneNumber = Fraction(9, 10)
    horizon: int = 5
    parameters: dict[str, Parameter] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)


def read_form(document: Document) -> WorldForm:
    """Return the form of a document."""
    for match in SMALL.finditer(document.text):
        if not float(match[0]) and re.search("[1-9]", match[1]):
            line = document.text.count("\n", 0, match.start()) + 1
            raise FileError(line, "", f"got {match[0]}; expected 0, or a number that is not so close to 0")
    return Document(document.text, _spell_out(document.content)).read(WorldForm)


def start_entry(document: Document, index: int) -> str:
    """Return the entry of an agent at the start; ``start`` itself if there is only one agent."""
    return "start" if isinstance(document.content["start"], dict) else f"start.{index}"


def _spell_out(content: dict[str, Any]) -> dict[str, Any]:
    """The content with its short forms written out: a parameter that is only a number, a single start."""
    content = dict(content)
    parameters, start = content.get("parameters"), content.get("start")
    if isinstance(parameters, dict):
        content["parameters"] = {
            name: value if isinstance(value, dict) else {"default": value} for name, value in parameters.items()
        }
    if isinstance(start, dict):
        content["start"] = [start]
    return content
