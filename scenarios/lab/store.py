"""The folder of a run: every finished cell, what produced it, and tables to take away.

Its name says which settings it holds and ends with the hash of everything the results depend on: scenario, settings
(seeds among them), code, the data next to the code and the versions of the libraries. So the same command finds its
own finished cells again, another command never meets them, and nothing is written over. The cells are in a
`multislot.cells.CellStore`, what they came to is in a `scenarios.lab.records.Record`.

Whether the engine was compiled is recorded but not part of the hash: a compiled and an interpreted build give the same
bits, so each goes on from the other's cells.
"""

import hashlib
import json
import os
import platform
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from multislot.cells import CellStore, StoreError, as_json
from multislot.cells.files import set_aside, write_durably
from multislot.engine import stream
from scenarios.lab import exports
from scenarios.lab.installed import own_code
from scenarios.lab.records import RECORD, Record, are_as_written, read_record
from scenarios.lab.registry import Cell, Result, Scenario, Settings, walk
from scenarios.lab.table import Row

ENGINE = ("multislot", "extenv", "considerate")
HERE = Path(__file__).parent
CELLS, RUN = "cells.sqlite", "run.json"
HASH_LETTERS = 12
NO_SOURCE = (".pyc", ".so", ".pyd")  # made from sources
NO_CAUSE = "plot.py"  # of a scenario that is a package; run once all cells are finished
SHOWING = ("cli.py", "exports.py", "previews.py", "printing.py", "reproducing.py", "solving.py")  # likewise
PRESENTERS = ("matplotlib", "pyarrow")
LIBRARIES = ("numpy", "scipy", "networkx", "gymnasium", "pettingzoo", "stable-baselines3", "torch")


def manifest(scenario: Scenario, settings: Settings) -> dict[str, Any]:
    """Everything the results depend on, and its hash."""
    dumped = scenario.settings_adapter.dump_python(settings, mode="json")
    own = own_code(dumped)
    content = {
        "scenario": scenario.name,
        "settings": dumped,
        "seeds": getattr(settings, "seeds", None),
        "code": code_hash(scenario),
        "versions": {"python": platform.python_version(), "multislot": _version("multislot")}
        | {name: _version(name) for name in LIBRARIES},
    } | ({"own_code": own} if own else {})
    return content | {"hash": hashlib.sha256(as_json(content).encode()).hexdigest()}


def presentation(scenario: Scenario, content: Mapping[str, Any]) -> str:
    """The hash of everything that a run's table, story, pictures and files depend on."""
    shown_by = [path for path in (scenario.expected_file, scenario.path / NO_CAUSE) if path.exists()]
    parts = {
        "run": content["hash"],
        "files": {path.name: _file_hash(str(path), path.stat()) for path in shown_by},
        "code": {file.name: _file_hash(file.path, file.stat()) for file in _own_files()},
        "versions": [_version(name) for name in PRESENTERS],
        "importable": [_is_importable(name) for name in PRESENTERS],
    }
    return hashlib.sha256(as_json(parts).encode()).hexdigest()


def _is_importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # it is kept from being imported
        return False


@cache
def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def code_hash(scenario: Scenario) -> str:
    """Hash all files that a cell may run or read: engine, this package's modules, the scenario's own, its family's.

    A file counts by its place in its package and by its contents. Other scenarios of the family, pictures in modules of
    their own and the papers' numbers do not count.
    """
    family = scenario.module.rpartition(".")[0]
    roots: list[tuple[str, str, tuple[str, ...]]]
    roots = [(package, root, ()) for package in ENGINE for root in _folders(package)]
    roots += [(family, root, _others(family, root, scenario)) for root in (_folders(family) if family else ())]
    places = [
        (f"{package}/{place}", path, status)
        for package, root, others in roots
        for place, path, status in _sources(root, others)
    ]
    if not family:
        places.append((scenario.path.name, str(scenario.path), scenario.path.stat()))
    places += [(f"scenarios/{file.name}", file.path, file.stat()) for file in _own_files() if file.name not in SHOWING]
    digests = {place: _file_hash(path, status) for place, path, status in places}
    return hashlib.sha256(as_json(digests).encode()).hexdigest()


def _others(family: str, root: str, scenario: Scenario) -> tuple[str, ...]:
    """List the files of the other scenarios of a family: their files and folders, and all their expected numbers."""
    own = scenario.module.rpartition(".")[2]
    names = [module.rpartition(".")[2] for module in walk(family, [root])]
    others = [f"{name}{ending}" for name in names if name != own for ending in ("", ".py", ".csv")]
    return tuple(str(Path(root) / name) for name in (*others, f"{own}.csv"))


def _sources(root: str, without: Collection[str] = ()) -> Iterator[tuple[str, str, os.stat_result]]:
    """Yield place, path and status of every file under a folder that may change a result.

    A file may not if it is hidden, made from sources, or read after the cells.
    """
    waiting = [("", root)]
    while waiting:
        place, folder = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith((".", "__pycache__")) or entry.path in without:
                    continue
                if entry.is_dir():
                    waiting.append((f"{place}{entry.name}/", entry.path))
                elif not entry.name.endswith(NO_SOURCE) and entry.name != NO_CAUSE:
                    yield f"{place}{entry.name}", entry.path, entry.stat()


def _own_files() -> list[os.DirEntry[str]]:
    """The modules of this package itself, without those of the families."""
    with os.scandir(HERE) as entries:
        return [entry for entry in entries if entry.name.endswith(".py")]


def _file_hash(path: str, status: os.stat_result) -> str:
    """The hash of a file; one that was not written to since is read once."""
    return _hash_of_version(path, status.st_mtime_ns, status.st_size)


@cache
def _hash_of_version(path: str, modified: int, size: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _folders(package: str) -> list[str]:
    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec else []


def is_compiled() -> bool:
    """Whether the engine's inner loops are compiled; interpreted, results are the same, some 20 times slower."""
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

    `notes` say what happened to files that were there before; `written` has the hash of every file written, by name.

    Args:
        results: the folder above all results.
        content: the run's `manifest`.
        name: how the folder's name begins, for people.

    Raises:
        StoreError: the folder cannot be written, holds another run, or its cells cannot be read.
    """

    def __init__(self, results: Path, content: Mapping[str, Any], name: str) -> None:
        self.content = content
        self.path = results / content["scenario"] / f"{name}-{content['hash'][:HASH_LETTERS]}"
        self.written: dict[str, str] = {}
        prepare(self.path)
        self.cells = CellStore(self.path / CELLS)
        self.notes = self.cells.notes
        self._describe(RUN)

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *problem: object) -> None:
        self.cells.__exit__(*problem)

    def _describe(self, name: str) -> None:
        """Write the manifest and which builds, compiled or interpreted, worked on the run."""
        path = self.path / name
        kept = _read_object(path) if path.exists() else dict(self.content)
        recorded = set(kept.pop("builds", ()))
        builds = recorded | {"compiled" if is_compiled() else "interpreted"}
        if kept != self.content:
            raise StoreError(f"{path} describes another run; move {self.path} away or choose another --results")
        if path.exists() and builds == recorded:
            return
        self._write(name, json.dumps(dict(self.content) | {"builds": sorted(builds)}, indent=2).encode())

    def export(self, rows: Sequence[Row], results: Iterable[tuple[Cell, Result]]) -> None:
        """Write ``table``, ``cells`` and ``series`` as CSV, and as Parquet where the extra ``parquet`` is installed.

        See `scenarios.lab.exports`; ``series`` is written only if a cell gave a long list.
        """
        cells, series = exports.tables_of_cells(results)
        frames = {"table": exports.table_of_rows(rows), "cells": cells, "series": series}
        for name, frame in frames.items():
            if frame.empty:
                continue
            marked = frame.assign(run=self.content["hash"][:HASH_LETTERS])
            self.keep(f"{name}.csv", marked.to_csv(index=False, lineterminator="\n").encode())
            with suppress(ImportError):
                self.keep(f"{name}.parquet", exports.as_parquet(marked, self.content))

    def keep(self, name: str, data: bytes) -> None:
        """Write a file of this run; one that is there and differs is first moved aside, with a note."""
        path = self.path / name
        if path.exists() and path.read_bytes() != data:
            older = set_aside(path)
            self.notes.append(f"{path} had other contents; they are kept as {older.name}")
        self._write(name, data)
        self.written[name] = hashlib.sha256(data).hexdigest()

    def read_finished_record(self, made_from: str) -> Record | None:
        """The record of a run of which nothing changed; None if anything is missing, damaged or out of date."""
        record = read_record(self.path)
        if not record or self.notes or record.made_from != made_from or len(self.cells.finished) < record.cells:
            return None
        return record if are_as_written(self.path, record.files) else None

    def keep_record(self, record: Record) -> None:
        """Write the record of the run."""
        self._write(RECORD, record.encode())

    def _write(self, name: str, data: bytes) -> None:
        try:
            with self.cells.exclusive():
                write_durably(self.path / name, data)
        except OSError as error:
            raise _unusable(self.path / name, error) from None


def _read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        StoreError: there is none in it.
    """
    data = path.read_bytes()
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    builds = content.get("builds", []) if isinstance(content, dict) else None
    if not isinstance(builds, list) or not all(isinstance(name, str) for name in builds):
        fault = "damaged, it does not describe a run" if data.strip() else "empty"
        raise StoreError(f"{path} is {fault}; remove it and run again, the finished cells next to it are kept")
    return dict(content)
