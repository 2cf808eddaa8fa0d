"""Benchmarks are run by hand; here they are only loaded, so that none is left behind by what it measures."""

import ast
import runpy
from pathlib import Path

import pytest

BENCHMARKS = sorted((Path(__file__).parents[1] / "benchmarks").glob("[a-z]*.py"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_a_benchmark_loads_and_says_what_it_measures_against_what(path):
    loaded = runpy.run_path(str(path), run_name=path.stem)
    assert callable(loaded["main"])
    assert ast.get_docstring(ast.parse(path.read_text()))
