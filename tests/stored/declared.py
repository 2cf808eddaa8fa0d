"""What modules declare: their numbers, the defaults of functions, and how dataclasses and methods are made."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
import types
from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

PACKAGES = ("multislot", "considerate", "extenv", "scenarios")
ATOMS = (bool, int, float, complex, Fraction, str, bytes, type(None), range, types.CodeType)
KINDS = (property, cached_property, classmethod, staticmethod, type(cache(len)))
LONGEST = 400
"""Of a longer text the digest is stored, without words."""
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
OF_THE_SYSTEM = {"NO_ROOM"}
"""Numbers that differ between operating systems."""
REGISTRIES = {"TASKS", "ENTRIES", "REGISTERED"}
"""What other tests enter something into."""


@cache
def module_names() -> list[str]:
    """Every module that can be imported here; those that run when imported are left out."""
    found = []
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                try:
                    importlib.import_module(module.name)
                except ImportError:  # an extra is not installed
                    continue
                found.append(module.name)
    return found


def declared(name: str) -> dict[str, str]:
    """What a module declares, by qualified name; nothing of a compiled one, which does not tell."""
    module = importlib.import_module(name)
    if not str(module.__file__).endswith(".py"):
        return {}
    return dict(_declarations(name, vars(module), ""))


def _declarations(module: str, entries: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in entries.items():
        own = f"{prefix}{name}"
        if (name.startswith("__") and name != "__init__") or name in OF_THE_SYSTEM | REGISTRIES:
            continue
        if hasattr(value, "__metadata__"):
            yield own, _notes(value)
        elif (text := _plain(value)) is not None:
            if not isinstance(value, str) and sys.base_prefix not in text:
                yield own, text if len(text) <= LONGEST else sha256(QUOTED.sub("", text).encode()).hexdigest()
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):  # it holds functions, too
            yield from _declarations(
                module, {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}, f"{own}."
            )
        elif getattr(value, "__module__", None) == module or isinstance(value, KINDS):
            yield from _described(module, own, value)


def _described(module: str, own: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, type):
        if inspect.isabstract(value):
            yield own, f"abstract {sorted(value.__abstractmethods__)}"
        if flags := vars(value).get("__dataclass_params__"):
            yield (
                f"{own} as data",
                f"frozen={flags.frozen} eq={flags.eq} order={flags.order} slots={'__slots__' in vars(value)}",
            )
            for field in dataclasses.fields(value):
                yield f"{own}.{field.name} as field", _described_field(field)
        yield from _declarations(module, vars(value), f"{own}.")
    elif callable(value) or isinstance(value, KINDS):
        function = getattr(value, "__func__", getattr(value, "__wrapped__", value))
        text = f"{type(value).__name__} {_signature(function)}".strip()
        if text != "function":
            yield own, text


def _described_field(field: "dataclasses.Field[Any]") -> str:
    without = [flag for flag in ("init", "repr", "compare", "kw_only") if not getattr(field, flag)]
    default = "required" if field.default is dataclasses.MISSING else _plain(field.default)
    return f"{default}, without {without}, {_notes(field.type)}"


def _notes(annotation: Any) -> str:
    """What is noted with a type: the bounds of a field, the numbers of an option."""
    notes = getattr(annotation, "__metadata__", ())
    bounds = [str(bound) for note in notes for bound in getattr(note, "metadata", ())]
    numbers = [
        f"{name}={part}"
        for note in notes
        for name, part in getattr(note, "__dict__", {}).items()
        if type(part) in (int, float)
    ]
    return str([*bounds, *sorted(numbers)])


def _signature(function: Any) -> str:
    """The defaults of arguments that have one, and the kinds of those that are not given by place or name alike."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ""
    return ", ".join(
        f"{one.name} {one.kind.description} {'' if one.default is one.empty else _plain(one.default)}"
        + (
            f" {_notes(one.annotation)}"
            if hasattr(one.annotation, "__metadata__") and function.__name__ != "__init__"
            else ""
        )
        for one in arguments
        if one.default is not one.empty or one.kind is not one.POSITIONAL_OR_KEYWORD
    )


def _plain(value: Any) -> str | None:
    """A value that is made of numbers and texts, as text; None for every other."""
    if isinstance(value, Enum) or type(value) in ATOMS:
        return repr(value)
    if isinstance(value, tuple | list | frozenset | set):
        parts = [_plain(part) for part in (sorted(value, key=repr) if isinstance(value, frozenset | set) else value)]
        return None if None in parts else f"{type(value).__name__}({', '.join(map(str, parts))})"
    if isinstance(value, Mapping):
        parts = [_plain(part) for pair in value.items() for part in pair]
        return None if None in parts else f"mapping({', '.join(map(str, parts))})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [_plain(getattr(value, field.name)) for field in dataclasses.fields(value)]
        return None if None in parts else f"{type(value).__name__}({', '.join(map(str, parts))})"
    return None
