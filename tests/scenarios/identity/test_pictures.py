"""The figures of the identity scenarios: a colour means one thing everywhere, and everything drawn can be seen."""

import importlib
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from multislot.exact.maps.map_drawing import borders, regions
from scenarios.identity.experiment import DRAWN_DISCOUNTS, mapped_by_formula
from scenarios.identity.pictures import HUES, LINES, colour_of, draw_curves, in_symbols
from scenarios.lab import registry
from scenarios.lab.rounds import HEIRS
from tests.scenarios.identity.test_decisions import QUESTIONS, as_read_back, named

SIZE = 125
SMALL = {"seeds": 2, "rounds": 8, "resolution": 3}
BY_NAME = [pytest.param(one, id=one.__name__.split(".")[-1]) for one in QUESTIONS]


def drawn(question, **changes):
    """A scenario's figure, drawn, with the renderer that drew it."""
    scenario = named(question)
    asked = scenario.settings(SMALL | changes)
    cells = [cell for cell in scenario.cells(asked) if cell.part in ("map", "learner")]
    results = [(cell, as_read_back(scenario.run_cell(cell))) for cell in cells]
    (figure,) = scenario.figures(asked, results).values()
    figure.set_dpi(SIZE)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return figure, canvas.get_renderer()


def sets_met(question):
    asked = named(question).settings({"resolution": 25})
    return {found for found in mapped_by_formula(question.EXPERIMENT, asked) if found}


def names_of(question, found):
    """A set of agents by name; "everybody" where each kind is there with all its variants."""
    return frozenset(question.EXPERIMENT.agents[index].name for index in found)


def test_a_colour_means_the_same_agents_in_every_figure():
    colours = {}
    for question in QUESTIONS:
        for found in sets_met(question):
            colour = to_hex(colour_of(found, question.EXPERIMENT.agents))
            colours.setdefault(names_of(question, found), set()).add(colour)
    assert len(colours) > 7
    assert all(len(found) == 1 for found in colours.values())


@pytest.mark.parametrize("question", BY_NAME)
def test_no_two_sets_of_agents_of_a_figure_share_a_colour(question):
    colours = [colour_of(found, question.EXPERIMENT.agents) for found in [(), *sets_met(question)]]
    assert len(set(colours)) == len(colours)


def test_the_four_plain_questions_share_the_hues_of_their_kinds():
    plain = [one for one in QUESTIONS if len(one.EXPERIMENT.agents) == 3]
    assert len(plain) == 4
    for question in plain:
        for found in sets_met(question):
            kinds = frozenset(question.EXPERIMENT.agents[index].kind for index in found)
            assert to_hex(colour_of(found, question.EXPERIMENT.agents)) == HUES[kinds]


def test_learners_have_colours_of_their_own():
    assert tuple(LINES) == HEIRS
    assert not {line.colour for line in LINES.values()} & set(HUES.values())


def test_curves_that_are_equal_are_all_seen():
    """Each is narrower than those under it, in its own colour and dashes, on a band of its own hatching."""
    axes = Figure().subplots()
    asked = named(QUESTIONS[0]).settings({"seeds": 2, "rounds": 8})
    draw_curves(axes, asked, {heir: [[1] * 8] for heir in HEIRS})
    curves = axes.lines[: len(HEIRS)]
    widths = [line.get_linewidth() for line in curves]
    assert widths == sorted(widths, reverse=True)
    for look in (type(curves[0]).get_linewidth, type(curves[0]).get_color, type(curves[0]).get_linestyle):
        assert len({look(line) for line in curves}) == len(HEIRS)
    assert len({band.get_hatch() for band in axes.collections}) == len(HEIRS)


@pytest.mark.parametrize("question", BY_NAME)
def test_no_words_of_a_figure_overlap_or_are_cut(question):
    figure, renderer = drawn(question)
    whole = figure.bbox
    boxes = [
        (text.get_text(), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text.figure is not None
    ]
    assert len(boxes) > 20
    for words, box in boxes:
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, words
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1, words
    overlapping = [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]
    assert overlapping == []


def test_a_figure_says_its_settings_and_what_its_bands_are():
    copy = next(one for one in QUESTIONS if one.__name__.endswith("identity.copy"))
    figure, _ = drawn(copy, r_2="7/2", b="2")
    assert figure.get_suptitle() == "copy:  γ=9/10, T=3, $r_s$=1, $r_1$=1/2, $r_2$=7/2, b=2"
    caption = figure.axes[1].get_legend().get_title().get_text()
    assert "rate 0.05, exploring 30%\nbands: 95% percentile bootstrap over 2 seeds" in caption
    figure, _ = drawn(copy, seeds=1)
    assert "bands: none, 1 seed" in figure.axes[1].get_legend().get_title().get_text()


def decided_of(question, **changes):
    asked = named(question).settings(SMALL | changes)
    experiment = question.EXPERIMENT
    cells = [cell for cell in experiment.cells(asked) if cell.part == "map"]
    return experiment.decided(asked, [(cell, as_read_back(experiment.run_cell(cell))) for cell in cells])


@pytest.mark.parametrize("question", BY_NAME)
def test_the_map_is_filled_once_and_its_regions_are_the_formulas(question):
    """The areas of the regions add up to the map; in the middle of each piece the formulas decide as it says."""
    decided = decided_of(question)
    experiment, asked = question.EXPERIMENT, named(question).settings(SMALL)
    mapped = decided.discounts, decided.columns, decided.highest
    area = sum(polygon_area(corners) for corners, _ in regions(*mapped))
    assert area == pytest.approx(float(decided.discounts[-1] * decided.highest))
    assert list(borders(*mapped)) or {found for column in decided.columns for _, found in column}
    for discount, column in list(zip(DRAWN_DISCOUNTS, decided.columns, strict=True))[::7]:
        for (low, found), (high, _) in pairwise([*column, (decided.highest, ())]):
            here = replace(asked, discount=discount, **{experiment.reward: (low + high) / 2})
            worths = [experiment.expected(agent, here) for agent in experiment.agents]
            assert found == tuple(index for index, (stay, accept) in enumerate(worths) if accept > stay)


def polygon_area(corners):
    following = [*corners[1:], corners[0]]
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(corners, following, strict=True))) / 2


@pytest.mark.parametrize("question", BY_NAME)
def test_the_legend_says_who_accepts_and_who_refuses(question):
    figure, _ = drawn(question)
    legend = figure.axes[0].get_legend()
    labels = [text.get_text() for text in legend.get_texts()]
    assert "everybody refuses" in labels
    assert len(labels) == len(set(labels)) > 1
    for label in set(labels) - {"everybody refuses", "everybody accepts"}:
        assert [line.partition(": ")[0] for line in label.splitlines()] == ["accept", "refuse"]


def test_the_star_is_whole_at_an_edge():
    """In the teleporter r_2 = 3 is the upper edge of the map."""
    teleport = next(one for one in QUESTIONS if one.__name__.endswith("identity.teleport"))
    figure, _ = drawn(teleport, r_2="3")
    (star,) = (line for line in figure.axes[0].lines if line.get_marker() == "*")
    assert float(star.get_ydata()[0]) == figure.axes[0].get_ylim()[1]
    assert not star.get_clip_on()


def test_settings_without_an_index_stay_as_they_are():
    assert in_symbols("T=3, r_b=1/2, told=True") == "T=3, $r_b$=1/2, told=True"


def test_every_identity_scenario_that_asks_who_accepts_is_among_the_questions():
    """Each is run by an experiment; others, such as ``values``, draw what they do themselves."""
    family = [one for one in registry.discover().values() if one.family == "identity"]
    asking = {one.name for one in family if hasattr(importlib.import_module(one.module), "EXPERIMENT")}
    assert {named(question).name for question in QUESTIONS} == asking
