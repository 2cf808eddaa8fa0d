"""The record of a finished run: everything that a table or a report shows of it, kept next to its cells.

A record has the hash of what it was made from and of every file that was written with it. So a run is neither computed
nor drawn again if nothing has changed, and a damaged or edited file is noticed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, TypeAdapter

from multislot.cells import as_json
from multislot.files.foreign import ForeignFileError, hash_file, read_json
from scenarios.lab.table import Row

RECORD = "outcome.json"
LARGEST_RECORD = 100_000_000
DAMAGE = (OSError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)
"""Errors from reading a file that is not a record; pydantic's errors are ValueErrors."""
Seconds: TypeAlias = Annotated[float, Field(ge=0, le=10**11)]


@dataclass(frozen=True)
class Record:
    """A finished run: the scenario in words, its table and story, and its files.

    Attributes:
        made_from: hash of everything that this record and its files depend on.
        content: everything the results depend on, see `scenarios.lab.store.manifest`.
        uncovered: number of expected rows that these settings did not measure.
        computing_seconds: sum over its cells.
        finished: in seconds since 1970.
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
    computing_seconds: Seconds
    finished: Seconds
    notes: tuple[str, ...]
    files: Mapping[str, str]

    @property
    def moral(self) -> str:
        """The closing paragraph of its story; empty if it has none."""
        return closing_paragraph(self.story)

    def encode(self) -> bytes:
        """Write the record as the contents of a file, with the digest that shows damage."""
        text = as_json(vars(self) | {"rows": [row.as_json() for row in self.rows]})
        return json.dumps({"digest": _hash(text.encode()), "record": text}).encode()


def closing_paragraph(story: str) -> str:
    """The last paragraph of a story, which says what is to be learned; empty if the story is."""
    return story.strip().rpartition("\n\n")[2]


def read_record(results: Path, place: str = ".") -> Record | None:
    """Read the record of a run; None if there is none, it is damaged, or it lies elsewhere.

    Args:
        results: a folder that no link may lead out of.
        place: the folder of the run in it.
    """
    try:
        stored = read_json(f"{place}/{RECORD}", LARGEST_RECORD, results)
        if stored["digest"] != _hash(stored["record"].encode()):
            return None
        values = json.loads(stored["record"])
        json.dumps(values, ensure_ascii=False).encode()  # half a surrogate has no place on a page
        # A report shows both.
        if not all(isinstance(values["content"][part], dict) for part in ("settings", "versions")):
            return None
        values["rows"] = [TypeAdapter(Row).validate_python(vars(Row.from_json(row))) for row in values["rows"]]
        return TypeAdapter(Record).validate_python(values)
    except DAMAGE:
        return None


def are_as_written(folder: Path, files: Mapping[str, str]) -> bool:
    """Check that files within a folder are there with the contents they were written with."""
    try:
        return all(hash_file(name, folder) == digest for name, digest in files.items())
    except ForeignFileError:
        return False


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
