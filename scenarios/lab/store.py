"""The folder of a run: every finished cell, what produced it, and tables for other programs.

Its name has the settings and a hash of everything that the results depend on: scenario, settings (seeds too), code, the
data next to the code, and the versions of the libraries. So the same command finds its own finished cells again,
another command never finds them, and nothing is overwritten. The cells are in a `multislot.cells.CellStore`, the
outcome is in a `scenarios.lab.records.Record`.

Whether the engine was compiled is not part of the hash: a compiled and an interpreted build give the same bits, so each
continues from the other's cells.
"""

import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from errno import EISDIR
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from multislot.cells import CellStore, StoreError, as_json
from multislot.cells.files import lock_of, locked, set_aside
from multislot.files import writing
from multislot.files.foreign import hash_file
from scenarios.lab.records import Record, are_as_written, read_record
from scenarios.lab.registry import OWN, Scenario, Settings, walk

ENGINE = ("multislot", "extenv", "considerate")
HERE, LAB = Path(__file__).parent, f"{OWN}.lab"
CELLS, RUN = "cells.sqlite", "run.json"
HASH_LETTERS = 12
PLACE = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)")
"""A class in a setting: ``module:attribute``, perhaps inside ``RC(…)``."""
NO_SOURCE = (".pyc", ".so", ".pyd")  # made from sources
PLOT = "plot.py"  # of a scenario that is a package; run once all cells are finished
LIBRARIES = ("numpy", "scipy", "networkx", "gymnasium", "pettingzoo", "stable-baselines3", "torch")


def manifest(scenario: Scenario, settings: Settings) -> dict[str, Any]:
    """Everything the results depend on, and its hash."""
    dumped = scenario.settings_adapter.dump_python(settings, mode="json")
    own = _hash_own_code(dumped)
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
    shown_by = [path for path in (scenario.expected_file, scenario.path / PLOT) if path.exists()]
    parts = {
        "run": content["hash"],
        "files": {path.name: _hash_file(path) for path in shown_by},
        "code": {path.name: _hash_file(path) for path in HERE.glob("*.py")},
        "version": _version("matplotlib"),
    }
    return hashlib.sha256(as_json(parts).encode()).hexdigest()


@cache
def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def code_hash(scenario: Scenario) -> str:
    """Hash `code_files` by their places and contents."""
    digests = {place: _hash_file(path) for place, path in code_files(scenario).items()}
    return hashlib.sha256(as_json(digests).encode()).hexdigest()


def code_files(scenario: Scenario) -> dict[str, Path]:
    """All files that a cell may run or read, by their place: the engine, the lab, the family, and a user's modules.

    Pictures in modules of their own and the papers' numbers are left out.
    """
    top, family = scenario.module.partition(".")[0], scenario.module.rpartition(".")[0]
    files = {} if top == OWN else _files_of(top, ".py")
    for package in (*ENGINE, LAB, family or top):
        files |= _files_of(package)
    expected = [Scenario(module).expected_file for module in walk(family, map(str, _places(family)))]
    return {place: path for place, path in files.items() if path not in expected}


def _files_of(package: str, ending: str = "") -> dict[str, Path]:
    """The files of a package, or of a module without one, by their place."""
    return {
        f"{package}/{path.relative_to(root).as_posix()}": path
        for root in _places(package)
        for path in _sources(root)
        if path.name.endswith(ending)
    }


def _hash_own_code(settings: Mapping[str, Any]) -> dict[str, str]:
    """The hashes of the modules that settings name as ``module:attribute``, by module."""
    texts = [text for value in settings.values() for text in (value if isinstance(value, list) else [value])]
    places = [PLACE.search(text) for text in texts if isinstance(text, str)]
    files = {place[1]: getattr(sys.modules.get(place[1]), "__file__", None) for place in places if place}
    return {module: _hash_file(Path(file)) if file else "" for module, file in files.items()}


def _sources(root: Path) -> Iterator[Path]:
    """Yield every file under a folder that may change a result: not those that are hidden or made from sources."""
    if root.is_file():
        yield root
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
        for name in names:
            if not name.startswith(".") and not name.endswith(NO_SOURCE) and name != PLOT:
                yield Path(folder, name)


def _hash_file(path: Path) -> str:
    """Hash a file; a file that has not changed since is read once."""
    status = path.stat()
    return _hash_version(path, status.st_mtime_ns, status.st_size)


@cache
def _hash_version(path: Path, modified: int, size: int) -> str:
    return hash_file(path)


def _places(package: str) -> list[Path]:
    """The folders of a package, or the file of a module."""
    spec = find_spec(package) if package else None
    return [Path(place) for place in spec.submodule_search_locations or [str(spec.origin)]] if spec else []


def prepare(folder: Path) -> None:
    """Make a folder for results, and its parents.

    Raises:
        StoreError: that cannot be done, or nothing can be written there.
    """
    try:
        with writing.naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder, error) from None
    if not os.access(folder, os.W_OK):
        raise StoreError(f"nothing can be written to {folder}; choose another --results")


def write_file(path: Path, data: bytes) -> None:
    """Write a file of results, and its folder; of several processes that write it at the same time, the last one wins.

    Raises:
        StoreError: it cannot be written.
    """
    try:
        writing.write_file(path, data, in_own_folder=True)
    except OSError as error:
        raise _unusable(path, error) from None


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path} cannot be written ({error.strerror or error}); choose another --results")


class RunFolder:
    """The folder of one run, with its cells.

    `notes` say what happened to files that were there before; `written` has the hash of every file written, by name.

    Args:
        results: the folder above all results.
        content: the run's `manifest`.
        name: how the folder's name begins, for people.

    Raises:
        StoreError: the folder cannot be written, or its cells cannot be read.
    """

    def __init__(self, results: Path, content: Mapping[str, Any], name: str) -> None:
        self.path = results / content["scenario"] / f"{name}-{content['hash'][:HASH_LETTERS]}"
        self.written: dict[str, str] = {}
        prepare(self.path)
        self.cells = CellStore(self.path / CELLS)
        self.notes = self.cells.notes
        self.keep(RUN, json.dumps(dict(content), indent=2).encode())

    def keep(self, name: str, data: bytes) -> None:
        """Write a file of this run; an existing file with other contents is renamed first, with a note."""
        path, digest = self.path / name, hashlib.sha256(data).hexdigest()
        with locked(path, lock_of(self.path / RUN)):  # of two processes, one must not rename what the other writes
            present = path.exists()
            is_same = present and are_as_written(self.path, {name: digest})
            try:
                if path.is_dir():
                    raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
                if present and not is_same:
                    older = set_aside(path)
                    self.notes.append(f"{path} had other contents; they are kept as {older.name}")
            except OSError as error:
                raise _unusable(path, error) from None
            if not is_same:
                write_file(path, data)
        self.written[name] = digest

    def read_finished_record(self, made_from: str) -> Record | None:
        """The record of the finished run; None if anything is missing, damaged or out of date."""
        record = read_record(self.path)
        if not record or self.notes or record.made_from != made_from or len(self.cells.finished) < record.cells:
            return None
        return record if are_as_written(self.path, record.files) else None
