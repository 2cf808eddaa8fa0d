"""The page itself: a Jinja2 template, filled in with what the folder of results holds, everything in one file."""

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from scenarios import vega
from scenarios.lab import previews, registry
from scenarios.lab.counting import headline
from scenarios.lab.records import Record
from scenarios.lab.registry import Scenario
from scenarios.lab.store import code_hash
from scenarios.report.cards import Card, Picture, attention, card, tiles, verdict
from scenarios.report.shelf import KeptRun, Shelf, read_shelf, write_shared
from scenarios.report.strip import strip_of

PAGE = "index.html"
LARGEST = 3_000_000
"""Bytes of the whole page; pictures that would make it larger are links to their files."""
RESERVE = 40_000
FORMATS = ("svg", "png", "pdf")
STATES = ("differs", "undecided", "agrees", "measured")


def write_report(results: Path) -> Path:
    """Write the report on a folder of results into it and return the page's path.

    Raises:
        StoreError: the page cannot be written.
    """
    path = results / PAGE
    write_shared(path, render(results).encode())
    return path


def render(results: Path) -> str:
    """Return the report on a folder of results as HTML."""
    shelf, known = read_shelf(results), registry.discover()
    records = shelf.records
    strip = strip_of(records)
    values: dict[str, Any] = {
        "verdict": verdict(shelf),
        "tiles": tiles(headline(row for one in records for row in one.rows)),
        "runs": len(records),
        "undecided": sum(row.agrees is None and row.kind != "measured" for one in records for row in one.rows),
        "measured": sum(row.kind == "measured" for one in records for row in one.rows),
        "attention": attention(records),
        "strip": strip,
        "specification": json.dumps(strip.specification, ensure_ascii=False).replace("<", "\\u003c"),
        "failed": shelf.failed,
        "left_out": shelf.left_out,
        "unfinished": shelf.unfinished,
        "missing": [name for name in known if name not in {*shelf.shown, *shelf.failed, *shelf.left_out}],
        "known": len(known),
        "seconds": sum(one.computing_seconds for one in records),
        "versions": _versions(records),
        "vega": _packed_vega() if strip.specification else "",
        "licences": vega.licences().replace("</", "<\\/") if strip.specification else "",
        "style": _text("page.css"),
        "script": vega.inline(_text("page.js")),
    }
    without = _template().render(**values, families=_families(_cards(shelf, known, results, room=0)))
    room = LARGEST - RESERVE - len(without.encode())
    return str(_template().render(**values, families=_families(_cards(shelf, known, results, room))))


def _cards(shelf: Shelf, known: Mapping[str, Scenario], results: Path, room: int) -> list[Card]:
    """Return the cards, those with something to look at first; pictures as long as there is room, in bytes."""
    left = [room]
    return [
        card(
            run,
            shelf.others.get(name, ()),
            [_picture(results, run, figure, left) for figure in run.record.figures],
            code_hash(known[name]) if name in known else None,
        )
        for name, run in shelf.shown.items()
    ]


def _picture(results: Path, run: KeptRun, name: str, left: list[int]) -> Picture:
    folder = results / run.place
    found = [f"{run.place}/{name}.{kind}" for kind in FORMATS if (folder / f"{name}.{kind}").exists()]
    try:
        data = (folder / f"{name}{previews.SUFFIX}").read_bytes()
    except OSError:
        return Picture(name, "", found)
    encoded = "data:image/webp;base64," + base64.b64encode(data).decode()
    if len(encoded) > left[0]:
        return Picture(name, "", found)
    left[0] -= len(encoded)
    return Picture(name, encoded, found)


def _families(cards: Iterable[Card]) -> dict[str, list[Card]]:
    """Return the cards by family; within it and among them what differs comes first."""
    families: dict[str, list[Card]] = {}
    for one in sorted(cards, key=lambda one: (STATES.index(one.state), one.family, one.name)):
        families.setdefault(one.family, []).append(one)
    return families


def _versions(records: Iterable[Record]) -> list[str]:
    """Return with which versions of multislot and Python the runs were made."""
    made = (record.content["versions"] for record in records)
    return list(dict.fromkeys(f"multislot {one['multislot']} on Python {one['python']}" for one in made))


@cache
def _packed_vega() -> str:
    """Return the chart libraries compressed and as text, less than half their size."""
    text = "\n".join(vega.script(name) for name in vega.SCRIPTS)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_text("page.html"))


def _text(name: str) -> str:
    return files("scenarios.report").joinpath(name).read_text(encoding="utf-8")
