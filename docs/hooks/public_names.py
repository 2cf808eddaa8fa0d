"""Which public names the reference has to list, and which it does; the build and a test refuse what is missing.

Every name that a package exports is public, and so is every name that a page's Python blocks import.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
LISTED = re.compile(r"^\.\. public:: ([\w.]+)\n((?:^   [^\n]*\n|^\n)*)", re.MULTILINE)
BY_HAND = re.compile(r"^\.\. py:data:: ([\w.]+)\.(\w+)$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
GENERATED = ("_build", "_pictures", "environments", "gallery")


def listed(docs: Path = DOCS) -> dict[str, list[str]]:
    """Return what the reference lists, by module."""
    found: dict[str, list[str]] = {}
    for path in sorted((docs / "reference").glob("*.rst")):
        for module, names in LISTED.findall(path.read_text(encoding="utf-8") + "\n"):
            found.setdefault(module, []).extend(names.split())
    return found


def told_by_hand(docs: Path = DOCS) -> dict[str, list[str]]:
    """Return the names that the reference describes in its own words, by module."""
    found: dict[str, list[str]] = {}
    for path in sorted((docs / "reference").glob("*.rst")):
        for module, name in BY_HAND.findall(path.read_text(encoding="utf-8")):
            found.setdefault(module, []).append(name)
    return found


def exported() -> Iterator[tuple[str, str]]:
    """Yield what packages and modules export: the names in their ``__all__``."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "\n__all__ = " in path.read_text(encoding="utf-8"):
                module = ".".join(path.with_suffix("").relative_to(ROOT).parts).removesuffix(".__init__")
                yield from ((module, name) for name in importlib.import_module(module).__all__)


def imported(pages: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield what the Python blocks of pages import from the packages."""
    for page in pages:
        for block in PYTHON.findall(page.read_text(encoding="utf-8")):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
                    yield from ((node.module or "", alias.name) for alias in node.names)


def unlisted(names: Iterable[tuple[str, str]], reference: dict[str, list[str]]) -> list[str]:
    """Return the names that the reference does not list; a module counts as listed if names of it are."""
    return sorted(
        {
            f"{module}.{name}"
            for module, name in names
            if not name.startswith("_")
            and name not in reference.get(module, ())
            and not is_covered(module, name, reference)
        }
    )


def is_covered(module: str, name: str, reference: dict[str, list[str]]) -> bool:
    """Return whether a name is a module that the reference has, or is listed where it is defined or exported."""
    found = attribute(module, name)
    if isinstance(found, ModuleType):
        return any(one == found.__name__ or one.startswith(f"{found.__name__}.") for one in reference)
    return any(name in names and attribute(one, name) is found for one, names in reference.items())


def pages(docs: Path = DOCS) -> list[Path]:
    """Return every page that people write: README, CONTRIBUTING and those of the documentation."""
    written = (path for path in sorted(docs.rglob("*.md")) if path.relative_to(docs).parts[0] not in GENERATED)
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *written]


def attribute(module: str, name: str) -> Any:
    """Return what ``from module import name`` gives: an attribute, or a module of a package."""
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError:
        return importlib.import_module(f"{module}.{name}")


def kind_of(found: object) -> str:
    """Return which of autodoc's directives documents an object."""
    if inspect.isclass(found):
        return "exception" if issubclass(found, BaseException) else "class"
    return "function" if callable(found) and not hasattr(found, "__origin__") else "data"


def data_text(module: str, name: str) -> list[str]:
    """Return the string that follows the assignment of a name, where that stands."""
    place = DOCS.parent.joinpath(*module.split("."))
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == name for alias in node.names):
            return data_text(node.module, name)
    for node, following in pairwise(tree.body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            return inspect.cleandoc(str(following.value.value)).splitlines() if is_text else []
    return []


def without_text() -> list[str]:
    """Return the listed values below whose assignment no text stands."""
    return [
        f"{module}.{name} (no text below its assignment)"
        for module, names in listed().items()
        for name in names
        if kind_of(attribute(module, name)) == "data" and not data_text(module, name)
    ]
