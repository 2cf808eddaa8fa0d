"""Import the packages from their sources in the process that builds the documentation.

Compiled classes carry neither docstrings nor signatures. Whatever is computed for pages runs in processes of its own,
with the compiled modules.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType

from undocumented import PACKAGES, ROOT


class SourceFinder(MetaPathFinder):
    """Finds ``.py`` files of the four packages and never a compiled module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of ours."""
        package, *_ = parts = fullname.split(".")
        if package not in PACKAGES:
            return None
        place = ROOT.joinpath(*parts)
        if (place / "__init__.py").exists():
            return spec_from_file_location(fullname, place / "__init__.py", submodule_search_locations=[str(place)])
        source = place.with_suffix(".py")
        return spec_from_file_location(fullname, source) if source.exists() else None


def use_sources() -> None:
    """Prefer sources from now on."""
    if not any(isinstance(finder, SourceFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, SourceFinder())
