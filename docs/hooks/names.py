"""Names in docstrings become links where exactly one public name is meant, and stay plain code otherwise."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import GoogleDocstring
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

DATA = ("method", "attribute", "property", "staticmethod", "classmethod")


class NameRole(XRefRole):
    """A name in single backticks: looked up as a Python object, without a warning if there is none."""

    def process_link(
        self, env: Any, refnode: Any, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        refnode["refdomain"], refnode["reftype"] = "py", "obj"
        refnode["py:module"], refnode["py:class"] = env.ref_context.get("py:module"), env.ref_context.get("py:class")
        return title, target.removesuffix("()")


def resolve(app: Sphinx, env: Any, node: Any, contnode: nodes.Element) -> nodes.Element | None:
    """Link a name that is not found as written to the only public object that ends so."""
    if node.get("refdomain") != "py" or node.get("reftype") not in ("obj", "class", "exc", "func", "data"):
        return None
    target = node["reftarget"]
    objects = env.domains["py"].objects
    ends = [
        name for name in objects if name.endswith(f".{target}") and ("." in target or objects[name].objtype not in DATA)
    ]
    if len(ends) > 1:
        ends = [name for name in ends if not objects[name].aliased]
    if len(ends) != 1:
        return None
    found = objects[ends[0]]
    return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, contnode, ends[0])


def whole_text(docstring: GoogleDocstring) -> list[str]:
    """Return the docstring of an attribute as it stands: what precedes a colon is no type, the annotation is."""
    return docstring._consume_to_end()


def setup(app: Sphinx) -> None:
    GoogleDocstring._parse_attribute_docstring = whole_text
    app.add_role("name", NameRole())
    app.connect("missing-reference", resolve, priority=400)
