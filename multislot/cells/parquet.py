"""Results as a Parquet file, written as they arrive."""

from collections.abc import Iterable
from dataclasses import is_dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from multislot.cells.keys import as_json
from multislot.checks import checked_path, wrong_type
from multislot.errors import MissingExtraError
from multislot.files.writing import open_draft

ROWS = 50_000
"""How many are written at once."""


def write_parquet(results: Iterable[tuple[Any, Any]], path: Path | str) -> int:
    """Write cells with their results to a Parquet file in constant memory, one row each; return the number of rows.

    A dataclass or a mapping becomes one column for each field; any other value is in the column ``cell`` or ``result``.
    Values other than numbers, texts and truth values are written as JSON. Columns have the types of the first `ROWS`.

    Args:
        results: what `stream` yields.
        path: the file; an existing file is replaced when the new one is complete.
    """
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow.parquet import ParquetWriter  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtraError("a Parquet file", "parquet") from None
    path = checked_path("path", path)
    lines = map(_line, results)
    first = list(islice(lines, ROWS))
    if not first:
        return 0
    table, count = pyarrow.Table.from_pylist(first), len(first)
    with open_draft(path) as file, ParquetWriter(file, table.schema) as writer:
        writer.write_table(table)
        while some := list(islice(lines, ROWS)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema=table.schema))
            count += len(some)
    return count


def _line(pair: object) -> dict[str, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise wrong_type("results", pair, "pairs of a cell and its result, as stream yields them")
    return _columns("cell", pair[0]) | _columns("result", pair[1])


def _columns(name: str, value: Any) -> dict[str, Any]:
    fields = vars(value) if is_dataclass(value) else value if isinstance(value, dict) else {name: value}
    plain = (int, float, str, type(None))
    return {column: inner if isinstance(inner, plain) else as_json(inner) for column, inner in fields.items()}
