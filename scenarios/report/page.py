"""The page itself: a Jinja2 template, filled in with what the folder of results holds, everything in one file."""

import base64
import re
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from multislot.files.foreign import ForeignFileError, is_file, read_bytes
from multislot.statistics import UNDECIDED
from scenarios import vega
from scenarios.lab import registry
from scenarios.lab.printing import format_value, with_error
from scenarios.lab.records import RECORD
from scenarios.lab.store import CELLS, RUN, code_hash, write_file
from scenarios.lab.table import COUNTED, headline
from scenarios.report.shelf import KeptRun, Shelf, read_shelf

PAGE = "index.html"
LARGEST = 3_000_000
"""Bytes of the whole page; pictures that would make it larger are links to their files."""
RESERVE = 40_000
FORMATS = ("svg", "png", "pdf")
STATES = ("differs", "undecided", "agrees", "measured")
"""What is to be said of a row or a run, the most urgent first."""
MOST_MEASURED = 60
"""So many measured rows are on the page; all are in the table on disk."""
MARKED = re.compile(r"``(.+?)``|`(.+?)`|(?<!\w)\*(\w[^*]*)\*(?!\w)")


def write_report(results: Path) -> Path:
    """Write the report on a folder of results into it and return the page's path.

    Raises:
        StoreError: the page cannot be written.
    """
    path = results / PAGE
    write_file(path, render(results).encode())
    return path


def render(results: Path) -> str:
    """Write the report on a folder of results as HTML."""
    shelf, scenarios = read_shelf(results), registry.discover()
    records = shelf.records
    versions = [record.content["versions"] for record in records]
    runs = sorted(shelf.shown.values(), key=lambda run: (STATES.index(_state(run)), run.record.family, run.place))
    values: dict[str, Any] = {
        "verdict": _verdict(shelf),
        "headline": headline(row for record in records for row in record.rows),
        "families": {run.record.family: [r for r in runs if r.record.family == run.record.family] for run in runs},
        "others": shelf.others,
        "files": {
            name: [file for file in run.record.files if is_file(f"{run.place}/{file}", results)]
            for name, run in shelf.shown.items()
        },
        "code": {name: code_hash(scenarios[name]) for name in shelf.shown if name in scenarios},
        "runs": len(records),
        "attention": [
            (r.scenario, row) for state in STATES[:2] for r in records for row in r.rows if row.state == state
        ],
        "failed": shelf.failed,
        "left_out": shelf.left_out,
        "unfinished": shelf.unfinished,
        "missing": [name for name in scenarios if name not in {*shelf.shown, *shelf.failed, *shelf.left_out}],
        "known": len(scenarios),
        "seconds": sum(record.computing_seconds for record in records),
        "versions": list(
            dict.fromkeys("multislot {multislot} on Python {python}".format_map(made) for made in versions)
        ),
        "style": _text("page.css"),
        "script": vega.inline(_text("page.js")),
        "policy": vega.policy(vega.hash_of(_text("page.js")), charts=False),
    }
    without = _template().render(**values, pictures=_pictures(results, shelf, room=0))
    room = LARGEST - RESERVE - len(without.encode())
    return str(_template().render(**values, pictures=_pictures(results, shelf, room)))


def _pictures(results: Path, shelf: Shelf, room: int) -> dict[str, list[dict[str, Any]]]:
    """Read the pictures of every scenario: name, a data URI as long as there is room (bytes), and files."""
    pictures: dict[str, list[dict[str, Any]]] = {}
    for name, run in shelf.shown.items():
        pictures[name] = []
        for figure in run.record.figures:
            data = _data(results, f"{run.place}/{figure}.webp")
            data = data if len(data) <= room else ""
            room -= len(data)
            paths = [f"{run.place}/{figure}.{kind}" for kind in FORMATS]
            existing = [path for path in paths if is_file(path, results)]
            pictures[name].append({"name": figure, "data": data, "files": existing})
    return pictures


def _data(results: Path, name: str) -> str:
    """A picture as a data URI; empty if it is missing, too large or not within the folder of results."""
    try:
        return "data:image/webp;base64," + base64.b64encode(read_bytes(name, LARGEST, results)).decode()
    except ForeignFileError:
        return ""


def _verdict(shelf: Shelf) -> tuple[str, str]:
    """The state of everything and the sentence on top: what failed and what differs come before what agrees."""
    counts = headline(row for record in shelf.records for row in record.rows).everything
    bad = [f"{len(shelf.failed)} experiment{'s' * (len(shelf.failed) != 1)} failed"] if shelf.failed else []
    bad += [f"{counts.differ} of {counts.total} compared rows differ"] if counts.differ else []
    undecided = [f"{counts.undecided} {'is' if counts.undecided == 1 else 'are'} {UNDECIDED}"] * bool(counts.undecided)
    if bad:
        return "differs", "; ".join([*bad, *undecided]) + "."
    if not counts.total:
        return "undecided", "Nothing was compared."
    if undecided:
        agree = f"{counts.agree} of {counts.total} compared rows agree"
        return "undecided", f"{agree}; {undecided[0]}; nothing differs."
    return "agrees", f"All {counts.agree} compared rows agree."


def _state(run: KeptRun) -> str:
    """The state of its most urgent row; what is only measured comes last."""
    return min((row.state for row in run.record.rows), key=STATES.index, default=STATES[-1])


def paragraphs(text: str) -> list[list[tuple[str, str]]]:
    """Split text into paragraphs of pieces: the element that a piece is in (``code``, ``em`` or none) and its words."""
    split = []
    for paragraph in filter(None, (part.strip() for part in text.split("\n\n"))):
        pieces, end = [], 0
        words = " ".join(paragraph.split())
        for match in MARKED.finditer(words):
            code, emphasis = match[1] or match[2], match[3]
            pieces += [("", words[end : match.start()]), ("code", code) if code else ("em", emphasis)]
            end = match.end()
        split.append([piece for piece in (*pieces, ("", words[end:])) if piece[1]])
    return split


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "shown": format_value,
        "with_error": with_error,
        "headline": headline,
        "paragraphs": paragraphs,
        "state": _state,
        "worst_first": lambda rows: sorted(rows, key=lambda row: STATES.index(row.state)),
        "day": lambda seconds: f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC",
        "digits": lambda number: f"{number:.3g}" if isinstance(number, float) else format_value(number),
    }
    environment.globals |= {
        "counted": {kind: " ".join(words).partition(",")[0] for kind, words in COUNTED.items()},
        "most_measured": MOST_MEASURED,
        "own_files": [RECORD, RUN, CELLS],
    }
    return environment.from_string(_text("page.html"))


def _text(name: str) -> str:
    return files("scenarios.report").joinpath(name).read_text(encoding="utf-8")
