"""Results as a Parquet file, written as they arrive."""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from multislot.cells.keys import as_json
from multislot.checks import checked_path, refusal, wrong_type
from multislot.errors import MissingExtraError
from multislot.files.writing import open_draft

ROWS = 50_000
"""How many are written at once."""
KINDS = {
    type(None): ("null", "nothing"),
    bool: ("bool", "a truth value"),
    int: ("int64", "a whole number of 64 bits"),
    float: ("float64", "a number that a float holds exactly"),
    str: ("string", "a text"),
}
"""From the type of a value to the type of its column, by its name in Parquet and in words.

If a column's values have several types, the column has the one that comes last here. For example, whole numbers and
floats together make a column of floats.
"""


def write_parquet(results: Iterable[tuple[Any, Any]], path: Path | str) -> int:
    """Write cells with their results to a Parquet file in constant memory, one row each; return the number of rows.

    A dataclass or a mapping becomes one column for each field; any other value is in the column ``cell`` or ``result``.
    Values other than numbers, texts and truth values are written as JSON. The first `ROWS` say which columns there are
    and of which types; what does not fit them exactly, and a name that a cell shares with its result, is refused.
    Without results, nothing is written or replaced.

    Args:
        results: what `stream` yields.
        path: the file; an existing file is replaced when the new one is complete.
    """
    try:
        from pyarrow.parquet import ParquetWriter  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtraError("a Parquet file", "parquet") from None
    path = checked_path("path", path)
    lines = map(_line, results)
    first = list(islice(lines, ROWS))
    if not first:
        return 0
    kinds: dict[str, type] = {}
    order = list(KINDS).index
    for name, value in (item for line in first for item in line.items()):
        kinds[name] = max(kinds.get(name, type(None)), _kind(value), key=order)
    table, count = _table(first, kinds), len(first)
    with open_draft(path) as file, ParquetWriter(file, table.schema) as writer:
        writer.write_table(table)
        while some := list(islice(lines, ROWS)):
            writer.write_table(_table(some, kinds))
            count += len(some)
    return count


def _line(pair: object) -> dict[str, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise wrong_type("results", pair, "pairs of a cell and its result, as stream yields them")
    cell, result = _columns("cell", pair[0]), _columns("result", pair[1])
    for name in cell.keys() & result.keys():
        raise refusal(f"results: {name}", result[name], "names that the cell does not have", "rename it in the result")
    return cell | result


def _columns(name: str, value: Any) -> dict[str, Any]:
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    items = value if isinstance(value, dict) else {name: value}
    return {column: inner if isinstance(inner, tuple(KINDS)) else as_json(inner) for column, inner in items.items()}


def _kind(value: object) -> type:
    return next(kind for kind in KINDS if isinstance(value, kind))


def _table(lines: list[dict[str, Any]], kinds: dict[str, type]) -> Any:
    """Make a table of columns of these types; a value that it would leave out or change is refused."""
    import pyarrow  # type: ignore[import-untyped]

    for name, value in (item for line in lines for item in line.items()):
        kind, own = kinds.get(name), _kind(value)
        limit = 2**53 if kind is float else 2**63
        fits = -limit <= value < limit if own is int and kind in (int, float) else own in (kind, type(None))
        if kind is None or not fits:
            expected = f"{KINDS[kind][1]}, as in other rows" if kind else f"a name of one of the first {ROWS} rows"
            remedy = "give every row the same names and types"
            raise refusal(f"results: {name}", value, expected, remedy)
    arrays = {name: pyarrow.array([line.get(name) for line in lines], KINDS[kind][0]) for name, kind in kinds.items()}
    return pyarrow.table(arrays)
