"""What a run leaves behind: a folder that holds every finished cell, what produced it, and tables to take away.

A run's folder is named by the hash of everything its results depend on: scenario, settings (seeds among them), code
and the versions of the libraries. So the same command finds its own finished cells again, another one never
meets them, and nothing is written over. Cells stand in one SQLite file, durable one by one.
"""

import hashlib
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from multislot.errors import StoreError
from scenarios.registry import Cell, Result, Scenario, Settings
from scenarios.table import Row

ENGINE = ("multislot", "extenv", "considerate")
LIBRARIES = ("numpy", "scipy", "networkx", "gymnasium", "pettingzoo", "stable-baselines3", "torch")
SCHEMA = "CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, cell TEXT, result TEXT, seconds REAL)"


def as_json(value: object) -> str:
    """One text for one value: keys sorted, fractions as ``3/4``, NumPy's numbers as plain ones."""
    return json.dumps(value, sort_keys=True, default=_plain, separators=(",", ":"))


def _plain(value: Any) -> object:
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars alike
        return value.tolist()
    raise TypeError(f"a cell's result holds {value!r} of type {type(value).__name__}; only JSON values can be kept")


def cell_key(cell: Cell) -> str:
    """The name under which a cell's result is kept: its type and its fields as JSON."""
    return f"{type(cell).__name__} {as_json(asdict(cell))}"


def manifest(scenario: Scenario, settings: Settings) -> dict[str, Any]:
    """Everything the results depend on, and its hash."""
    content = {
        "scenario": scenario.name,
        "settings": TypeAdapter(type(settings)).dump_python(settings, mode="json"),
        "seeds": getattr(settings, "seeds", None),
        "code": _digest(scenario),
        "versions": {"python": platform.python_version(), "multislot": _version("multislot")}
        | {name: _version(name) for name in LIBRARIES},
    }
    return content | {"hash": hashlib.sha256(as_json(content).encode()).hexdigest()}


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _digest(scenario: Scenario) -> str:
    """Hash of the sources that a cell may run: the engine and the scenario's family, pictures aside."""
    family = import_module(scenario.package.rpartition(".")[0]).__path__
    engine = [place for name in ENGINE if (spec := find_spec(name)) for place in spec.submodule_search_locations or ()]
    files = [path for root in [*engine, *family] for path in sorted(Path(root).rglob("*.py")) if path.name != "plot.py"]
    total = hashlib.sha256()
    for path in files:
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()


class Store:
    """The finished cells of one run; a context that closes them.

    Args:
        results: the folder above all results.
        content: the run's `manifest`.

    Raises:
        StoreError: the run's folder holds another run, or its cells cannot be read.
    """

    def __init__(self, results: Path, content: Mapping[str, Any]) -> None:
        self.content = content
        self.folder = results / content["scenario"] / content["hash"][:12]
        self.folder.mkdir(parents=True, exist_ok=True)
        described = self.folder / "run.json"
        text = json.dumps(content, indent=2)
        if described.exists() and described.read_text(encoding="utf-8") != text:
            raise StoreError(f"{described} describes another run; move {self.folder} away or choose another --results")
        _write(described, text.encode())
        self._cells = self._open(self.folder / "cells.sqlite")

    def _open(self, path: Path) -> sqlite3.Connection:
        """Opens the cells so that a commit survives the process, and a loss of power costs the last ones at most."""
        try:
            connection = sqlite3.connect(path, timeout=60)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            with connection:
                connection.execute(SCHEMA)
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path}: {error}; move {self.folder} away and run again") from None
        return connection

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *problem: object) -> None:
        self._cells.close()

    def finished(self) -> dict[str, tuple[Result, float]]:
        """Result and seconds of every finished cell, by key."""
        found = self._cells.execute("SELECT key, result, seconds FROM cells").fetchall()
        return {key: (json.loads(result), seconds) for key, result, seconds in found}

    def add(self, cell: Cell, result: str, seconds: float) -> None:
        """Keeps one cell's result, given as JSON; once this returns, killing the process does not lose it."""
        row = (cell_key(cell), as_json(asdict(cell)), result, seconds)
        with self._cells:
            self._cells.execute("INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?)", row)

    def export(self, rows: Sequence[Row], results: Iterable[tuple[Cell, Result]]) -> list[str]:
        """Writes ``table`` and ``cells`` as CSV, and as Parquet where the extra ``parquet`` is installed.

        Returns:
            What there is to say about files that were there and differ: they are kept under another name.
        """
        run = {"run": self.content["hash"]}
        table = [row.as_json() | {"uncertainty": row.uncertainty} | run for row in rows]
        cells = [_flat(asdict(cell)) | _flat(result) | run for cell, result in results]
        notes: list[str] = []
        for name, lines in (("table", table), ("cells", cells)):
            notes += self.keep(f"{name}.csv", _csv(lines))
            with suppress(ImportError):
                notes += self.keep(f"{name}.parquet", _parquet(lines, self.content))
        return notes

    def keep(self, name: str, data: bytes) -> list[str]:
        """Writes a file of this run; one that is there and differs is first moved aside.

        Returns:
            One note if a file was moved, else none.
        """
        path = self.folder / name
        if not path.exists() or path.read_bytes() == data:
            _write(path, data)
            return []
        older = next(one for n in range(1, sys.maxsize) if not (one := path.with_suffix(f".{n}{path.suffix}")).exists())
        path.rename(older)
        _write(path, data)
        return [f"{path} had other contents; they are kept as {older.name}"]


def _write(path: Path, data: bytes) -> None:
    """Writes all or nothing, however the process ends."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(data)
    draft.replace(path)


def _flat(values: Mapping[str, Any]) -> dict[str, object]:
    """Columns for a table: numbers and words as they are, everything else as JSON."""
    simple = (str, int, float, type(None))
    return {name: value if isinstance(value, simple) else as_json(value) for name, value in values.items()}


def _csv(lines: Sequence[Mapping[str, object]]) -> bytes:
    import csv
    import io

    columns = list(dict.fromkeys(name for line in lines for name in line))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue().encode()


def _parquet(lines: Sequence[Mapping[str, object]], content: Mapping[str, Any]) -> bytes:
    """The same lines as Parquet, with the manifest in the file's metadata; a column of mixed types becomes text."""
    import pyarrow  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    columns = list(dict.fromkeys(name for line in lines for name in line))
    arrays = {name: _one_type([line.get(name) for line in lines]) for name in columns}
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
