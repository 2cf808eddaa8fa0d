"""The figures of the identity scenarios: a color means one thing everywhere, and everything drawn can be seen."""

import importlib
from fractions import Fraction
from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from multislot.exact.maps.map_drawing import divide_map
from scenarios.identity import copy
from scenarios.identity.offer import HUES, color_of
from scenarios.lab import registry
from scenarios.lab.experiment import with_indices
from tests.scenarios.conftest import read_back
from tests.scenarios.identity.test_decisions import QUESTIONS, named

SMALL = {"seeds": 2, "rounds": 8, "resolution": 3}
BY_NAME = [pytest.param(one, id=one.__name__.split(".")[-1]) for one in QUESTIONS]


def drawn(question, **changes):
    """A scenario's figure, drawn."""
    scenario = named(question)
    asked = scenario.settings(SMALL | changes)
    cells = [cell for cell in scenario.cells(asked) if cell.part in ("map", "learner")]
    results = [(cell, read_back(scenario.run_cell(cell))) for cell in cells]
    (figure,) = scenario.figures(asked, results).values()
    FigureCanvasAgg(figure).draw()
    return figure


def sets_met(question):
    """The sets of agents that accept somewhere on a fine map, by formula."""
    asked, steps = named(question).settings(), [Fraction(k, 24) for k in range(25)]
    points = ((discount * Fraction(49, 50), reward * question.OFFER.highest) for discount in steps for reward in steps)
    return {tuple(question.OFFER.accept_by_formula(asked, *point)) for point in points} - {
        (False,) * len(question.OFFER.agents)
    }


def test_a_color_means_the_same_agents_in_every_figure():
    colors = {}
    for question in QUESTIONS:
        agents = question.OFFER.agents
        for accepts in sets_met(question):
            names = frozenset(agent.name for agent, accepted in zip(agents, accepts, strict=True) if accepted)
            colors.setdefault(names, set()).add(to_hex(color_of(accepts, agents)))
            if len(agents) == 3:
                kinds = frozenset(agent.kind for agent in agents if agent.name in names)
                assert to_hex(color_of(accepts, agents)) == HUES[kinds]
    assert len(colors) > 7
    assert all(len(used) == 1 for used in colors.values())


@pytest.mark.parametrize("question", BY_NAME)
def test_no_two_sets_of_agents_of_a_figure_share_a_color(question):
    agents = question.OFFER.agents
    colors = [color_of(accepts, agents) for accepts in [(False,) * len(agents), *sets_met(question)]]
    assert len(set(colors)) == len(colors)


@pytest.mark.parametrize("question", BY_NAME)
def test_the_map_is_filled_once_and_its_regions_are_the_formulas(question):
    """The areas of the regions add up to the map; in the middle of each piece the formulas decide as it says."""
    offer, asked = question.OFFER, named(question).settings(SMALL | {"resolution": 8})
    decided = offer.decisions(asked)
    end = decided.y.values[-1]
    shapes = [corners for corners, _ in divide_map(decided.x.values, decided.pieces, end)[0]]
    area = sum(area_on_the_map(corners, float(end)) for corners in shapes)
    assert area == pytest.approx(float(decided.x.values[-1] * end))
    for discount, line in zip(decided.x.values, decided.pieces, strict=True):
        for (low, actions), (high, _) in pairwise([*line, (end, ())]):
            accepts = [action == decided.actions[1] for action in actions]
            assert accepts == offer.accept_by_formula(asked, discount, (low + high) / 2)


def area_on_the_map(corners, end):
    """The area of the part of a polygon that is on the map: borders leave the map as straight as they come."""
    x, y = Path([*corners, corners[0]], closed=True).clip_to_bbox(Bbox([(0, 0), (1, end)])).vertices.T
    return abs(x[:-1] @ y[1:] - x[1:] @ y[:-1]) / 2


@pytest.mark.parametrize(("changes", "stars"), [({}, 1), ({"r_2": 40}, 0), ({"discount": 1}, 0)])
def test_a_star_is_drawn_and_told_of_only_on_the_map(changes, stars):
    axes = drawn(copy, **changes).axes[0]
    assert axes.get_title(loc="left").count("★") == [line.get_marker() for line in axes.lines].count("*") == stars


def test_settings_without_an_index_stay_as_they_are():
    assert with_indices("T=3, r_b=1/2, told=True") == "T=3, $r_b$=1/2, told=True"


def test_every_identity_scenario_that_asks_who_accepts_is_among_the_questions():
    """Each makes an offer; others, such as ``values``, draw what they do themselves."""
    family = [one for one in registry.discover().values() if one.family == "identity"]
    asking = {one.name for one in family if hasattr(importlib.import_module(one.module), "OFFER")}
    assert {named(question).name for question in QUESTIONS} == asking
