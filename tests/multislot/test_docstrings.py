"""`help` says something about every exported class, also where it is compiled."""

import ast
import inspect
import sys
from importlib import import_module
from pathlib import Path

import pytest

from multislot import Stream
from multislot.engine.docstrings import restore_docstrings
from tests.build import ROOT, compiled_sources


@pytest.mark.parametrize("source", compiled_sources(), ids=lambda source: source.stem)
def test_compiled_modules_and_all_their_classes_have_the_docstrings_of_the_source(source):
    module = import_module(".".join(source.relative_to(ROOT).with_suffix("").parts))
    tree = ast.parse(Path(source).read_text(encoding="utf-8"))
    assert module.__doc__
    assert inspect.cleandoc(module.__doc__) == ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            assert inspect.getdoc(getattr(module, node.name)) == ast.get_docstring(node)


def test_without_the_source_nothing_changes(monkeypatch):
    monkeypatch.setattr("multislot.engine.docstrings.get_data", lambda folder, name: (_ for _ in ()).throw(OSError()))
    stream = sys.modules[Stream.__module__]
    monkeypatch.setattr(stream, "__doc__", None)
    restore_docstrings("multislot")
    assert stream.__doc__ is None
    assert Stream.__doc__
