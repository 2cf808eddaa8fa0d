"""The digest of a function's code, by which stored results of older code are recognized.

It covers the function's own instructions and constants, its defaults, the values from a closure or `functools.partial`,
and the functions, classes and constants that it uses by name, also in lists and dictionaries. It covers what those use,
too, as long as they are in modules of the user. If a module of the user is used as a whole (``helpers.f()``), or is
imported inside a function, its source is hashed, and so is what it imports. Installed packages and the standard library
are not hashed: the versions of Python and multislot stand for them, and an object of such a package counts by its type
and by what would be pickled of it, a path and what cannot be pickled by the type alone. Comments and line numbers of
functions do not count. What a function reads from files, the network or the environment does not count.
"""

import copyreg
import hashlib
import pickle
import platform
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from dis import get_instructions
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import ismemberdescriptor
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, TypeAlias

from multislot.cells.keys import as_json, plain
from multislot.checks import checked_callable
from multislot.engine.version import __version__
from multislot.errors import SettingError
from multislot.files.foreign import LARGEST_SOURCE, read_bytes

DIGEST_LETTERS = 16
OWN = ("multislot", "extenv", "considerate", "scenarios")
WITH_GENERATORS = ("gymnasium.spaces", "numpy.random", "random")
"""Objects of these modules change when they are used. They count by what they show, and not by their state."""
USED = FunctionType | type | ModuleType
INSTALLED = ("site-packages", "dist-packages")
"""The names of folders of installed packages, wherever they are; other such folders have their ``.dist-info``."""

Seen: TypeAlias = dict[int, tuple[int, Any]]
"""By identity, the number of what was visited, and the thing itself, so that no other one gets its identity."""


def code_digest(perform: Callable[..., object]) -> str:
    """Return the digest of a function's code, see the module; it is the same in every process of a Python version."""
    checked_callable("perform", perform)
    digest = hashlib.sha256(f"{platform.python_version()} {__version__}".encode())
    for part in _parts(perform, {}):
        digest.update(f"{len(part)} {part}".encode())
    return digest.hexdigest()[:DIGEST_LETTERS]


def _parts(value: Any, seen: Seen) -> Iterator[str]:
    """Yield texts that change when the behavior of `value` changes.

    Args:
        value: anything.
        seen: what was visited; it is filled here.
    """
    if id(value) in seen:
        yield f"again {seen[id(value)][0]}"
        return
    if isinstance(value, partial):
        yield from _all_parts([value.func, *value.args, *sorted(value.keywords.items())], seen)
    elif isinstance(value, MethodType):
        yield from _all_parts([value.__func__, value.__self__], seen)
    elif isinstance(value, FunctionType | type):
        seen[id(value)] = len(seen), value
        yield f"{value.__module__}.{value.__qualname__}"
        if is_users(value.__module__):
            yield from _function_parts(value, seen) if isinstance(value, FunctionType) else _class_parts(value, seen)
    elif isinstance(value, CodeType):
        yield from (value.co_code.hex(), value.co_exceptiontable.hex(), repr(value.co_names), repr(value.co_varnames))
        yield repr((value.co_flags, value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount))
        yield from _all_parts(value.co_consts, seen)
    elif isinstance(value, ModuleType):
        seen[id(value)] = len(seen), value
        yield value.__name__
        if is_users(value.__name__) and getattr(value, "__file__", None):
            yield read_bytes(str(value.__file__), LARGEST_SOURCE).decode(errors="replace")
            inner = [part for _, part in sorted(vars(value).items()) if isinstance(part, USED)]
            yield from _all_parts((part for part in inner if getattr(part, "__module__", "") != value.__name__), seen)
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} {len(value)}"
        yield from _all_parts(value, seen)
    elif isinstance(value, property):
        yield from _parts(value.fget, seen)
        yield from _all_parts([(name, part) for name in ("fset", "fdel") if (part := getattr(value, name))], seen)
    elif isinstance(value, bytes):
        yield value.hex()
    elif isinstance(value, set | frozenset):
        yield repr(sorted("".join(_parts(item, dict(seen))) for item in value))
    else:
        yield from _object_parts(value, seen)
    if is_users(type(value).__module__):  # a metaclass, or a class of the user's own tuples, numbers or texts
        yield from _parts(type(value), seen)


def _all_parts(values: Any, seen: Seen) -> Iterator[str]:
    for value in values:
        yield from _parts(value, seen)


def _function_parts(function: FunctionType, seen: Seen) -> Iterator[str]:
    yield from _parts(function.__code__, seen)
    yield from _all_parts(function.__defaults__ or (), seen)
    yield from _all_parts(sorted((function.__kwdefaults__ or {}).items()), seen)
    for name in sorted(set(_names(function.__code__))):
        if name in function.__globals__:
            yield name
            yield from _parts(function.__globals__[name], seen)
    for name in _imports(function.__code__):
        if name and is_users(name):
            with suppress(Exception):  # the function itself may expect that
                yield from _parts(import_module(name), seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:  # the variable has no value yet
            yield "empty"
    registry = getattr(function, "registry", None)
    if isinstance(registry, MappingProxyType):  # functools.singledispatch; modules may register in any order
        yield from _all_parts(sorted(registry.items(), key=lambda item: str(item[0])), seen)


def _names(code: CodeType) -> Iterator[str]:
    """Names that code uses, the functions in it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _imports(code: CodeType) -> Iterator[str]:
    """Names of the modules that code imports when it runs."""
    yield from (one.argval for one in get_instructions(code) if one.opname == "IMPORT_NAME")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _imports(constant)


def _class_parts(kind: type, seen: Seen) -> Iterator[str]:
    yield from _all_parts(kind.__bases__, seen)
    for name, value in sorted(vars(kind).items()):
        inner = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if callable(inner) or isinstance(inner, property) or not name.startswith("__"):
            yield name
            yield from _parts(inner, seen)


def _object_parts(value: Any, seen: Seen) -> Iterator[str]:
    """Yield plain data as JSON; for any other object the code of its type, and its attributes if it has any."""
    with suppress(SettingError):
        yield as_json(value, plain)
        if _is_data(value):
            return
    seen[id(value)] = len(seen), value
    if isinstance(value, Mapping):
        yield from _all_parts(value.items(), seen)
        if isinstance(value, defaultdict):
            yield from _parts(value.default_factory, seen)
    elif hasattr(value, "detach"):  # a tensor of PyTorch, whose pickle differs in each process
        yield from _parts(value.detach().cpu().numpy(), seen)
    elif is_dataclass(value):
        yield from _all_parts([(field.name, getattr(value, field.name)) for field in fields(value)], seen)
    elif hasattr(value, "__wrapped__"):  # functools.cache
        yield from _parts(value.__wrapped__, seen)
    elif isinstance(value, BuiltinFunctionType):
        yield value.__qualname__
    elif not is_users(type(value).__module__):
        yield from _pickled_parts(value, seen)
    if is_users(type(value).__module__) and not is_dataclass(value):
        slots = {name: getattr(value, name, None) for kind in type(value).__mro__ for name in _slots(kind)}
        yield from _all_parts(sorted((slots | getattr(value, "__dict__", {})).items()), seen)
    yield from _parts(type(value), seen)


def _is_data(value: Any) -> bool:
    """Whether JSON says all of a value: no part of it makes defaults, or has a class of the user."""
    if isinstance(value, defaultdict) or is_users(type(value).__module__):
        return False
    if isinstance(value, dict):
        return all(map(_is_data, value)) and all(map(_is_data, value.values()))
    return not isinstance(value, list | tuple) or all(map(_is_data, value))


def _pickled_parts(value: Any, seen: Seen) -> list[str]:
    """The parts of what would be pickled of an object; none of one that cannot be, and of a path.

    Of this project only objects that say what it is count so: others may have caches.
    """
    if type(value).__module__.startswith(WITH_GENERATORS):
        shown = repr(value)
        return [] if " at 0x" in shown else [shown]
    is_own = type(value).__module__.partition(".")[0] in OWN
    if isinstance(value, PurePath) or (is_own and "__reduce__" not in vars(type(value))):
        return []
    try:
        reduce = copyreg.dispatch_table.get(type(value))
        pickled = reduce(value) if reduce else value.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        parts = [tuple(part) if isinstance(part, Iterator) else part for part in pickled[1:]]
        return [pickled] if isinstance(pickled, str) else list(_all_parts(parts, seen))
    except Exception:  # a lock, a connection, or what nests too deeply
        return []


def _slots(kind: type) -> Iterator[str]:
    """The names of a class's slots; private ones as Python keeps them."""
    if "__slots__" in vars(kind):
        names = [name for name, value in vars(kind).items() if ismemberdescriptor(value)]
        yield from (name for name in names if not name.startswith("__"))


def is_users(module: str | None) -> bool:
    """Whether a module is neither installed nor part of Python or of this project."""
    first = str(module).partition(".")[0]
    if first in OWN or first in sys.stdlib_module_names:
        return False
    known = sys.modules.get(str(module)) or sys.modules.get(first) or find_spec(first)
    file = getattr(known, "__file__", None) or getattr(known, "origin", None)
    return not (file and _is_installed(Path(file), str(module).count(".") + 2))


@cache
def _is_installed(file: Path, depth: int) -> bool:
    """Whether one of a module's nearest folders holds installed packages."""
    standard = Path(sysconfig.get_path("stdlib"))
    nearest = file.parents[:depth]
    return any(place.name in INSTALLED or place == standard or any(place.glob("*.dist-info")) for place in nearest)
