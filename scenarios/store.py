"""What a run leaves behind: a folder that holds every finished cell, what produced it, and tables to take away.

A run's folder is named by the hash of everything its results depend on: scenario, settings (seeds among them), code,
the data beside the code and the versions of the libraries. So the same command finds its own finished cells again,
another one never meets them, and nothing is written over. Cells stand in one SQLite file, durable one by one.

Whether the engine was compiled is recorded but no part of the hash: a compiled and an interpreted build give the same
bits, so each goes on from the other's cells.
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
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from multislot import stream
from multislot.errors import StoreError
from scenarios.registry import Cell, Result, Scenario, Settings
from scenarios.table import Row

ENGINE = ("multislot", "extenv", "considerate")
HERE = Path(__file__).parent
NO_SOURCE = (".pyc", ".so", ".pyd")  # made from sources
NO_CAUSE = ("plot.py", "expected.csv")  # read only once all cells are finished
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
    """Hash of all files that a cell may run or read: engine, this package's own modules and the scenario's family.

    A file counts by its place in its package and by its contents. Pictures and the papers' numbers are left aside.
    """
    family = scenario.package.rpartition(".")[0]
    roots = {name: _folders(name) for name in (*ENGINE, family)}
    files = {
        f"{name}/{path.relative_to(root).as_posix()}": path
        for name, folders in roots.items()
        for root in folders
        for path in root.rglob("*")
        if _counts(path.relative_to(root), path)
    }
    files |= {f"scenarios/{path.name}": path for path in HERE.glob("*.py")}
    digests = {place: hashlib.sha256(path.read_bytes()).hexdigest() for place, path in files.items()}
    return hashlib.sha256(as_json(digests).encode()).hexdigest()


def _folders(package: str) -> list[Path]:
    spec = find_spec(package)
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


def _counts(place: Path, path: Path) -> bool:
    """Whether a file may change a result: not what is hidden, made from sources, or read only after the cells."""
    hidden = any(part.startswith((".", "__pycache__")) for part in place.parts)
    return not hidden and path.is_file() and path.suffix not in NO_SOURCE and path.name not in NO_CAUSE


def compiled() -> bool:
    """Whether the engine's inner loops are compiled; interpreted they give the same results, some 20 times slower."""
    return not str(stream.__file__).endswith(".py")


def prepare(folder: Path) -> None:
    """Makes a folder for results, with all above it.

    Raises:
        StoreError: that cannot be done, or nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from None
    if not os.access(folder, os.W_OK):
        raise StoreError(f"nothing can be written to {folder}; choose another --results")


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path} cannot be written ({error.strerror or error}); choose another --results")


class Store:
    """The finished cells of one run; a context that closes them.

    Args:
        results: the folder above all results.
        content: the run's `manifest`.

    Raises:
        StoreError: the folder cannot be written, holds another run, or its cells cannot be read.
    """

    def __init__(self, results: Path, content: Mapping[str, Any]) -> None:
        self.content = content
        self.folder = results / content["scenario"] / content["hash"][:12]
        prepare(self.folder)
        self._describe(self.folder / "run.json")
        self._cells = self._open(self.folder / "cells.sqlite")

    def _describe(self, path: Path) -> None:
        """Writes the manifest and with which builds, compiled or interpreted, the run was worked on."""
        kept = _read_object(path) if path.exists() else {}
        builds = {*kept.pop("builds", ()), "compiled" if compiled() else "interpreted"}
        if path.exists() and kept != self.content:
            raise StoreError(f"{path} describes another run; move {self.folder} away or choose another --results")
        _write(path, json.dumps(dict(self.content) | {"builds": sorted(builds)}, indent=2).encode())

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
        try:
            with self._cells:
                self._cells.execute("INSERT OR IGNORE INTO cells VALUES (?, ?, ?, ?)", row)
        except sqlite3.OperationalError as error:  # a full disk, say
            raise StoreError(f"{self.folder}: a finished cell could not be kept ({error})") from None

    def export(self, rows: Sequence[Row], results: Iterable[tuple[Cell, Result]]) -> list[str]:
        """Writes ``table`` and ``cells`` as CSV, and as Parquet where the extra ``parquet`` is installed.

        Returns:
            What there is to say about files that were there and differ: they are kept under another name.
        """
        run = {"run": self.content["hash"]}
        table = [row.as_line() | run for row in rows]
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


def _read_object(path: Path) -> dict[str, Any]:
    """A JSON file's object; an empty one if the file holds something else."""
    with suppress(ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def _write(path: Path, data: bytes) -> None:
    """Writes all or nothing, however the process ends."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        raise _unusable(path, error) from None


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
