"""The form of a task file: its tables and entries, as `multislot.exact.files.reading` reads them."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from considerate.craftworld.definition import Handover, Holder, Owner
from considerate.craftworld.grid import Position
from considerate.craftworld.rules import ENTERING, Amount, Condition, ConditionEntry, FactsEntry


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
    needs: ConditionEntry = field(default_factory=Condition)
    sets: FactsEntry = field(default_factory=dict)
    cost: Amount | None = None
    ends: bool = False
    closed: bool = False
    unless: ConditionEntry | None = None


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
    facts: FactsEntry = field(default_factory=dict)
    others: list[VisitorForm | Owner | Holder] = field(default_factory=list)
    handover: Handover = field(default_factory=Handover)
    partner: PartnerForm | None = None
    own_future: Walks | None = None
