"""Finished cells as tables: plain columns that pandas and spreadsheets read.

What a cell depends on and what it gave become columns; parts of a structure are named with dots, ``settings.discount``.
A column of exact fractions is two: their floats, and their text under ``…_exact``. Lists longer than `MOST_COLUMNS`
become lines of a second table, `Tables.series`.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from multislot.cells import as_json
from scenarios.lab.registry import Cell, Result
from scenarios.lab.table import EXACT

Line = dict[str, object]

MOST_COLUMNS = 4
RATIONAL = re.compile(r"-?\d+(/[1-9]\d*)?")


@dataclass(frozen=True)
class Tables:
    """The tables of finished cells.

    Attributes:
        cells: a line a cell, with its number.
        series: a line an item of the longer lists: ``cell`` (its number), ``name`` of the list, ``index`` in it
            (several joined by slashes where lists are nested), ``value``, and ``value_exact``, the text of a
            fraction or a word.
    """

    cells: list[Line]
    series: list[Line]


def tables(results: Iterable[tuple[Cell, Result]]) -> Tables:
    """Return the tables of finished cells, in their order."""
    found = [_values(cell, result) for cell, result in results]
    long_names = {name for values in found for name, one in _parts(values) if _is_long(one)}
    cells, series = [], []
    for number, values in enumerate(found):
        line: Line = {"cell": number}
        for name, one in _parts(values):
            if name in long_names:
                series += [_item(number, name, index, value) for index, value in _items(one)]
            elif isinstance(one, list):
                line |= {f"{name}.{index}": value for index, value in enumerate(one)}
            else:
                line[name] = one
        cells.append(line)
    return Tables(_with_floats(cells), series)


def _values(cell: Cell, result: Result) -> dict[str, Any]:
    """Return what a cell depends on, in the order of its fields, and what it gave, as JSON values."""
    values = asdict(cell) | dict(result)
    plain = json.loads(as_json(values))
    return {name: plain[name] for name in values}


def _parts(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is in a structure of dicts, by dotted name; lists as they are."""
    for name, one in values.items():
        if isinstance(one, dict):
            yield from _parts(one, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", one


def _is_long(value: object) -> bool:
    if not isinstance(value, list):
        return False
    return len(value) > MOST_COLUMNS or any(isinstance(one, list | dict) for one in value)


def _items(value: object, index: str = "") -> Iterator[tuple[str, object]]:
    """Yield every number and word in lists and dicts, with its place: indices and names joined by dots."""
    if isinstance(value, list | dict):
        for place, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _items(one, f"{index}/{place}" if index else str(place))
    else:
        yield index, value


def _item(number: int, name: str, index: str, value: object) -> Line:
    is_text = isinstance(value, str)
    exact = value if is_text else None
    return {"cell": number, "name": name, "index": index, "value": _number(value), f"value{EXACT}": exact}


def _number(value: object) -> object:
    """Return the float of a fraction's text, nothing for other words, and anything else as it is."""
    if not isinstance(value, str):
        return value
    return float(Fraction(value)) if RATIONAL.fullmatch(value) else None


def _with_floats(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with two columns for each that holds fractions: their floats first, then their text."""
    rational = {name for name in _columns(lines) if _is_rational([line.get(name) for line in lines])}
    split = []
    for line in lines:
        pairs = [
            ((name, _number(value)), (f"{name}{EXACT}", None if value is None else str(value)))
            if name in rational
            else ((name, value),)
            for name, value in line.items()
        ]
        split.append(dict(entry for entries in pairs for entry in entries))
    return split


def _is_rational(values: Sequence[object]) -> bool:
    words = [value for value in values if isinstance(value, str)]
    rest = [value for value in values if value is not None and not isinstance(value, str | int)]
    return bool(words) and not rest and all(RATIONAL.fullmatch(word) for word in words)


def _columns(lines: Sequence[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(name for line in lines for name in line))


def as_csv(lines: Sequence[Mapping[str, object]]) -> bytes:
    """Return lines as CSV; the columns are those of any line, in their order."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _columns(lines), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue().encode()


def as_parquet(lines: Sequence[Mapping[str, object]], content: Mapping[str, Any]) -> bytes:
    """Return the same lines as Parquet, `content` in the file's metadata; a column of mixed types becomes text.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import pyarrow  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    arrays = {name: _one_type([line.get(name) for line in lines]) for name in _columns(lines)}
    table = pyarrow.table(arrays).replace_schema_metadata({"multislot": json.dumps(content)})
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _one_type(values: list[object]) -> list[object]:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]  # type: ignore[arg-type]
    return values if len(kinds) <= 1 else [None if value is None else str(value) for value in values]
