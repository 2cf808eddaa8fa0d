"""The scenarios of the family: on small settings every row that the paper has agrees."""

import json
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from scenarios.table import compare, not_covered, read_expected

SMALL = {
    "garden": {"seeds": 1},
    "doll": {"seeds": 0},
    "mail_room": {"seeds": 1},
    "shared_key": {"seeds": 0},
    "kitchen": {"seeds": 0},
    "comparators": {"strengths": (Fraction(1),)},
    "caring_coefficient": {"learned": 1, "seeds": 1},
}


def plain(value):
    """As results are read back: fractions as text."""
    return json.loads(json.dumps(value, default=str))


def results(name, overrides):
    settings = import_module(f"scenarios.consideration.{name}.settings").Settings(**overrides)
    run = import_module(f"scenarios.consideration.{name}.run")
    return run, settings, [(cell, plain(run.run_cell(cell))) for cell in run.cells(settings)]


@pytest.fixture(scope="module", params=SMALL)
def done(request):
    return request.param, *results(request.param, SMALL[request.param])


def test_every_row_of_the_paper_agrees(done):
    name, run, settings, found = done
    measured = run.table(settings, found)
    path = Path(run.__file__).parent / "expected.csv"
    expected = read_expected(path)
    assert not not_covered(measured, expected)
    rows = compare(measured, expected)
    assert all(row.agrees for row in rows if row.agrees is not None)
    assert name == "comparators" or any(row.agrees for row in rows)


def test_figures_are_drawn(done):
    pytest.importorskip("matplotlib")
    name, _, settings, found = done
    plot = import_module(f"scenarios.consideration.{name}.plot")
    figures = plot.figures(settings, found)
    assert figures
    assert all(figure.axes for figure in figures.values())


def test_who_gets_hurt_is_told():
    run, settings, found = results("comparators", {"strengths": (Fraction(10),)})
    told = run.story(settings, found)
    assert "kitchen-peanut, strength 10: future task hurts agent_2 by 43" in told
    assert "garden, strength 10: considerate hurts agent_3 by 4" in told
