"""Tasks from TOML files: the nine of the papers, and anybody's own.

A file holds a map (as `grid.parse_map` reads it), the facts at first, rules in named groups, and the agents with the
groups that they follow. ``considerate/craftworld/tasks/`` holds the papers' tasks, to start from.
"""

import tomllib
from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from considerate.craftworld.agreement import check_policy
from considerate.craftworld.arrays import Walker
from considerate.craftworld.definition import Handover, Holder, Other, Owner, Task, Visitor
from considerate.craftworld.facts import Facts, entry
from considerate.craftworld.grid import MOVES, Cell, Grid, parse_map
from considerate.craftworld.partner import KEY, Partner
from considerate.craftworld.rules import ENTERING, Barrier, Change, Condition, Things
from considerate.paths.rationals import as_written
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

Entries = dict[str, Any]


def _amount(value: object) -> Any:
    """A number of a file as it is written there: 0.1 is a tenth."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("expected a finite number")
    return as_written(value)


def _cell(value: object) -> Cell:
    """One cell of a file."""
    if not (isinstance(value, list) and len(value) == 2 and all(type(number) is int for number in value)):
        raise ValueError("expected a cell [x, y]")
    return value[0], value[1]


def _place(value: object) -> str | list[str] | Cell:
    """A place of a file."""
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(word, str) for word in value)):
        return value
    try:
        return _cell(value)
    except ValueError:
        raise ValueError("expected a word of the legend, a list of such words, or a cell [x, y]") from None


Amount = Annotated[Any, BeforeValidator(_amount)]
OneCell = Annotated[Any, BeforeValidator(_cell)]
Place = Annotated[Any, BeforeValidator(_place)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Rule(_Model):
    at: Place
    by: str = ENTERING
    needs: Entries = Field(default_factory=dict)
    sets: Entries = Field(default_factory=dict)
    cost: Amount | None = None
    ends: bool = False
    closed: bool = False
    unless: Entries | None = None


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
    loss: Amount
    walkers: list[str] = Field(default_factory=list)


class _Holder(_Model):
    name: str
    kind: Literal["holder"]
    initiation: Entries


class _Partner(_Model):
    name: str
    start: OneCell
    toolshed: OneCell
    wood: OneCell
    factory: OneCell
    key_place: OneCell
    exit: OneCell
    loss: Amount


class _Left(_Model):
    needs: Entries
    sets: Entries


class _Handover(_Model):
    public: list[str] = Field(default_factory=list)
    changes: list[_Left] = Field(default_factory=list)


class _File(_Model):
    name: str
    title: str = ""
    source: str = ""
    map: str
    impossible: Amount = -1000
    step_cost: Amount = 1
    facts: Entries = Field(default_factory=dict)
    rules: dict[str, list[_Rule]]
    acting: _Acting
    others: list[Annotated[_Visitor | _Owner | _Holder, Field(discriminator="kind")]] = Field(default_factory=list)
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
        raise _refused(error) from None
    return _Reader(content).task()


def _refused(error: ValidationError) -> SettingError:
    """What is wrong with the first entry that is: its place, what was got and expected, the nearest name."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return SettingError(f"{entry(where)}: {first['msg']}")
    if first["type"] == "extra_forbidden":
        known = {name for model in _Model.__subclasses__() for name in _names(model)}
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return SettingError(f"{entry(where)}: {first['msg']}{hint}")
    return SettingError(f"{entry(where)} is {first['input']!r}: {first['msg'].removeprefix('Value error, ')}")


def _names(model: type[BaseModel]) -> set[str]:
    """The entries of a table of the file, and of the kinds of it."""
    return set(model.model_fields).union(*(_names(kind) for kind in model.__subclasses__()))


class _Reader:
    """Turns the entries of a file into a task."""

    def __init__(self, content: _File) -> None:
        self.content = content
        self.grid: Grid = parse_map(content.map)

    def task(self) -> Task:
        """The whole task."""
        content = self.content
        self.check_names()
        self.facts().check()
        acting = self.walker("acting", content.acting.name, content.acting)
        return Task(
            name=content.name,
            title=content.title,
            grid=self.grid,
            facts=Things.of(_facts(content.facts)),
            acting=acting,
            others=tuple(self.other(f"others.{number}", other) for number, other in enumerate(content.others)),
            handover=self.handover(),
            step_cost=content.step_cost,
            partner=self.partner(acting),
            own_future=self.own_future(),
            source=content.source,
        )

    def check_names(self) -> None:
        """Raises SettingError if two agents share a name, or somebody who does not walk is to walk."""
        others = self.content.others
        names = [self.content.acting.name, *(other.name for other in others)]
        names += [self.content.partner.name] if self.content.partner else []
        for name in names:
            if names.count(name) > 1:
                raise SettingError(f"two agents are called {name!r}; give each a name of its own")
        visitors = [other.name for other in others if isinstance(other, _Visitor)]
        for walker in (walker for other in others if isinstance(other, _Owner) for walker in other.walkers):
            if walker not in names:
                raise UnknownNameError("walker", walker, visitors)
            if walker not in visitors:
                raise SettingError(f"agent {walker!r} does not walk; name an agent that does: {', '.join(visitors)}")

    def facts(self) -> Facts:
        """Every use of a fact in the file."""
        found, content = Facts(), self.content
        found.declare(_facts(content.facts))
        for place, rule in self.rules():
            found.make(f"{place}.sets", _facts(rule.sets), self.cells(f"{place}.at", rule.at))
            found.use(f"{place}.needs", _condition(rule.needs))
            found.use(f"{place}.unless", None if rule.unless is None else _condition(rule.unless))
        for number, change in enumerate(content.handover.changes):
            found.make(f"handover.changes.{number}.sets", _facts(change.sets))
            found.left |= change.sets.keys()
            found.use(f"handover.changes.{number}.needs", _condition(change.needs))
        found.name("handover.public", content.handover.public)
        found.left |= set(content.handover.public)
        for number, other in enumerate(content.others):
            if isinstance(other, _Owner):
                found.name(f"others.{number}.fact", [other.fact])
            if isinstance(other, _Holder):
                place = f"others.{number}.initiation"
                found.use(place, _condition(other.initiation))
                found.hand_over(place, other.initiation)
        if content.partner is not None:
            found.add_partner()
        return found

    def rules(self) -> Iterable[tuple[str, _Rule]]:
        """Every rule with its place.

        Raises:
            SettingError: if a rule says what it cannot do.
        """
        for group, rules in self.content.rules.items():
            for number, rule in enumerate(rules):
                place = f"rules.{group}.{number}"
                if rule.by in MOVES:
                    raise SettingError(
                        f"{entry(place + '.by')} is {rule.by!r}, a move; leave it out: entering is meant"
                    )
                if rule.closed and (rule.sets or rule.ends or rule.cost is not None):
                    raise SettingError(
                        f"{entry(place)} closes cells, which sets, costs and ends nothing; make two rules"
                    )
                if rule.unless is not None and not rule.closed:
                    raise SettingError(f"{entry(place + '.unless')} is for rules with  closed = true")
                yield place, rule

    def walker(self, place: str, name: str, walks: _Walks) -> Walker:
        """An agent with the rules of all groups that it follows."""
        unknown = [group for group in walks.follows if group not in self.content.rules]
        if unknown:
            raise UnknownNameError(f"group of rules in {entry(place + '.follows')}", unknown[0], self.content.rules)
        rules = [
            (f"rules.{group}.{number}", rule)
            for group in walks.follows
            for number, rule in enumerate(self.content.rules[group])
        ]
        start = sorted(self.cells(f"{place}.start", walks.start))
        if len(start) != 1:
            raise SettingError(f"agent {name!r} starts at {walks.start!r}, which is {len(start)} cells; name one")
        return Walker(
            name=name,
            start=start[0],
            changes=tuple(self.change(at, rule) for at, rule in rules if not rule.closed),
            barriers=tuple(self.barrier(at, rule) for at, rule in rules if rule.closed),
        )

    def change(self, place: str, rule: _Rule) -> Change:
        """A rule under which something happens."""
        cells = self.cells(f"{place}.at", rule.at)
        return Change(cells, rule.by, _condition(rule.needs), _facts(rule.sets), rule.cost, rule.ends)

    def barrier(self, place: str, rule: _Rule) -> Barrier:
        """A rule that closes cells."""
        unless = None if rule.unless is None else _condition(rule.unless)
        return Barrier(self.cells(f"{place}.at", rule.at), _condition(rule.needs), unless)

    def other(self, place: str, written: _Visitor | _Owner | _Holder) -> Other:
        """One of those who come after."""
        if isinstance(written, _Owner):
            return Owner(written.name, written.fact, written.loss, tuple(written.walkers))
        if isinstance(written, _Holder):
            return Holder(written.name, _condition(written.initiation))
        return Visitor(self.walker(place, written.name, written), self.content.impossible)

    def handover(self) -> Handover:
        """What the next agents find."""
        written = self.content.handover
        changes = [Change(frozenset(), "", _condition(change.needs), _facts(change.sets)) for change in written.changes]
        return Handover(frozenset(written.public), tuple(changes))

    def partner(self, acting: Walker) -> Partner | None:
        """The second agent, if both act at the same time.

        Raises:
            SettingError: if others come later, a place is no free cell, or its policy does not agree with the rules.
        """
        if self.content.partner is None:
            return None
        if self.content.others:
            raise SettingError("a task has others who come after, or a partner who acts at the same time, not both")
        written = self.content.partner
        for name in ("start", "toolshed", "wood", "factory", "key_place", "exit"):
            self.cells(f"partner.{name}", getattr(written, name))
        partner = Partner(**dict(written), grid=self.grid, step_cost=self.content.step_cost)
        check_policy(partner, acting.changes, Things.of(_facts(self.content.facts))[KEY])
        return partner

    def own_future(self) -> Visitor | None:
        """The acting agent, entering again."""
        if self.content.own_future is None:
            return None
        walker = self.walker("own_future", self.content.acting.name, self.content.own_future)
        return Visitor(walker, self.content.impossible)

    def cells(self, where: str, place: str | list[str] | Cell) -> frozenset[Cell]:
        """The cells that a place names: words of the legend, or one cell by its coordinates."""
        if isinstance(place, tuple):
            if place not in self.grid.free:
                raise SettingError(f"{entry(where)}: cell {place} is a wall or off the map; name a cell without a wall")
            return frozenset([place])
        words = [place] if isinstance(place, str) else place
        return frozenset(cell for word in words for cell in self._cells_called(where, word))

    def _cells_called(self, where: str, word: str) -> tuple[Cell, ...]:
        """The cells that the legend calls so."""
        if word not in self.grid.legend.values():
            raise UnknownNameError(f"word of the legend in {entry(where)}", word, self.grid.legend.values())
        return self.grid.cells(word)


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
