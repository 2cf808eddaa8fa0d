"""The file from which a measurement goes on where it stopped: a `multislot.cells.CellStore` of finished runs.

A run is known again by the name and the code of its agent and its environment, and by the version of this library. What
has no name of its own is refused: two lambdas would share their numbers.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from extenv.environment import ExtendedEnvironment
from extenv.reality_checks import RealityCheck
from multislot.cells import CellStore, code_digest
from multislot.cells.store import is_store
from multislot.errors import SettingError

NAMELESS = ("<lambda>", "<locals>", " at 0x")


@dataclass(frozen=True)
class Cell:
    """One run of the measure."""

    environment: str
    opposite: bool
    seed: int
    steps: int


@contextmanager
def finished_runs(path: Path) -> Iterator[CellStore]:
    """Open the finished runs in a file, or make the file; warn about what was damaged in it.

    Raises:
        StoreError: the file cannot be opened, read or written.
    """
    if path.is_dir():
        raise SettingError(f"got resume={str(path)!r}, a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise SettingError(f"got resume={str(path)!r}; there is no folder {str(path.parent)!r}: make it")
    if path.exists() and path.stat().st_size and not is_store(path):
        raise SettingError(
            f"got resume={str(path)!r}, which is no file of finished runs that extenv.measure wrote; give a new name"
        )
    with CellStore(path) as store:
        for note in store.notes:
            warnings.warn(note, stacklevel=4)
        yield store


def key_of(factory: Callable[..., Any], trainer: str) -> str:
    """Identify a factory: module and name, the parameters that a partial sets, its code, and what trains it."""
    return with_code(named(described(factory), "the agent"), factory) + (f", trained by {trainer}" if trainer else "")


def keys_of(environments: Mapping[str, str | ExtendedEnvironment | type[ExtendedEnvironment]]) -> dict[str, str]:
    """Names by which a resumed measurement recognizes its environments: class, module, and an object's own name."""
    return {name: environment_key(name, environment) for name, environment in environments.items()}


def environment_key(name: str, environment: str | ExtendedEnvironment | type[ExtendedEnvironment]) -> str:
    """Identify an environment; see `keys_of`."""
    if isinstance(environment, str):
        return name
    if isinstance(environment, type):
        return with_code(named(described(environment), "the environment"), environment)
    if not environment.name:
        raise SettingError(
            f"resume= knows environments by name, and one object of {name} may differ from the next; give it a name "
            'that tells it apart, as in  environment.name = "..."'
        )
    return with_code(f"{type(environment).__module__}.{type(environment).__qualname__} {name!r}", type(environment))


def with_code(name: str, definition: Callable[..., Any]) -> str:
    """Return a name with the digest of the code behind it, so that what has changed has another name."""
    return f"{name} {code_digest(definition)}"


def described(factory: Callable[..., Any]) -> str:
    """Return module and name of a factory, those of the factory inside, and the parameters set."""
    if isinstance(factory, partial):
        arguments = [
            *map(repr, factory.args),
            *(f"{name}={value!r}" for name, value in sorted(factory.keywords.items())),
        ]
        return f"{described(factory.func)}({', '.join(arguments)})"
    if isinstance(factory, RealityCheck):
        return f"reality_check({described(factory.factory)}, freeze={factory.freeze!r})"
    name = getattr(factory, "__qualname__", None)
    return repr(factory) if name is None else f"{factory.__module__}.{name}"


def named(key: str, whose: str) -> str:
    """Return `key`, or raise SettingError if it is a name that others may have."""
    if any(mark in key for mark in NAMELESS):
        raise SettingError(
            f"resume= knows agents and environments by name, and {whose} {key} has none of its own; define a class or "
            "function at the top of a module, or measure without resume="
        )
    return key
