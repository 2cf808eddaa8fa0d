"""The rules of Craft-World: which facts change when an agent enters a cell or acts there.

The world is the acting agent's cell and a set of *facts*: ``key = (3, 1)``, ``hammer = held``, ``fridge = open``. A
`Change` says under which facts something happens in a cell and what it makes true; a `Barrier` says when a cell cannot
be entered. A task is a list of such rules (Alizadeh Alamdari et al. 2021, sections 4.1–4.2 and appendix A.2); hammers
and fridges exist only there, not in the code. At each event only the first rule that matches applies.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, NamedTuple, TypeAlias

from considerate.craftworld.grid import Position
from considerate.distributions import Number
from multislot.exact.files.reading import number

HERE = "here"
"""Stands for the cell of the event in the conditions and effects of a rule."""

ENTERING = "entering"
"""The event of moving into a cell from another one; every other event is an action such as ``use``."""


@dataclass(frozen=True, repr=False)
class Things:
    """The facts of the world by name, without the agent's cell; immutable. An absent fact is None."""

    facts: tuple[tuple[str, Hashable], ...] = ()

    @classmethod
    def of(cls, facts: Mapping[str, Hashable]) -> "Things":
        """Return the facts of a mapping; those that are None or False are absent."""
        return cls(
            tuple(sorted((name, value) for name, value in facts.items() if value is not None and value is not False))
        )

    def __getitem__(self, name: str) -> Hashable:
        return next((value for fact, value in self.facts if fact == name), None)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.facts)

    def put(self, changes: Mapping[str, Hashable]) -> "Things":
        """Return the facts after some have changed."""
        return Things.of({**dict(self.facts), **changes})

    def only(self, names: Collection[str]) -> "Things":
        """Return the named facts only."""
        return Things(tuple((name, value) for name, value in self.facts if name in names))

    def __repr__(self) -> str:
        return "{" + ", ".join(name if value is True else f"{name}: {value}" for name, value in self.facts) + "}"


class State(NamedTuple):
    """The acting agent's cell, and the facts."""

    cell: Position
    things: Things


@dataclass(frozen=True)
class Condition:
    """The facts that must hold: each name with its allowed values; None among them means absence.

    Args:
        alternatives: for each fact, the allowed values; `HERE` stands for the cell of the event.
    """

    alternatives: tuple[tuple[str, tuple[Hashable, ...]], ...] = ()

    def holds(self, things: Things, cell: Position | None = None) -> bool:
        """Whether the facts fulfill the condition, at an event in ``cell``."""
        return all(
            any(things[name] == (cell if value == HERE else value) for value in values)
            for name, values in self.alternatives
        )


@dataclass(frozen=True)
class Change:
    """One thing that can happen in a cell.

    Args:
        at: the cells where it can happen.
        by: the event: `ENTERING`, or the name of an action.
        needs: the condition under which it happens.
        sets: the facts that change; None removes a fact, `HERE` stands for the cell.
        cost: the whole cost of the step; None for the task's usual cost.
        ends: whether the agent then finishes and leaves.
    """

    at: frozenset[Position]
    by: str = ENTERING
    needs: Condition = Condition()
    sets: Mapping[str, Hashable] = field(default_factory=dict)
    cost: Number | None = None
    ends: bool = False

    def happens(self, event: str, things: Things, cell: Position) -> bool:
        """Whether the rule applies to an event."""
        return event == self.by and cell in self.at and self.needs.holds(things, cell)

    def after(self, things: Things, cell: Position) -> Things:
        """Return the facts afterwards."""
        return things.put({name: cell if value == HERE else value for name, value in self.sets.items()})


@dataclass(frozen=True)
class Barrier:
    """Cells that cannot be entered while a condition holds: a fence that has been built, a door without its key.

    Args:
        at: the cells.
        needs: the condition under which they are closed.
        unless: a condition under which they stay open.
    """

    at: frozenset[Position]
    needs: Condition = Condition()
    unless: Condition | None = None

    def closed(self, things: Things, cell: Position) -> bool:
        """Whether the cell cannot be entered."""
        if cell not in self.at or not self.needs.holds(things, cell):
            return False
        return self.unless is None or not self.unless.holds(things, cell)


def first_change(rules: tuple[Change, ...], event: str, things: Things, cell: Position) -> Change | None:
    """Return the first rule that applies to an event in a cell, if any."""
    return next((rule for rule in rules if rule.happens(event, things, cell)), None)


def facts_of(entries: Any) -> dict[str, Hashable]:
    """Read facts of a file: a pair of whole numbers is a cell, and false means that the fact is absent."""
    if not isinstance(entries, dict):
        raise ValueError("a table")
    return {name: _value(value) for name, value in entries.items()}


def condition_of(entries: Any) -> Condition:
    """Read a condition of a file: for each fact one value, or a list of allowed values."""
    if not isinstance(entries, dict):
        raise ValueError("a table")
    alternatives = {
        name: entry if isinstance(entry, list) and not isinstance(_value(entry), tuple) else [entry]
        for name, entry in entries.items()
    }
    return Condition(tuple((name, tuple(map(_value, values))) for name, values in alternatives.items()))


def _value(value: Any) -> Hashable:
    """One value of a fact; raises ValueError for a table."""
    if isinstance(value, list) and len(value) == 2 and all(type(number) is int for number in value):
        return (value[0], value[1])
    if isinstance(value, list):
        return frozenset(map(_value, value))
    if isinstance(value, dict):
        raise ValueError("a word, a number, true, false or a cell [x, y], or a list of these")
    return None if value is False else float(value) if isinstance(value, Fraction) else value


Amount: TypeAlias = Annotated[Number, number]
FactsEntry: TypeAlias = Annotated[Mapping[str, Hashable], facts_of]
ConditionEntry: TypeAlias = Annotated[Condition, condition_of]
