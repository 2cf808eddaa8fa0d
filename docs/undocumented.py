"""Which public names lack a docstring; the documentation refuses to build, and a test to pass, while there are any."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
SHARED = ("lab", "report", "explore", "vega")
"""Parts of `scenarios` that all scenarios use; of the others only modules and classes need a docstring."""
CATALOGUE = ("extenv", "catalogue")
"""The docstring of a class there has all rules of its environment, so that its methods need none."""
Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def sources(root: Path = ROOT) -> list[Path]:
    """Every module of the four packages."""
    return [path for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]


def undocumented(path: Path) -> Iterator[str]:
    """Yield the module itself and its public classes, functions and methods that have no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not ast.get_docstring(tree):
        yield f"{path}: the module"
    inside = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    is_scenario = inside[:1] == ("scenarios",) and len(inside) > 2 and inside[1] not in SHARED
    only_classes = is_scenario or inside[:2] == CATALOGUE
    for node, name in public(tree.body):
        if not ast.get_docstring(node) and not (only_classes and not isinstance(node, ast.ClassDef)):
            yield f"{path}:{node.lineno}: {name}"


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[Documented, str]]:
    """Yield public definitions, with the methods of public classes; overloads stand for their last."""
    for node in body:
        if isinstance(node, Documented) and not node.name.startswith("_") and not is_overload(node):
            yield node, prefix + node.name
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}{node.name}.")


def is_overload(node: Documented) -> bool:
    """Whether a definition only declares an overload or sets a property that is documented where it is read."""
    return any(ast.unparse(decorator).split(".")[-1] in ("overload", "setter") for decorator in node.decorator_list)
