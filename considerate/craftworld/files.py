"""Tasks from TOML files: the nine of the papers, and your own.

A file contains a map (as `grid.parse_map` reads it), the facts at the start, rules in named groups, and the agents with
the groups that they follow. The papers' tasks in ``considerate/craftworld/tasks/`` are examples.

A file must use the same facts throughout; otherwise a misspelled fact would never become true. A fact is known if the
file's ``[facts]`` name it, or if a rule or the handover sets it. A condition may need only possible values of a fact. A
fact that is set must be read somewhere, or be listed under ``[facts]`` (as ``false`` if it is not true at the start).
List there also the facts that only your own criterion reads.
"""

from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from considerate.craftworld.arrays import ENDED, Walker
from considerate.craftworld.definition import Handover, Holder, LeavingChange, Other, Owner, Task, Visitor
from considerate.craftworld.grid import MOVES, Grid, Position, parse_map
from considerate.craftworld.partner import AT, FINISHED, HAS, HELD_BY_OTHER, KEY, Partner, distances
from considerate.craftworld.rules import (
    ENTERING,
    HERE,
    Amount,
    Barrier,
    Change,
    Condition,
    ConditionEntry,
    FactsEntry,
    Things,
)
from multislot.checks import checked_instance, known_name
from multislot.errors import SettingError
from multislot.exact.files.reading import Document, FileError


def load_task(path: str | Path) -> Task:
    """Read the task in a TOML file; raises as `parse_task` does, and SettingError if the file cannot be read."""
    return _Reader(Document.load(path)).task()


def parse_task(text: str) -> Task:
    """Read the task in the text of a TOML file.

    Raises:
        FileError: the text is not TOML, or an entry is missing, unknown or wrong; the message has its line. If a name
            is unknown (a word of the legend, a group of rules, a fact), it is also an UnknownNameError.
        MapError: the map cannot be read; the message has line and column within the map.
    """
    return _Reader(Document.parse(text)).task()


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
class NamedWalks(Walks):
    """The same, of an agent with a name of its own."""

    name: str


@dataclass(frozen=True)
class VisitorForm(NamedWalks):
    """An agent that walks afterwards."""

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
    acting: NamedWalks
    title: str = ""
    source: str = ""
    impossible: Amount = -1000
    step_cost: Amount = 1
    facts: FactsEntry = field(default_factory=dict)
    others: list[VisitorForm | Owner | Holder] = field(default_factory=list)
    handover: Handover = field(default_factory=Handover)
    partner: PartnerForm | None = None
    own_future: Walks | None = None


OF_THE_PARTNER = (AT, FINISHED, HAS)
ANY = object()
"""As one of the values of a fact: every value is possible."""
MOST_RULES = 10_000
"""The largest number of rules of a file; a group counts once for each agent that follows it."""


class _Reader:
    """Reads the task of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.content = document.read(TaskForm)
        self.grid: Grid = parse_map(self.content.map)
        self.rules = self.read_rules()
        self.rules_left = MOST_RULES

    def task(self) -> Task:
        content, own = self.content, self.content.own_future
        self.check_names()
        self.check_ended()
        self.check_facts()
        acting = self.walker("acting", content.acting.name, content.acting)
        others: list[Other] = [
            self.visitor(f"others.{number}", other.name, other) if isinstance(other, VisitorForm) else other
            for number, other in enumerate(content.others)
        ]
        again = None if own is None else self.visitor("own_future", content.acting.name, own)
        try:
            return Task(
                name=content.name,
                title=content.title,
                grid=self.grid,
                facts=Things.of(content.facts),
                acting=acting,
                others=tuple(others),
                handover=content.handover,
                step_cost=content.step_cost,
                partner=self.partner(acting),
                own_future=again,
                source=content.source,
                impossible=content.impossible,
            )
        except FileError:
            raise
        except SettingError as error:
            raise self.document.error("partner" if content.partner else "", str(error)) from None

    def check_names(self) -> None:
        """Raise FileError if two agents share a name, or if an owner names a walker twice or names no walker."""
        content = self.content
        agents = [("acting", content.acting.name)]
        agents += [(f"others.{number}", other.name) for number, other in enumerate(content.others)]
        agents += [("partner", content.partner.name)] if content.partner else []
        names = [name for _, name in agents]
        for entry, name in reversed(agents):
            if names.count(name) > 1:
                raise self.document.error(f"{entry}.name", f"two agents are called {name!r}; give each its own name")
        visitors = [other.name for other in content.others if isinstance(other, VisitorForm)]
        for number, other in enumerate(content.others):
            walkers, entry = other.walkers if isinstance(other, Owner) else (), f"others.{number}.walkers"
            for walker in walkers:
                if walker not in visitors:
                    raise self.document.unknown(entry, "walker", walker, visitors)
                if walkers.count(walker) > 1:
                    raise self.document.error(entry, f"walker {walker!r} is named more than once; name it once")

    def check_facts(self) -> None:
        """Raise FileError unless all that sets a fact fits all that reads it, as the module says."""
        unknown, content = self.document.unknown, self.content
        settings, needs = list(self.settings()), list(self.needs())
        for name, value in content.facts.items():
            self.check_here(f"facts.{name}", value)
        values: dict[str, set[Any]] = {name: {value} for name, value in content.facts.items()}
        for entry, name, possible in settings:
            earlier = values.setdefault(name, set())
            if len({value is True for value in (*earlier, *possible) if value == 1}) > 1:
                raise self.document.error(
                    entry, f"fact {name!r} is set to true and to 1, which count as equal; write one of them throughout"
                )
            earlier.update(possible)
        self.check_handover(values)
        if content.partner is not None:
            values |= {name: {ANY} for name in OF_THE_PARTNER}
            values.setdefault(KEY, set()).add(HELD_BY_OTHER)
        for entry, name, _ in needs:
            if name not in values and name != ENDED:
                raise unknown(entry, "fact", name, values)
        made, read = {name for _, name, _ in settings}, {name for _, name, _ in needs}
        for name in content.facts.keys() - made - read:
            raise unknown(f"facts.{name}", "fact (nothing sets or reads it)", name, made | read)
        for entry, name, _ in settings:
            if name not in read | content.facts.keys():
                raise unknown(entry, "fact (nothing reads it, and [facts] lacks it)", name, read)
        for entry, name, needed in needs:
            possible = values.get(name, set()) - {None}
            known = {(value is True, value) for value in possible}  # Python has True == 1; here they differ
            for value in needed:
                if value not in (None, HERE) and known and not known & {(value is True, value), (False, ANY)}:
                    hint = " (two whole numbers are a cell)" if isinstance(value, tuple) else ""
                    raise unknown(entry, f"value of fact {name!r}{hint}", value, possible)

    def check_ended(self) -> None:
        """Raise FileError if a fact that somebody finds is `ENDED`, which is true only of an agent that has left."""
        content = self.content
        entries = [("handover.public", content.handover.public), (f"facts.{ENDED}", tuple(content.facts))]
        for number, other in enumerate(content.others):
            if isinstance(other, Holder):
                names = tuple(name for name, _ in other.initiation.alternatives)
                entries.append((f"others.{number}.initiation", names))
        for entry, names in entries:
            if ENDED in names:
                raise self.document.error(
                    entry, f"got {ENDED!r}; this fact says that an agent has left, and nobody finds it; leave it out"
                )

    def check_here(self, entry: str, value: Hashable, in_list: bool = False) -> None:
        """Raise FileError if a value is "here" outside of rules, or has it in a list: then it stands for no cell."""
        if isinstance(value, frozenset):
            for part in value:
                self.check_here(entry, part, in_list=True)
        elif value == HERE and (in_list or not entry.startswith("rules.")):
            where = "in a list" if in_list else "outside of rules"
            raise self.document.error(
                entry, f"got 'here' {where}; only the whole value of a rule can stand for its cell; write a cell [x, y]"
            )

    def check_handover(self, values: Collection[str]) -> None:
        """Raise FileError if an option depends on a fact that leaves with the acting agent."""
        handover = self.content.handover
        left = {*handover.public, *(name for change in handover.changes for name in change.sets)}
        for number, other in enumerate(self.content.others):
            for name, _ in other.initiation.alternatives if isinstance(other, Holder) else ():
                if name in values and name not in left:
                    entry = f"others.{number}.initiation"
                    raise self.document.error(entry, f"nobody finds the fact {name!r}; add it to handover.public")

    def changes(self) -> Iterator[tuple[str, Change | Barrier | LeavingChange]]:
        """Yield (entry, rule) of every rule, and of every change at the handover."""
        for group in self.rules.values():
            yield from group.items()
        for number, change in enumerate(self.content.handover.changes):
            yield f"handover.changes.{number}", change

    def settings(self) -> Iterator[tuple[str, str, Collection[Hashable]]]:
        """Yield (entry, fact, possible values) of everything that sets a fact."""
        for entry, rule in self.changes():
            cells = rule.at if isinstance(rule, Change) else ()
            for name, value in () if isinstance(rule, Barrier) else rule.sets.items():
                if name == ENDED:
                    remedy = "write  ends = true  to say that an agent has finished"
                    raise self.document.error(f"{entry}.sets", f"got 'ended'; {remedy}")
                self.check_here(f"{entry}.sets", value)
                yield f"{entry}.sets", name, () if value is None else cells if value == HERE else (value,)

    def needs(self) -> Iterator[tuple[str, str, Collection[Hashable]]]:
        """Yield (entry, fact, values) of everything that reads a fact; no values where the fact may have any."""
        content, conditions = self.content, list[tuple[str, Condition]]()
        for entry, rule in self.changes():
            conditions.append((f"{entry}.needs", rule.needs))
            if isinstance(rule, Barrier) and rule.unless is not None:
                conditions.append((f"{entry}.unless", rule.unless))
        for number, other in enumerate(content.others):
            if isinstance(other, Holder):
                conditions.append((f"others.{number}.initiation", other.initiation))
            if isinstance(other, Owner):
                yield f"others.{number}.fact", other.fact, ()
        for entry, condition in conditions:
            for name, values in condition.alternatives:
                for value in values:
                    self.check_here(entry, value)
                yield entry, name, values
        yield from (("handover.public", name, ()) for name in content.handover.public)
        if content.partner is not None:
            yield from (("partner", name, ()) for name in (*OF_THE_PARTNER, KEY))

    def read_rules(self) -> dict[str, dict[str, Change | Barrier]]:
        """The rules of each group, by entry; raise FileError if the parts of a rule contradict each other."""
        rules: dict[str, dict[str, Change | Barrier]] = {}
        for group, forms in self.content.rules.items():
            rules[group] = {}
            for number, rule in enumerate(forms):
                entry = f"rules.{group}.{number}"
                if rule.by in MOVES:
                    raise self.document.error(f"{entry}.by", f"got {rule.by!r}, a move; leave it out to mean entering")
                if rule.closed and (rule.sets or rule.ends or rule.cost is not None):
                    raise self.document.error(
                        entry, "a rule that closes cells cannot set, cost or end anything; make two rules"
                    )
                if rule.unless is not None and not rule.closed:
                    raise self.document.error(f"{entry}.unless", "only rules with  closed = true  have an unless")
                cells = self.cells(f"{entry}.at", rule.at)
                change = Change(cells, rule.by, rule.needs, rule.sets, rule.cost, rule.ends)
                rules[group][entry] = Barrier(cells, rule.needs, rule.unless) if rule.closed else change
        return rules

    def walker(self, entry: str, name: str, walks: Walks) -> Walker:
        for group in walks.follows:
            if group not in self.rules:
                raise self.document.unknown(f"{entry}.follows", "group of rules", group, self.rules)
        self.rules_left -= sum(len(self.rules[group]) for group in walks.follows)
        if self.rules_left < 0:
            raise self.document.error(f"{entry}.follows", f"got more than {MOST_RULES} rules to follow; expected fewer")
        rules = [rule for group in walks.follows for rule in self.rules[group].values()]
        start = sorted(self.cells(f"{entry}.start", walks.start))
        if len(start) != 1:
            raise self.document.error(f"{entry}.start", f"got {walks.start!r}, {len(start)} cells; expected one")
        changes = tuple(rule for rule in rules if isinstance(rule, Change))
        barriers = tuple(rule for rule in rules if isinstance(rule, Barrier))
        return Walker(name, start[0], changes, barriers)

    def visitor(self, entry: str, name: str, walks: Walks) -> Visitor:
        """An agent that walks afterwards; raise FileError if it can never finish, whatever it finds."""
        walker = self.walker(entry, name, walks)
        ends = {cell for rule in walker.changes if rule.ends for cell in rule.at}
        if ends.isdisjoint(distances(frozenset(self.grid.free), walker.start, frozenset())):
            raise self.document.error(
                f"{entry}.follows",
                f"agent {name!r} can never finish: no way on the map leads from {walker.start} to a cell where one of "
                "its rules has  ends = true; let it follow such a rule, or open the map",
            )
        return Visitor(walker, self.content.impossible)

    def partner(self, acting: Walker) -> Partner | None:
        """The second agent, if both act at the same time; it follows the acting agent's rules."""
        form = self.content.partner
        if form is None:
            return None
        places = {name: getattr(form, name) for name in ("toolshed", "wood", "factory", "key_place", "exit")}
        for name, cell in {"start": form.start, **places}.items():
            self.cells(f"partner.{name}", cell)
        walker = Walker(form.name, form.start, acting.changes, acting.barriers)
        return Partner(walker, self.grid, **places, loss=form.loss, step_cost=self.content.step_cost)

    def cells(self, entry: str, place: list[str] | Position) -> frozenset[Position]:
        """The cells that words of the legend name, or the one cell with these coordinates."""
        if isinstance(place, tuple):
            if place not in self.grid.free:
                raise self.document.error(entry, f"cell {place} is a wall or off the map; name a cell without a wall")
            return frozenset([place])
        for word in place:
            if word not in self.grid.legend.values():
                raise self.document.unknown(entry, "word of the legend", word, self.grid.legend.values())
        return frozenset(cell for word in place for cell in self.grid.cells(word))


PAPER_TASKS: dict[str, Task] = {
    file.name.removesuffix(".toml"): parse_task(file.read_text(encoding="utf-8"))
    for file in sorted((files("considerate.craftworld") / "tasks").iterdir(), key=lambda file: file.name)
    if file.name.endswith(".toml")
}
"""The papers' tasks by name; the graph of each is computed when it is first needed, and once."""
TASKS = dict(PAPER_TASKS)
"""All tasks that have a name: the papers', and those that `considerate.zoo.register_task` has added."""


def task(name: str) -> Task:
    """Return a task by its name."""
    known_name("task", checked_instance("name", name, str), TASKS)
    return TASKS[name]
