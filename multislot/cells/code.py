"""The digest of a function's code, by which stored results of older code are recognized.

It covers the function's own instructions and constants, its defaults, the values from a closure or `functools.partial`,
and the functions, classes and constants that it uses by name. It covers what those use, too, as long as they are in
modules of the user. If a module of the user is used as a whole (``helpers.f()``), its source is hashed. Installed
packages and the standard library are not hashed: the versions of Python and multislot stand for them, and an object of
such a package counts by its type. Comments and line numbers of functions do not count. What a function reads from
files, the network or the environment does not count.
"""

import hashlib
import platform
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from multislot.cells.keys import as_json
from multislot.checks import checked_callable
from multislot.engine.version import __version__
from multislot.errors import SettingError
from multislot.files.foreign import LARGEST_SOURCE, read_bytes

DIGEST_LETTERS = 16
OWN = ("multislot", "extenv", "considerate", "scenarios")
INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def code_digest(perform: Callable[..., object]) -> str:
    """Return the digest of a function's code, see the module; it is the same in every process of a Python version."""
    checked_callable("perform", perform)
    digest = hashlib.sha256(f"{platform.python_version()} {__version__}".encode())
    for part in _parts(perform, set()):
        digest.update(f"{len(part)} {part}".encode())
    return digest.hexdigest()[:DIGEST_LETTERS]


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield texts that change when the behavior of `value` changes."""
    if id(value) in seen:
        return
    if isinstance(value, partial):
        yield from _all_parts([value.func, *value.args, *sorted(value.keywords.items())], seen)
    elif isinstance(value, MethodType):
        yield from _all_parts([value.__func__, value.__self__], seen)
    elif isinstance(value, FunctionType | type):
        seen.add(id(value))
        yield f"{value.__module__}.{value.__qualname__}"
        if _is_users(value.__module__):
            yield from _function_parts(value, seen) if isinstance(value, FunctionType) else _class_parts(value, seen)
    elif isinstance(value, CodeType):
        yield from (value.co_code.hex(), repr(value.co_names))
        yield from _all_parts(value.co_consts, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
        if _is_users(value.__name__) and getattr(value, "__file__", None):
            yield read_bytes(str(value.__file__), LARGEST_SOURCE).decode(errors="replace")
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} {len(value)}"
        yield from _all_parts(value, seen)
    elif isinstance(value, set | frozenset):
        yield repr(sorted(map(repr, value)))
    else:
        yield from _object_parts(value, seen)


def _all_parts(values: Any, seen: set[int]) -> Iterator[str]:
    for value in values:
        yield from _parts(value, seen)


def _function_parts(function: FunctionType, seen: set[int]) -> Iterator[str]:
    yield from _parts(function.__code__, seen)
    yield from _all_parts(function.__defaults__ or (), seen)
    yield from _all_parts(sorted((function.__kwdefaults__ or {}).items()), seen)
    for name in sorted(set(_names(function.__code__))):
        if name in function.__globals__:
            yield name
            yield from _parts(function.__globals__[name], seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:  # the variable has no value yet
            yield "empty"


def _names(code: CodeType) -> Iterator[str]:
    """Names that code uses, the functions in it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _class_parts(kind: type, seen: set[int]) -> Iterator[str]:
    yield from _all_parts(kind.__bases__, seen)
    for name, value in sorted(vars(kind).items()):
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if isinstance(inner, FunctionType) or not name.startswith("__"):
            yield name
            yield from _parts(inner, seen)


def _object_parts(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield plain data as JSON; for any other object the code of its type, and its attributes if it has any."""
    try:
        yield as_json(value)
        return
    except SettingError:
        seen.add(id(value))
    if is_dataclass(value):
        yield from _all_parts([(field.name, getattr(value, field.name)) for field in fields(value)], seen)
    elif hasattr(value, "__wrapped__"):  # functools.cache
        yield from _parts(value.__wrapped__, seen)
    elif isinstance(value, BuiltinFunctionType):
        yield value.__qualname__
    elif _is_users(type(value).__module__):
        yield from _all_parts(sorted(getattr(value, "__dict__", {}).items()), seen)
    yield from _parts(type(value), seen)


def _is_users(module: str | None) -> bool:
    """Whether a module is neither installed nor part of Python or of this project."""
    first = str(module).partition(".")[0]
    if first in OWN or first in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(str(module)), "__file__", None)
    return not (file and any(Path(file).is_relative_to(place) for place in INSTALLED))
