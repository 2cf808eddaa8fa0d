"""Finished cells as tables: plain columns that pandas and spreadsheets read.

What a cell depends on and its results become columns; parts of a structure are named with dots, ``settings.discount``.
A column of exact fractions becomes two: their floats, and their text under ``…_exact``. Lists longer than
`MOST_COLUMNS` are JSON in one column. Rows of the run's table that a cell has made are left out. A name that is taken
gets a prefix: ``result.seed`` where the cells have a ``seed``, and ``settings.cell``, for ``cell`` is the row.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from multislot.cells import as_json
from scenarios.lab.store import HASH_LETTERS
from scenarios.lab.table import EXACT, Row

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_COLUMNS = 4
ROW_KEYS = frozenset(Row("", "").as_json())
RATIONAL = re.compile(r"-?\d+(/[1-9]\d*)?")


def files_of_run(
    rows: Iterable[Row], results: Iterable[tuple[Any, Mapping[str, Any]]], content: Mapping[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """Yield ``table`` and ``cells`` as CSV; a table without rows is left out."""
    for name, frame in (("table", table_of_rows(rows)), ("cells", table_of_cells(results))):
        if not frame.empty:
            marked = frame.assign(run=content["hash"][:HASH_LETTERS])
            yield f"{name}.csv", marked.to_csv(index=False, lineterminator="\n").encode()


def table_of_rows(rows: Iterable[Row]) -> "DataFrame":
    """The table of a run; words stand under ``paper_exact`` and ``ours_exact`` alone, so that columns are numbers."""
    import pandas

    frame = pandas.DataFrame([row.as_json() for row in rows])
    for name in ("paper", "ours"):
        numbers = [None if isinstance(value, str) else value for value in frame[name]]
        frame[name] = pandas.Series(numbers, dtype="float64")
    frame["low"], frame["high"] = zip(*(ends or (None, None) for ends in frame.pop("interval")), strict=True)
    return frame


def table_of_cells(results: Iterable[tuple[Any, Mapping[str, Any]]]) -> "DataFrame":
    """The table of finished cells, in their order: a row a cell."""
    import pandas

    # as_json sorts keys; the order of the fields is easier to read
    pairs = [(asdict(cell), result) for cell, result in results]
    taken = {"cell"}.union(*(cell for cell, _ in pairs))
    fields = [
        {"settings.cell" if name == "cell" else name: value for name, value in cell.items()}
        | {f"result.{name}" if name in taken else name: made for name, made in result.items() if not _is_table(made)}
        for cell, result in pairs
    ]
    plain = [json.loads(as_json(values)) for values in fields]
    lines = [{name: line[name] for name in values} for line, values in zip(plain, fields, strict=True)]
    wide = pandas.json_normalize(lines).astype(object)
    columns: dict[str, list[Any]] = {"cell": list(range(len(lines)))}
    for name in wide.columns:
        values = [None if value is pandas.NA or value != value else value for value in wide[name]]
        lists = [value for value in values if isinstance(value, list)]
        if any(len(items) > MOST_COLUMNS or any(isinstance(item, list | dict) for item in items) for items in lists):
            columns[name] = [None if value is None else as_json(value) for value in values]
        elif lists:
            for place in range(max(map(len, lists))):
                items = [value[place] if isinstance(value, list) and place < len(value) else None for value in values]
                columns |= _with_floats(f"{name}.{place}", items)
        else:
            columns |= _with_floats(name, values)
    return pandas.DataFrame(columns).convert_dtypes()


def _is_table(value: object) -> bool:
    """Whether a value is a list of rows as `Row.as_json` writes them."""
    return isinstance(value, list) and any(isinstance(item, dict) and item.keys() == ROW_KEYS for item in value)


def _with_floats(name: str, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Make two columns of one that holds fractions: their floats, then their text."""
    present = [value for value in values if value is not None]
    is_rational = all(
        type(value) is int or (isinstance(value, str) and RATIONAL.fullmatch(value) and str(Fraction(value)) == value)
        for value in present
    )
    if not is_rational or not any(isinstance(value, str) for value in present):
        return {name: list(values)}
    texts = [None if value is None else str(value) for value in values]
    numbers = [float(Fraction(value)) if isinstance(value, str) else value for value in values]
    return {name: numbers, f"{name}{EXACT}": texts}
