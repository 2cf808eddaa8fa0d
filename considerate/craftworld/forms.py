"""The form of a task file: its tables and entries, as `multislot.exact.files.reading` reads them."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Literal

from considerate.craftworld.grid import Position
from considerate.craftworld.rules import ENTERING, Condition
from multislot.exact.files.reading import number

Entries = dict[str, Any]
Amount = Annotated[int | Fraction, number]


def cell(value: object) -> Position:
    """Read one cell of a file; raises ValueError."""
    if not (isinstance(value, list) and len(value) == 2 and all(type(number) is int for number in value)):
        raise ValueError("a cell [x, y]")
    return value[0], value[1]


def place(value: object) -> list[str] | Position:
    """Read a place of a file: words of the legend, or one cell; raises ValueError."""
    words = [value] if isinstance(value, str) else value
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        return words
    try:
        return cell(value)
    except ValueError:
        raise ValueError("a word of the legend, a list of such words, or a cell [x, y]") from None


OneCell = Annotated[Position, cell]
Place = Annotated[list[str] | Position, place]


@dataclass(frozen=True)
class Rule:
    """One rule of a group."""

    at: Place
    by: str = ENTERING
    needs: Entries = field(default_factory=dict)
    sets: Entries = field(default_factory=dict)
    cost: Amount | None = None
    ends: bool = False
    closed: bool = False
    unless: Entries | None = None


@dataclass(frozen=True)
class Walks:
    """Where an agent starts, and the groups of rules that it follows."""

    start: Place
    follows: list[str]


@dataclass(frozen=True)
class ActingForm(Walks):
    """The acting agent."""

    name: str


@dataclass(frozen=True)
class VisitorForm(Walks):
    """An agent that walks afterwards."""

    name: str
    kind: Literal["visitor"]


@dataclass(frozen=True)
class OwnerForm:
    """An agent that loses something for a certain fact."""

    name: str
    kind: Literal["owner"]
    fact: str
    loss: Amount
    walkers: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class HolderForm:
    """An agent with an option."""

    name: str
    kind: Literal["holder"]
    initiation: Entries


@dataclass(frozen=True)
class PartnerForm:
    """A second agent who acts at the same time."""

    name: str
    start: OneCell
    toolshed: OneCell
    wood: OneCell
    factory: OneCell
    key_place: OneCell
    exit: OneCell
    loss: Amount


@dataclass(frozen=True)
class LeftForm:
    """A change of facts as the acting agent leaves."""

    needs: Entries
    sets: Entries


@dataclass(frozen=True)
class HandoverForm:
    """The facts that the next agents find."""

    public: list[str] = field(default_factory=list)
    changes: list[LeftForm] = field(default_factory=list)


@dataclass(frozen=True)
class TaskForm:
    """A whole task file."""

    name: str
    map: str
    rules: dict[str, list[Rule]]
    acting: ActingForm
    title: str = ""
    source: str = ""
    impossible: Amount = -1000
    step_cost: Amount = 1
    facts: Entries = field(default_factory=dict)
    others: list[VisitorForm | OwnerForm | HolderForm] = field(default_factory=list)
    handover: HandoverForm = field(default_factory=HandoverForm)
    partner: PartnerForm | None = None
    own_future: Walks | None = None


def facts_of(entries: Mapping[str, Any]) -> dict[str, Hashable]:
    """Read facts of a file: a pair of whole numbers is a cell, and false means that the fact is absent."""
    return {name: _value(value) for name, value in entries.items()}


def condition_of(entries: Mapping[str, Any]) -> Condition:
    """Read a condition of a file: for each fact one value, or a list of allowed values."""
    return Condition(tuple((name, tuple(_alternatives(value))) for name, value in entries.items()))


def _alternatives(value: Any) -> Iterable[Hashable]:
    several = isinstance(value, list) and not isinstance(_value(value), tuple)
    return map(_value, value) if several else [_value(value)]


def _value(value: Any) -> Hashable:
    """One value of a fact; raises ValueError for a table."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(number, int) for number in value):
        return (value[0], value[1])
    if isinstance(value, list):
        return frozenset(map(_value, value))
    if isinstance(value, dict):
        raise ValueError("a word, a number, true, false or a cell [x, y], or a list of these")
    return None if value is False else float(value) if isinstance(value, Fraction) else value
