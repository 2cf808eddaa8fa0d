"""`help` says something about every exported class, also where it is compiled."""

import ast
import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

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


def test_docstrings_come_from_the_sources_of_a_package_where_there_are_any(tmp_path, monkeypatch):
    source = tmp_path / "birds" / "owl.py"
    source.parent.mkdir()
    for name in ("__init__.py", "made.py", "said.py"):
        source.with_name(name).write_text('"""Of another module."""')
    source.write_text('"""About owls."""\nCALLS = 2\n\n\nclass Owl:\n    """An owl."""\n')
    monkeypatch.syspath_prepend(tmp_path)
    owl, made, said = import_module("birds.owl"), ModuleType("birds.made"), ModuleType("birds.said", "Said.")
    made.__doc__, said.__file__ = None, owl.__file__
    monkeypatch.setitem(sys.modules, "birds.made", made)
    monkeypatch.setitem(sys.modules, "birds.said", said)

    def restored(package):
        owl.__doc__ = owl.Owl.__doc__ = None
        restore_docstrings(package)
        return owl.__doc__, owl.Owl.__doc__, made.__doc__, said.__doc__

    assert restored("birds") == ("About owls.", "An owl.", None, "Said.")
    assert restored("bird") == (None, None, None, "Said.")
    source.unlink()
    assert restored("birds") == (None, None, None, "Said.")
