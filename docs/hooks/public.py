"""The reference: names by the path they are imported from, in the order in which a page lists them.

    .. public:: multislot.exact
       action_values ActionValues
       Plan

A page documents exactly what it lists; without names, the module's own text. `public_names` says what has to be listed.
"""

import ast
import importlib
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from public_names import attribute, exported, imported, listed, pages, told_by_hand, unlisted
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

PLAIN = {
    "function": "",
    "class": "   :members:\n   :show-inheritance:",
    "exception": "   :show-inheritance:",
}


class Public(SphinxDirective):
    """Document the listed names of a module."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        module, *names = self.arguments[0].split()
        lines = [line for name in names for line in documented(module, name)]
        lines = lines or [f".. automodule:: {module}", "   :no-members:", ""]
        return self.parse_text_to_nodes(StringList(lines, source=f"public names of {module}"))


def documented(module: str, name: str) -> Iterator[str]:
    """Yield the autodoc directive of one name."""
    found = attribute(module, name)
    kind = kind_of(found)
    if kind == "data":
        yield from (f".. py:data:: {module}.{name}", "", *(f"   {line}" for line in data_text(module, name)), "")
        return
    yield f".. auto{kind}:: {module}.{name}"
    yield from PLAIN[kind].splitlines()
    yield ""


def kind_of(found: object) -> str:
    """Return which of autodoc's directives documents an object."""
    if inspect.isclass(found):
        return "exception" if issubclass(found, BaseException) else "class"
    return "function" if callable(found) and not hasattr(found, "__origin__") else "data"


def data_text(module: str, name: str) -> list[str]:
    """Return the string that follows the assignment of a name, where that stands."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == name for alias in node.names):
            return data_text(node.module, name)
    for node, following in pairwise(tree.body):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            return inspect.cleandoc(str(following.value.value)).splitlines() if is_text else []
    return []


def refuse_unlisted(app: Sphinx) -> None:
    """Stop the build if a public name is not listed, or a listed value has no text."""
    missing = unlisted([*exported(), *imported(pages())], listed() | told_by_hand())
    untold = (
        f"{module}.{name} (no text below its assignment)"
        for module, names in listed().items()
        for name in names
        if kind_of(attribute(module, name)) == "data" and not data_text(module, name)
    )
    missing += untold
    if missing:
        raise ExtensionError("public names that no page of docs/reference lists:\n" + "\n".join(missing))


def setup(app: Sphinx) -> None:
    app.add_directive("public", Public)
    app.connect("builder-inited", refuse_unlisted, priority=1)
