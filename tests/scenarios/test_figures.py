"""Every figure of every scenario can be read: axes have labels, chance has intervals, letters have a size."""

import pytest

pytest.importorskip("matplotlib")

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import house_style
from scenarios.lab import registry
from tests.scenarios.conftest import finished
from tests.scenarios.figure_faults import cut_or_covered, faults
from tests.scenarios.lab.small import SMALL

KNOWN = registry.discover()
DRAWING = sorted(name for name, scenario in KNOWN.items() if scenario.draws)
SLOW = {
    *("comparators", "values"),
    *("blind-fork", "copy-delete", "teleport", "tree", "universal"),
}
"""More than two seconds each, or drawn by the functions of another that is looked at."""
EXACT = "its figures show exact solutions; what is learned stands in the table"
WITHOUT_INTERVALS = {
    "doll": EXACT,
    "garden": EXACT,
    "kitchen": EXACT,
    "mail-room": EXACT,
    "shared-key": EXACT,
    "one-life": EXACT,
    "caring-coefficient/paths": EXACT,
    "fooled-reality-check/collapse": "every seed has a line of its own",
    "reward-hacking": "counts; their intervals stand in its title",
}


def drawn(name):
    """Return the figures of a scenario at small settings, results as they are read back."""
    scenario = KNOWN[name]
    asked = scenario.settings(SMALL[name]) if name in SMALL else scenario.settings(preset="QUICK")
    return scenario.figures(asked, finished(scenario, asked))


def has_chance(name, figure):
    return KNOWN[name].has_seeds and not {name, f"{name}/{figure}"} & WITHOUT_INTERVALS.keys()


def test_every_scenario_that_draws_is_looked_at():
    assert set(DRAWING) >= set(SMALL) >= SLOW
    assert {name.partition("/")[0] for name in WITHOUT_INTERVALS} <= set(DRAWING)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] if name in SLOW else []) for name in DRAWING]
)
def test_a_figure_can_be_read(name):
    for figure, shown in drawn(name).items():
        assert list(faults(shown, has_chance(name, figure))) == [], figure
        assert list(cut_or_covered(shown)) == [], figure


def planted(xlabel="step", size=9, whiskers=True, said="mean, 95% confidence", width=6):
    with house_style():
        figure = new_figure(width, 3)
        axes = figure.subplots()
        axes.errorbar([1, 2], [1.5, 2], [0.1, 0.2] if whiskers else None)
        axes.set(xlabel=xlabel, ylabel=said)
        axes.tick_params(labelsize=size)
    return figure


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ({"xlabel": ""}, "panel 0: the x axis has no label"),
        ({"said": ""}, "panel 0: the y axis has no label"),
        ({"size": 3}, "letters of"),
        ({"width": 16}, "letters of"),
        ({"whiskers": False}, "no intervals, though chance is in it"),
        ({"said": "reward"}, "nothing says what the intervals are"),
    ],
)
def test_a_figure_that_cannot_be_read_is_refused(broken, found):
    assert list(faults(planted(), chance=True)) == []
    assert any(found in fault for fault in faults(planted(**broken), chance=True))


def test_words_that_are_cut_or_covered_are_found():
    assert list(cut_or_covered(planted())) == []
    figure = planted()
    figure.text(0.97, 0.5, "beyond the edge")
    assert list(cut_or_covered(figure)) == ["'beyond the edge' is cut"]
    figure = planted()
    for _ in range(2):
        figure.text(0.4, 0.5, "twice")
    assert list(cut_or_covered(figure)) == ["'twice' and 'twice' cover each other"]
