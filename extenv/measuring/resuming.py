"""The file with which a measurement continues where it stopped: a `multislot.cells.CellStore` of finished runs.

A run is recognized by the name and the code of its agent and its environment, and by the version of this library.
Agents and environments without a name are refused: two lambdas would share their results.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from extenv.environment import ExtendedEnvironment, attributes
from extenv.reality_checks import RealityCheck
from multislot.cells import code_digest
from multislot.errors import SettingError

NAMELESS = ("<lambda>", "<locals>", " at 0x")


@dataclass(frozen=True)
class Cell:
    """One run of the measure."""

    environment: str
    opposite: bool
    seed: int
    steps: int


def keys_of(environments: Mapping[str, str | ExtendedEnvironment | type[ExtendedEnvironment]]) -> dict[str, str]:
    """Names by which a resumed measurement recognizes its environments: class, module, and an object's own name."""
    keys = {}
    for name, environment in environments.items():
        if isinstance(environment, str):
            keys[name] = name
        elif isinstance(environment, type):
            keys[name] = key_of(environment, "the environment")
        elif environment.name:
            kind: Any = type(environment)
            digest = code_digest(partial(kind, attributes(environment)))
            keys[name] = f"{kind.__module__}.{kind.__qualname__} {name!r} {digest}"
        else:
            raise SettingError(
                f"resume= knows environments by name, and one object of {name} may differ from the next; give it a "
                'name that tells it apart, as in  environment.name = "..."'
            )
    return keys


def key_of(factory: Callable[..., Any], whose: str) -> str:
    """Name a factory, with the digest of its code; raise SettingError if its name is not unique."""
    name = describe_factory(factory)
    if any(mark in name for mark in NAMELESS):
        raise SettingError(
            f"resume= knows agents and environments by name, and {whose} {name} has none of its own; define a class or "
            "function at the top of a module, or measure without resume="
        )
    return f"{name} {code_digest(factory)}"


def describe_factory(factory: Callable[..., Any]) -> str:
    """Describe a factory by its module and name, by the factory inside, and by the parameters of a partial."""
    if isinstance(factory, partial):
        arguments = [
            *map(repr, factory.args),
            *(f"{name}={value!r}" for name, value in sorted(factory.keywords.items())),
        ]
        return f"{describe_factory(factory.func)}({', '.join(arguments)})"
    if isinstance(factory, RealityCheck):
        return f"reality_check({describe_factory(factory.factory)}, freeze={factory.freeze!r})"
    name = getattr(factory, "__qualname__", None)
    return repr(factory) if name is None else f"{factory.__module__}.{name}"
