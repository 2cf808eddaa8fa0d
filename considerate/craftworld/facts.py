"""Checks that a task file uses the same facts throughout; otherwise a misspelled fact would never become true.

A fact is known if the file's ``[facts]`` name it, or if a rule or the handover sets it. A condition may need only
possible values of a fact. A fact that is set must be read somewhere, or be listed under ``[facts]`` (as ``false`` if it
is not true at the start). List there also the facts that only your own criterion reads.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from considerate.craftworld.arrays import ENDED
from considerate.craftworld.partner import AT, FINISHED, HAS, HELD_BY_OTHER, KEY
from considerate.craftworld.rules import HERE, Condition
from multislot.exact.files.reading import Document

OF_THE_PARTNER = frozenset({AT, FINISHED, HAS})
ANY = object()
"""As one of the values of a fact: every value is possible."""


@dataclass
class Facts:
    """All uses of facts in a task file, each with its entry in the file.

    Attributes:
        document: the file.
        values: the possible values of each fact, other than absent.
        made: (entry, fact) of everything that sets a fact.
        read: (entry, fact, values) of everything that reads a fact.
        declared: the facts at the start.
        left: the facts that others may find when the acting agent has left.
    """

    document: Document
    values: dict[str, set[Any]] = field(default_factory=dict)
    made: list[tuple[str, str]] = field(default_factory=list)
    read: list[tuple[str, str, tuple[Hashable, ...]]] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)

    def declare(self, facts: Mapping[str, Hashable]) -> None:
        """Record the facts at the start."""
        for name, value in facts.items():
            self.values.setdefault(name, set()).add(value)
            self.declared.add(name)

    def make(self, entry: str, facts: Mapping[str, Hashable], cells: Iterable[Hashable] = ()) -> None:
        """Record what a rule sets in any of some cells."""
        for name, value in facts.items():
            if name == ENDED:
                raise self.document.error(entry, "got 'ended'; write  ends = true  to say that an agent has finished")
            self.made.append((entry, name))
            values = set() if value is None else set(cells) if value == HERE else {value}
            self.values.setdefault(name, set()).update(values)

    def use(self, entry: str, condition: Condition) -> None:
        """Record what a condition reads."""
        self.read.extend((entry, name, values) for name, values in condition.alternatives)

    def name(self, entry: str, names: Iterable[str]) -> None:
        """Record facts that are read, whatever their value."""
        self.read.extend((entry, name, ()) for name in names)

    def hand_over(self, entry: str, names: Iterable[str]) -> None:
        """Raise FileError if one of these facts leaves with the acting agent, so that others cannot find it."""
        for name in names:
            if name in self.values and name not in self.left:
                raise self.document.error(entry, f"nobody finds the fact {name!r}; add it to handover.public")

    def add_partner(self) -> None:
        """Record the facts of a second agent that acts at the same time."""
        for name in OF_THE_PARTNER:
            self.values[name] = {ANY}
        self.values.setdefault(KEY, set()).add(HELD_BY_OTHER)
        self.name("partner", [*OF_THE_PARTNER, KEY])

    def check(self) -> None:
        """Compare all that is read with all that is made.

        Raises:
            FileError: nothing sets a fact that is read, nothing reads a fact that is set, a declared fact is neither
                set nor read, or a condition needs a value that its fact can never have.
        """
        for entry, name in ((entry, name) for entry, name, _ in self.read):
            if name not in self.values and name != ENDED:
                raise self.document.unknown(entry, "fact", name, self.values)
        made, read = {name for _, name in self.made}, {name for _, name, _ in self.read}
        for name in self.declared - made - read:
            raise self.document.unknown(f"facts.{name}", "fact (nothing sets or reads it)", name, made | read)
        for entry, name in self.made:
            if name not in read | self.declared:
                raise self.document.unknown(entry, "fact (nothing reads it, and [facts] lacks it)", name, read)
        for entry, name, value in self._needed():
            possible = [other for other in self.values[name] if other is not None]
            if possible and value not in self.values[name] and ANY not in self.values[name]:
                raise self.document.unknown(entry, f"value of fact {name!r}", value, possible)

    def _needed(self) -> Iterator[tuple[str, str, Hashable]]:
        """Yield every (entry, fact, value) that a condition needs, except absence and the cell of the event."""
        for entry, name, values in self.read:
            for value in values:
                if value is not None and value != HERE and name != ENDED:
                    yield entry, name, value
