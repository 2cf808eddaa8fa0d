"""The scenarios of the family: on small settings every row that the paper has agrees."""

import json
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from scenarios.consideration.behaviour import verdict
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


def test_verdicts_on_learning_state_the_seeds_that_were_run(done):
    _, run, settings, found = done
    verdicts = [row.quantity for row in run.table(settings, found) if "learning is exact in at least" in row.quantity]
    assert all(words.endswith("at least 1 of 1 seeds") for words in verdicts)
    assert bool(verdicts) == bool(getattr(settings, "seeds", 0))


@pytest.mark.parametrize(
    ("exact", "seeds", "enough", "reached"),
    [(1, 1, 1, "yes"), (2, 3, 3, "no"), (3, 3, 3, "yes"), (9, 10, 9, "yes"), (8, 10, 9, "no"), (18, 20, 18, "yes")],
)
def test_nine_tenths_of_the_seeds_are_said_as_a_number_of_them(exact, seeds, enough, reached):
    row = verdict(Fraction(exact, seeds), seeds, "α₂ = 1")
    assert row.quantity == f"learning is exact in at least {enough} of {seeds} seeds"
    assert (row.ours, row.paper) == (reached, "yes")
    assert (exact >= enough) is (reached == "yes")


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
