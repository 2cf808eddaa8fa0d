"""What the page says of a run, ready for the template: text in paragraphs, values as words, links to files."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from multislot.statistics import UNDECIDED
from scenarios.lab.counting import Headline, headline
from scenarios.lab.printing import shown, with_error
from scenarios.lab.records import Record
from scenarios.lab.table import Row
from scenarios.report.shelf import KeptRun, Shelf

COUNTED = {
    "published": "published values matched",
    "formula": "formulas matched",
    "claim": "claims held",
    "control": "controls caught",
    "zero_or_one": "zeros and ones agree",
}
MOST_MEASURED = 60
"""So many measured rows are on the page; all are in the table on disk."""
MARKED = re.compile(r"``(.+?)``|`(.+?)`|(?<!\w)\*(\w[^*]*)\*(?!\w)")
Prose: TypeAlias = Sequence[Sequence[tuple[str, str]]]
"""Paragraphs, each as pieces: the element that a piece is in, ``code``, ``em`` or none, and its words."""


@dataclass(frozen=True)
class Picture:
    """A figure on the page: its name, the preview as a data URI, and the files to open.

    `data` is empty where there is no room for it on the page.
    """

    name: str
    data: str
    files: Sequence[str]


@dataclass(frozen=True)
class Tile:
    """One count of the headline: ``41 of 43 formulas matched``."""

    name: str
    words: str
    agree: int
    total: int
    differ: int
    undecided: int


@dataclass(frozen=True)
class Verdict:
    """The sentence on top of the page; `state` is ``agrees``, ``differs`` or ``undecided``."""

    state: str
    words: str


@dataclass(frozen=True)
class Line:
    """A row of the table, as words; `state` is ``agrees``, ``differs``, ``undecided`` or ``measured``."""

    quantity: str
    condition: str
    kind: str
    paper: str
    ours: str
    difference: str
    tolerance: str
    source: str
    state: str


@dataclass(frozen=True)
class Card:
    """A scenario on the page."""

    name: str
    family: str
    paper: str
    question: str
    description: Prose
    moral: Prose
    story: str
    headline: str
    state: str
    label: str
    command: str
    place: str
    files: Sequence[str]
    pictures: Sequence[Picture]
    compared: Sequence[Line]
    measured: Sequence[Line]
    unlisted: int
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    seeds: Any
    cells: int
    seconds: str
    finished: str
    hash: str
    others: Sequence[tuple[str, str, str]]
    uncovered: int
    is_of_other_code: bool


def tiles(counted: Headline) -> list[Tile]:
    """Return the counts of each kind that there are rows of."""
    counts = {name: getattr(counted, name) for name in COUNTED}
    return [
        Tile(name, COUNTED[name], count.agree, count.total, count.differ, count.undecided)
        for name, count in counts.items()
        if count.total
    ]


def verdict(shelf: Shelf) -> Verdict:
    """Return the sentence on top: what failed and what differs come before anything that agrees."""
    counted = headline(row for record in shelf.records for row in record.rows)
    counts = [getattr(counted, name) for name in COUNTED]
    agree, differ, undecided = (sum(getattr(one, name) for one in counts) for name in ("agree", "differ", "undecided"))
    bad = [f"{len(shelf.failed)} scenario{'s' * (len(shelf.failed) != 1)} failed"] if shelf.failed else []
    bad += [f"{differ} of {agree + differ + undecided} compared rows differ"] if differ else []
    open_ = [f"{undecided} {'is' if undecided == 1 else 'are'} {UNDECIDED}"] if undecided else []
    if bad:
        return Verdict("differs", "; ".join([*bad, *open_]) + ".")
    if not agree + undecided:
        return Verdict("undecided", "Nothing was compared.")
    if undecided:
        return Verdict("undecided", f"{agree} of {agree + undecided} compared rows agree; {open_[0]}; nothing differs.")
    return Verdict("agrees", f"All {agree} compared rows agree.")


def state_of(rows: Iterable[Row]) -> str:
    """Return ``differs`` if a row does, otherwise ``undecided`` if a row is, otherwise ``agrees``."""
    states = {line_state(row) for row in rows}
    return next((one for one in ("differs", "undecided", "agrees") if one in states), "measured")


def line_state(row: Row) -> str:
    """Return what is to be said of a row."""
    if row.kind == "measured":
        return "measured"
    return {True: "agrees", False: "differs", None: "undecided"}[row.agrees]


def line(row: Row) -> Line:
    """Return a row as words."""
    return Line(
        quantity=row.quantity,
        condition=row.condition,
        kind=row.kind,
        paper=shown(row.paper),
        ours=with_error(row),
        difference=f"{row.error:.3g}" if isinstance(row.error, float) else shown(row.error),
        tolerance=f"{row.tolerance:.3g}" if row.tolerance else "",
        source=row.source,
        state=line_state(row),
    )


def card(run: KeptRun, others: Sequence[KeptRun], pictures: Sequence[Picture], code: str | None) -> Card:
    """Return what the page says of a run.

    Args:
        run: the run.
        others: other runs of the scenario.
        pictures: its figures.
        code: hash of the scenario's code as it is now; None if there is no such scenario any more.
    """
    record = run.record
    measured = [line(row) for row in record.rows if row.kind == "measured"]
    question, _, rest = record.description.partition("\n\n")
    return Card(
        name=record.scenario,
        family=record.family,
        paper=record.paper,
        question=" ".join(question.split()),
        description=paragraphs(rest),
        moral=paragraphs(record.moral),
        story=record.story.strip() if record.story.strip() != record.moral else "",
        headline=str(headline(record.rows)),
        state=state_of(record.rows),
        label=record.label,
        command=record.command,
        place=run.place,
        files=sorted([*record.files, "outcome.json", "run.json", "cells.sqlite"]),
        pictures=pictures,
        compared=[line(row) for row in _worst_first(record.rows)],
        measured=measured[:MOST_MEASURED],
        unlisted=max(0, len(measured) - MOST_MEASURED),
        settings=record.content["settings"],
        versions={name: version for name, version in record.content["versions"].items() if version},
        seeds=record.content["seeds"],
        cells=record.cells,
        seconds=f"{record.computing_seconds:.3g} s",
        finished=f"{datetime.fromtimestamp(record.finished, UTC):%Y-%m-%d %H:%M} UTC",
        hash=record.content["hash"],
        others=[(one.place, one.record.label, str(headline(one.record.rows))) for one in others],
        uncovered=record.uncovered,
        is_of_other_code=code != record.content["code"],
    )


def _worst_first(rows: Sequence[Row]) -> list[Row]:
    order = ("differs", "undecided", "agrees")
    compared = [row for row in rows if row.kind != "measured"]
    return sorted(compared, key=lambda row: order.index(line_state(row)))


def paragraphs(text: str) -> Prose:
    """Return text as paragraphs."""
    found = []
    for paragraph in filter(None, (part.strip() for part in text.split("\n\n"))):
        pieces, end = [], 0
        words = " ".join(paragraph.split())
        for match in MARKED.finditer(words):
            code, emphasis = match[1] or match[2], match[3]
            pieces += [("", words[end : match.start()]), ("code", code) if code else ("em", emphasis)]
            end = match.end()
        found.append([piece for piece in (*pieces, ("", words[end:])) if piece[1]])
    return found


def attention(records: Iterable[Record]) -> list[tuple[str, Line]]:
    """Return every row that differs or is not decided, with its scenario, those that differ first."""
    found = [(one.scenario, line(row)) for one in records for row in one.rows]
    return [pair for state in ("differs", "undecided") for pair in found if pair[1].state == state]
