"""The record of a finished run: everything that a table or a report shows of it, kept next to its cells.

A record says what it was made from and carries the hash of every file that was written with it, so that a run of which
nothing changed is neither computed nor drawn again, and a damaged or edited file is noticed.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from multislot.cells import as_json
from scenarios.lab.table import Row, Value

RECORD = "outcome.json"


@dataclass(frozen=True)
class Record:
    """What a finished run came to.

    Attributes:
        scenario: its name.
        family: the question it belongs to.
        paper: the paper it is about.
        description: what it asks, the docstring of its folder.
        label: which settings these are, such as ``default r_2=5``.
        command: the command that runs it.
        made_from: hash of everything that this record and its files depend on.
        content: everything the results depend on, see `scenarios.lab.store.manifest`.
        rows: its table.
        story: its own words on its results.
        figures: names of its pictures, without suffix.
        cells: number of cells.
        uncovered: number of rows of ``expected.csv`` that these settings did not measure.
        computing_seconds: what its cells took, added up.
        finished: when the last of it was made, in seconds since 1970.
        notes: what a person should know each time, such as a missing extra.
        files: hash of every file that was written with it, by name.
    """

    scenario: str
    family: str
    paper: str
    description: str
    label: str
    command: str
    made_from: str
    content: Mapping[str, Any]
    rows: tuple[Row, ...]
    story: str
    figures: tuple[str, ...]
    cells: int
    uncovered: int
    computing_seconds: float
    finished: float
    notes: tuple[str, ...]
    files: Mapping[str, str]

    @property
    def moral(self) -> str:
        """The closing paragraph of its story; empty if it has none."""
        return closing_paragraph(self.story)

    def encoded(self) -> bytes:
        """Return the record as the contents of a file."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        values["rows"] = [_packed_row(row) for row in self.rows]
        text = as_json(values)
        return json.dumps({"digest": _hash(text.encode()), "record": text}).encode()


def closing_paragraph(story: str) -> str:
    """Return the last paragraph of a story, which says what is to be learned; empty if the story is."""
    return story.strip().rpartition("\n\n")[2]


def read_record(folder: Path) -> Record | None:
    """Return the record in a run's folder; None if there is none or it is damaged."""
    try:
        kept = json.loads((folder / RECORD).read_bytes())
        if kept["digest"] != _hash(kept["record"].encode()):
            return None
        values = json.loads(kept["record"])
        values["rows"] = tuple(_row(row) for row in values["rows"])
        return Record(**(values | {name: tuple(values[name]) for name in ("figures", "notes")}))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def are_as_written(folder: Path, files: Mapping[str, str]) -> bool:
    """Return whether every file of a record is there with the contents it was written with."""
    try:
        return all(hash_of(folder / name) == digest for name, digest in files.items())
    except OSError:
        return False


def hash_of(path: Path) -> str:
    """Return the hash of a file's contents."""
    return _hash(path.read_bytes())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


VALUES = ("paper", "ours", "error")


def _packed_row(row: Row) -> dict[str, object]:
    values = {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    return values | {name: _packed(values[name]) for name in VALUES}


def _row(values: dict[str, Any]) -> Row:
    interval = values["interval"] and tuple(values["interval"])
    return Row(**(values | {name: _unpacked(values[name]) for name in VALUES} | {"interval": interval}))


def _packed(value: Value) -> object:
    """Return a value so that a float, an exact number and a word can be told apart in JSON."""
    if value is None or isinstance(value, float):
        return value
    return ["word" if isinstance(value, str) else "exact", str(value)]


def _unpacked(value: Any) -> Value:
    if not isinstance(value, list):
        return None if value is None else float(value)
    kind, text = value
    return str(text) if kind == "word" else Fraction(text)
