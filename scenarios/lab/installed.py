"""What other packages and users add: scenarios of installed packages, and agents of one's own by where they are.

A package adds scenarios by an entry point of the group ``multislot.scenarios``, whose value is a module that is a
scenario or a package that holds some; in its pyproject.toml::

    [project.entry-points."multislot.scenarios"]
    mine = "my_package.scenarios"
"""

import hashlib
import re
import warnings
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

GROUP = "multislot.scenarios"
PLACE = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)")
"""Where a class is: ``module:attribute``, perhaps inside ``RC(…)``."""


def installed_places() -> Iterator[tuple[str, list[str]]]:
    """Yield the modules and packages of scenarios that others have installed, packages with their folders.

    Warns of an entry that cannot be imported, and goes on.
    """
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        place = entry.value.partition(":")[0].strip()
        spec = _find(place)
        if spec is None:
            owner = entry.dist.name if entry.dist else "an installed package"
            warnings.warn(
                f"{owner} says that its scenarios are in {place!r}, which cannot be imported; they are left out",
                stacklevel=2,
            )
        else:
            yield place, list(spec.submodule_search_locations or ())


def _find(module: str) -> ModuleSpec | None:
    try:
        return find_spec(module)
    except (ImportError, ValueError):
        return None


def own_code(settings: Mapping[str, object]) -> dict[str, str]:
    """The hashes of the modules that settings name as ``module:attribute``, by module."""
    texts = [text for value in settings.values() for text in (value if isinstance(value, list | tuple) else [value])]
    named = (PLACE.search(text) for text in texts if isinstance(text, str))
    return {place[1]: _hash(place[1]) for place in named if place}


def _hash(module: str) -> str:
    spec = _find(module)
    source = Path(spec.origin) if spec and spec.origin else None
    return hashlib.sha256(source.read_bytes()).hexdigest() if source and source.exists() else ""
