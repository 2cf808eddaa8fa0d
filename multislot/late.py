"""Imports put off until they are needed, so that importing a package costs little and needs no third-party package."""

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def late_names(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that has names from elsewhere.

    Args:
        module: its ``__name__``.
        places: for each name the module that it is imported from on first use; a submodule's place is itself.
    """

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place = import_module(places[name])
        value = place if place.__name__.endswith(f".{name}") else getattr(place, name)
        setattr(sys.modules[module], name, value)
        return value

    return find


def when_imported(module: str, action: Callable[[], None]) -> None:
    """Call `action` as soon as `module` is imported, now if it is already."""
    if module in sys.modules:
        action()
    else:
        WAITING.actions[module].append(action)


class _Waiting(MetaPathFinder):
    """Finds modules as the other finders do, and calls what waits for one after it has been executed."""

    def __init__(self) -> None:
        self.actions: defaultdict[str, list[Callable[[], None]]] = defaultdict(list)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that something waits for, None for all others."""
        if fullname not in self.actions:
            return None
        others = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, others), None)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = self._followed(spec.loader.exec_module)  # type: ignore[assignment, method-assign]
        return spec

    def _followed(self, execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
        def execute_and_call(module: ModuleType) -> None:
            execute(module)
            for action in self.actions.pop(module.__name__, []):
                action()

        return execute_and_call


WAITING = _Waiting()
sys.meta_path.insert(0, WAITING)
