"""The folder of a run: every finished cell, what produced it, and tables to take away.

It is named by the hash of everything the results depend on: scenario, settings (seeds among them), code, the data next
to the code and the versions of the libraries. So the same command finds its own finished cells again, another command
never meets them, and nothing is written over. The cells are in a `multislot.cells.CellStore`.

Whether the engine was compiled is recorded but not part of the hash: a compiled and an interpreted build give the same
bits, so each goes on from the other's cells.
"""

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from multislot import stream
from multislot.cells import CellStore, StoreError, as_json
from multislot.cells.files import DRAFTS, set_aside, write_durably
from scenarios.registry import Cell, Result, Scenario, Settings
from scenarios.table import Row

ENGINE = ("multislot", "extenv", "considerate")
HERE = Path(__file__).parent
CELLS = "cells.sqlite"
NO_SOURCE = (".pyc", ".so", ".pyd")  # made from sources
NO_CAUSE = ("plot.py", "expected.csv")  # read only once all cells are finished
LIBRARIES = ("numpy", "scipy", "networkx", "gymnasium", "pettingzoo", "stable-baselines3", "torch")


def manifest(scenario: Scenario, settings: Settings) -> dict[str, Any]:
    """Return everything the results depend on, and its hash."""
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
    """Return the hash of all files that a cell may run or read: engine, this package's modules, the scenario's family.

    A file counts by its place in its package and by its contents. Pictures and the papers' numbers do not count.
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
    """Return whether a file may change a result: not if it is hidden, made from sources, or read after the cells."""
    hidden = any(part.startswith((".", "__pycache__")) for part in place.parts)
    return not hidden and path.is_file() and path.suffix not in NO_SOURCE and path.name not in NO_CAUSE


def compiled() -> bool:
    """Return whether the engine's inner loops are compiled; interpreted, results are the same, some 20 times slower."""
    return not str(stream.__file__).endswith(".py")


def prepare(folder: Path) -> None:
    """Make a folder for results, with all above it.

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


class RunFolder:
    """The folder of one run; a context that closes its cells.

    Attributes:
        path: where it is.
        cells: the finished cells.
        notes: what a person should know about files that were there before, one sentence each.

    Args:
        results: the folder above all results.
        content: the run's `manifest`.

    Raises:
        StoreError: the folder cannot be written, holds another run, or its cells cannot be read.
    """

    def __init__(self, results: Path, content: Mapping[str, Any]) -> None:
        self.content = content
        self.path = results / content["scenario"] / content["hash"][:12]
        prepare(self.path)
        self.cells = CellStore(self.path / CELLS)
        self.notes = self.cells.notes
        self._remove_drafts()
        self._describe("run.json")

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *problem: object) -> None:
        self.cells.__exit__(*problem)

    def _remove_drafts(self) -> None:
        """Remove the drafts of killed processes: nobody else writes a file now."""
        with self.cells.exclusive():
            for draft in self.path.glob(DRAFTS):
                try:
                    draft.unlink()
                except OSError as error:
                    raise _unusable(draft, error) from None

    def _describe(self, name: str) -> None:
        """Write the manifest and which builds, compiled or interpreted, worked on the run."""
        path = self.path / name
        kept = _read_object(path) if path.exists() else dict(self.content)
        builds = {*kept.pop("builds", ()), "compiled" if compiled() else "interpreted"}
        if kept != self.content:
            raise StoreError(f"{path} describes another run; move {self.path} away or choose another --results")
        self._write(name, json.dumps(dict(self.content) | {"builds": sorted(builds)}, indent=2).encode())

    def export(self, rows: Sequence[Row], results: Iterable[tuple[Cell, Result]]) -> None:
        """Write ``table`` and ``cells`` as CSV, and as Parquet where the extra ``parquet`` is installed."""
        run = {"run": self.content["hash"]}
        table = [row.as_line() | run for row in rows]
        cells = [_flat(asdict(cell)) | _flat(result) | run for cell, result in results]
        for name, lines in (("table", table), ("cells", cells)):
            self.keep(f"{name}.csv", _csv(lines))
            with suppress(ImportError):
                self.keep(f"{name}.parquet", _parquet(lines, self.content))

    def keep(self, name: str, data: bytes) -> None:
        """Write a file of this run; one that is there and differs is first moved aside, with a note."""
        path = self.path / name
        if path.exists() and path.read_bytes() != data:
            older = set_aside(path)
            self.notes.append(f"{path} had other contents; they are kept as {older.name}")
        self._write(name, data)

    def _write(self, name: str, data: bytes) -> None:
        with self.cells.exclusive():
            try:
                write_durably(self.path / name, data)
            except OSError as error:
                raise _unusable(self.path / name, error) from None


def _read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        StoreError: there is none in it.
    """
    data = path.read_bytes()
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        fault = "damaged, it does not describe a run" if data.strip() else "empty"
        raise StoreError(f"{path} is {fault}; remove it and run again, the finished cells next to it are kept")
    return found


def _flat(values: Mapping[str, Any]) -> dict[str, object]:
    """Return columns for a table: numbers and words as they are, everything else as JSON."""
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
    """Return the same lines as Parquet, the manifest in the file's metadata; a column of mixed types becomes text."""
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
