"""Docstrings for compiled modules: mypyc leaves out those of modules and classes, so `help` would show nothing.

The docstrings of methods cannot be set, because methods of a compiled class are read-only. So the docstrings of
classes state the contract of their subclasses.
"""

import ast
import sys
from contextlib import suppress
from pkgutil import get_data


def restore_docstrings(package: str) -> None:
    """Set the docstrings of the compiled modules of `package` that are loaded, and of their classes, from the sources.

    Interpreted modules have theirs. Without the sources, and under ``python -OO``, nothing changes.
    """
    if sys.flags.optimize > 1:
        return
    for name, module in list(sys.modules.items()):
        if not name.startswith(f"{package}.") or getattr(module, "__file__", None) is None or module.__doc__:
            continue
        folder, _, stem = module.__name__.rpartition(".")
        with suppress(OSError):
            tree = ast.parse(get_data(folder, f"{stem}.py") or b"")
            module.__doc__ = ast.get_docstring(tree)
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    getattr(module, node.name).__doc__ = ast.get_docstring(node)
