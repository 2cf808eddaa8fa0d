"""The reference: names by the path they are imported from, in the order in which a page lists them.

    .. public:: multislot.exact
       action_values ActionValues
       Plan

A page documents exactly what it lists; without names, the module's own text. `public_names` says what has to be listed.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from public_names import (
    attribute,
    data_text,
    exported,
    imported,
    kind_of,
    listed,
    pages,
    told_by_hand,
    unlisted,
    without_text,
)
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


def refuse_unlisted(app: Sphinx) -> None:
    """Stop the build if a public name is not listed, or a listed value has no text."""
    missing = unlisted([*exported(), *imported(pages())], listed() | told_by_hand()) + without_text()
    if missing:
        raise ExtensionError("public names that no page of docs/reference lists:\n" + "\n".join(missing))


def setup(app: Sphinx) -> None:
    app.add_directive("public", Public)
    app.connect("builder-inited", refuse_unlisted, priority=1)
