"""Does a task file speak of the same facts throughout? A misspelt one would silently never come about.

A fact is known if the file's ``[facts]`` name it, or a rule or the handover sets it; what is needed of it must be
something that it can be. A fact that is set must be read somewhere, or stand under ``[facts]`` (``false`` if it is not
true at first): facts are declared there that only a criterion of one's own reads.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from considerate.craftworld.arrays import ENDED
from considerate.craftworld.partner import AT, FINISHED, HAS, HELD_BY_PARTNER, KEY
from considerate.craftworld.rules import HERE, Condition
from multislot.errors import SettingError, UnknownNameError

OF_THE_PARTNER = frozenset({AT, FINISHED, HAS})
ANY = object()
"""Stands among the values of a fact that may have any value."""


def entry(place: str) -> str:
    """How a place in a task file is named in errors."""
    return f"the task file's entry {place!r}"


@dataclass
class Facts:
    """The facts of a task file as they are collected, each use with its place in the file.

    Attributes:
        values: what each fact can be, besides absent.
        made: (place, fact) of everything that sets a fact.
        read: (place, fact, values) of everything that reads a fact.
        declared: the facts at first.
        left: the facts that others may find when the acting agent has left.
    """

    values: dict[str, set[Any]] = field(default_factory=dict)
    made: list[tuple[str, str]] = field(default_factory=list)
    read: list[tuple[str, str, tuple[Hashable, ...]]] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)

    def declare(self, facts: Mapping[str, Hashable]) -> None:
        """Notes the facts at first."""
        for name, value in facts.items():
            self.values.setdefault(name, set()).add(value)
            self.declared.add(name)

    def make(self, place: str, facts: Mapping[str, Hashable], cells: Iterable[Hashable] = ()) -> None:
        """Notes what a rule sets, in any of some cells."""
        for name, value in facts.items():
            if name == ENDED:
                raise SettingError(
                    f"{entry(place)} sets 'ended'; write  ends = true  to say that an agent has finished"
                )
            self.made.append((place, name))
            values = set() if value is None else set(cells) if value == HERE else {value}
            self.values.setdefault(name, set()).update(values)

    def use(self, place: str, condition: Condition | None) -> None:
        """Notes what a condition reads."""
        for name, values in () if condition is None else condition.alternatives:
            self.read.append((place, name, values))

    def name(self, place: str, names: Iterable[str]) -> None:
        """Notes facts that are read whatever they are."""
        self.read.extend((place, name, ()) for name in names)

    def hand_over(self, place: str, names: Iterable[str]) -> None:
        """Notes facts that others are to find.

        Raises:
            SettingError: if one leaves with the acting agent.
        """
        for name in names:
            if name in self.values and name not in self.left:
                raise SettingError(f"{entry(place)}: nobody finds the fact {name!r}; add it to handover.public")

    def add_partner(self) -> None:
        """Notes the facts of a second agent who acts at the same time."""
        for name in OF_THE_PARTNER:
            self.values[name] = {ANY}
        self.values.setdefault(KEY, set()).add(HELD_BY_PARTNER)
        self.name("partner", [*OF_THE_PARTNER, KEY])

    def check(self) -> None:
        """Compares all that is read with all that is made.

        Raises:
            UnknownNameError: if a fact is read that nothing sets, set though nothing reads it, declared though neither,
                or needed to be what it can never be.
        """
        for place, name in ((place, name) for place, name, _ in self.read):
            if name not in self.values and name != ENDED:
                raise UnknownNameError(f"fact in {entry(place)}", name, self.values)
        made, read = {name for _, name in self.made}, {name for _, name, _ in self.read}
        for name in self.declared - made - read:
            raise UnknownNameError(f"fact (nothing sets or reads it) in {entry('facts')}", name, made | read)
        for place, name in self.made:
            if name not in read | self.declared:
                raise UnknownNameError(f"fact (nothing reads it, and [facts] lacks it) in {entry(place)}", name, read)
        for place, name, value in self._needed():
            known = [str(known) for known in self.values[name] if known is not None]
            if known and value not in self.values[name] and ANY not in self.values[name]:
                raise UnknownNameError(f"value of fact {name!r} in {entry(place)}", value, known)

    def _needed(self) -> Iterator[tuple[str, str, Hashable]]:
        """Every (place, fact, value) that is needed, besides absence and the cell of the event."""
        for place, name, values in self.read:
            for value in values:
                if value is not None and value != HERE and name != ENDED:
                    yield place, name, value
