"""Exact history-based worlds: kernels, beliefs about where one is, values, and plans on them (Orseau 2014).

The names are in ``__init__.pyi``. The module of a name is imported when the name is used.
"""

import ast
from importlib import import_module
from pathlib import Path

_MODULES = {
    name.name: found.module
    for found in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(found, ast.ImportFrom) and found.module
    for name in found.names
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return __all__
