"""Tasks from TOML files: the nine of the papers, and anybody's own.

A file holds a map (as `grid.parse_map` reads it), the facts at first, rules in named groups, and the agents with the
groups that they follow. ``considerate/craftworld/tasks/`` holds the papers' tasks, to start from.
"""

import tomllib
from collections.abc import Hashable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from considerate.craftworld.arrays import Walker
from considerate.craftworld.definition import Handover, Holder, Other, Owner, Task, Visitor
from considerate.craftworld.grid import Cell, Grid, parse_map
from considerate.craftworld.partner import Partner
from considerate.craftworld.rules import ENTERING, Barrier, Change, Condition, Things
from multislot.errors import SettingError, UnknownNameError

TASKS = (
    "box",
    "shared-key",
    "garden",
    "doll",
    "mail-room",
    "kitchen-salad",
    "kitchen-peanut",
    "kitchen-salt",
    "kitchen-cookie",
)
"""Names of the papers' tasks."""

Place = str | list[str] | Cell
Facts = dict[str, Any]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)


class _Rule(_Model):
    at: Place
    by: str = ENTERING
    needs: Facts = Field(default_factory=dict)
    sets: Facts = Field(default_factory=dict)
    cost: int | float | None = None
    ends: bool = False
    closed: bool = False
    unless: Facts | None = None


class _Walks(_Model):
    start: Place
    follows: list[str]


class _Acting(_Walks):
    name: str


class _Visitor(_Acting):
    kind: Literal["visitor"]


class _Owner(_Model):
    name: str
    kind: Literal["owner"]
    fact: str
    loss: int | float
    walkers: list[str] = Field(default_factory=list)


class _Holder(_Model):
    name: str
    kind: Literal["holder"]
    initiation: Facts


class _Partner(_Model):
    name: str
    start: Cell
    toolshed: Cell
    wood: Cell
    factory: Cell
    key_place: Cell
    exit: Cell
    loss: int | float


class _Left(_Model):
    needs: Facts
    sets: Facts


class _Handover(_Model):
    public: list[str] = Field(default_factory=list)
    changes: list[_Left] = Field(default_factory=list)


class _File(_Model):
    name: str
    title: str = ""
    source: str = ""
    map: str
    impossible: int | float = -1000
    step_cost: int | float = 1
    facts: Facts = Field(default_factory=dict)
    rules: dict[str, list[_Rule]]
    acting: _Acting
    others: list[_Visitor | _Owner | _Holder] = Field(default_factory=list)
    handover: _Handover = Field(default_factory=_Handover)
    partner: _Partner | None = None
    own_future: _Walks | None = None


def task(name: str) -> Task:
    """One of the papers' tasks, freshly read.

    Raises:
        UnknownNameError: if there is none of this name; the message suggests the nearest.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, TASKS)
    return parse_task((files("considerate.craftworld") / "tasks" / f"{name}.toml").read_text(encoding="utf-8"))


def load_task(path: str | Path) -> Task:
    """A task from a TOML file; raises as `parse_task` does."""
    return parse_task(Path(path).read_text(encoding="utf-8"))


def parse_task(text: str) -> Task:
    """A task from the text of a TOML file.

    Raises:
        SettingError: if it is not TOML, or an entry is missing, unknown or of the wrong kind; the message says which.
        MapError: if the map cannot be read; the message says line and column within the map.
        UnknownNameError: if a place is not in the legend, or a group of rules is not in the file.
    """
    try:
        content = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"this is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingError(f"the task file's entry {where!r}: {first['msg']}") from None
    return _Reader(content).task()


class _Reader:
    """Turns the entries of a file into a task."""

    def __init__(self, content: _File) -> None:
        self.content = content
        self.grid: Grid = parse_map(content.map)

    def task(self) -> Task:
        """The whole task."""
        content = self.content
        names = [content.acting.name, *(other.name for other in content.others)]
        for name in names:
            if names.count(name) > 1:
                raise SettingError(f"two agents are called {name!r}; give each a name of its own")
        return Task(
            name=content.name,
            title=content.title,
            grid=self.grid,
            facts=Things.of(_facts(content.facts)),
            acting=self.walker(content.acting.name, content.acting),
            others=tuple(map(self.other, content.others)),
            handover=self.handover(),
            step_cost=content.step_cost,
            partner=self.partner(),
            own_future=self.own_future(),
            source=content.source,
        )

    def walker(self, name: str, walks: _Walks) -> Walker:
        """An agent with the rules of all groups that it follows."""
        unknown = [group for group in walks.follows if group not in self.content.rules]
        if unknown:
            raise UnknownNameError("group of rules", unknown[0], self.content.rules)
        rules = [rule for group in walks.follows for rule in self.content.rules[group]]
        start = sorted(self.cells(walks.start))
        if len(start) != 1:
            raise SettingError(f"agent {name!r} starts at {walks.start!r}, which is {len(start)} cells; name one")
        return Walker(
            name=name,
            start=start[0],
            changes=tuple(self.change(rule) for rule in rules if not rule.closed),
            barriers=tuple(self.barrier(rule) for rule in rules if rule.closed),
        )

    def change(self, rule: _Rule) -> Change:
        """A rule under which something happens."""
        return Change(self.cells(rule.at), rule.by, _condition(rule.needs), _facts(rule.sets), rule.cost, rule.ends)

    def barrier(self, rule: _Rule) -> Barrier:
        """A rule that closes cells."""
        unless = None if rule.unless is None else _condition(rule.unless)
        return Barrier(self.cells(rule.at), _condition(rule.needs), unless)

    def other(self, entry: _Visitor | _Owner | _Holder) -> Other:
        """One of those who come after."""
        if isinstance(entry, _Owner):
            return Owner(entry.name, entry.fact, entry.loss, tuple(entry.walkers))
        if isinstance(entry, _Holder):
            return Holder(entry.name, _condition(entry.initiation))
        return Visitor(self.walker(entry.name, entry), self.content.impossible)

    def handover(self) -> Handover:
        """What the next agents find."""
        entry = self.content.handover
        changes = [Change(frozenset(), "", _condition(change.needs), _facts(change.sets)) for change in entry.changes]
        return Handover(frozenset(entry.public), tuple(changes))

    def partner(self) -> Partner | None:
        """The second agent, if both act at the same time."""
        if self.content.partner is None:
            return None
        if self.content.others:
            raise SettingError("a task has others who come after, or a partner who acts at the same time, not both")
        return Partner(**self.content.partner.model_dump(), step_cost=self.content.step_cost)

    def own_future(self) -> Visitor | None:
        """The acting agent, entering again."""
        if self.content.own_future is None:
            return None
        walker = self.walker(self.content.acting.name, self.content.own_future)
        return Visitor(walker, self.content.impossible)

    def cells(self, place: Place) -> frozenset[Cell]:
        """The cells that a place names: words of the legend, or one cell by its coordinates."""
        if isinstance(place, tuple):
            if place not in self.grid.free:
                raise SettingError(f"cell {place} is a wall or off the map")
            return frozenset([place])
        words = [place] if isinstance(place, str) else place
        return frozenset(cell for word in words for cell in self.grid.cells(word))


def _facts(entries: Mapping[str, Any]) -> dict[str, Hashable]:
    """Facts as a file writes them: a pair of integers is a cell, false is absence."""
    return {name: _value(value) for name, value in entries.items()}


def _condition(entries: Mapping[str, Any]) -> Condition:
    """A condition as a file writes it: for each fact one value, or a list of those that will do."""
    return Condition(tuple((name, tuple(_alternatives(value))) for name, value in entries.items()))


def _alternatives(value: Any) -> Iterable[Hashable]:
    """The values that will do."""
    several = isinstance(value, list) and not isinstance(_value(value), tuple)
    return map(_value, value) if several else [_value(value)]


def _value(value: Any) -> Hashable:
    """One value of a fact."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(number, int) for number in value):
        return (value[0], value[1])
    if isinstance(value, list):
        return frozenset(map(_value, value))
    return None if value is False else value
