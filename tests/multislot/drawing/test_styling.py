"""One style for every figure: it lasts until a figure is drawn, and its colours can be told apart."""

import io
import sys
from itertools import combinations

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from multislot.drawing import styling
from multislot.drawing.showing import axes_or_new, new_figure
from multislot.errors import MissingExtraError

LEAST_DIFFERENCE = 12
"""Euclidean distance in CIELAB, larger than what a person just notices (about 2.3; Mahy et al. 1994)."""
SIMULATED = {  # Viénot, Brettel and Mollon 1999: how linear RGB looks to people who lack one kind of cone
    "all cones": np.eye(3),
    "no red cones": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "no green cones": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}


def lab(colour, cones):
    """Return CIELAB of a colour as somebody sees it, under daylight D65."""
    rgb = np.array(to_rgb(colour))
    linear = SIMULATED[cones] @ np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.clip(to_xyz @ linear / (0.9505, 1.0, 1.089), 1e-4, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def closest(colours, cones):
    return min(np.linalg.norm(lab(one, cones) - lab(other, cones)) for one, other in combinations(colours, 2))


@pytest.mark.parametrize("cones", SIMULATED)
def test_people_of_any_colour_vision_tell_the_colours_apart(cones):
    assert closest(styling.COLORS, cones) > LEAST_DIFFERENCE


def test_red_and_green_alike_would_be_found():
    assert closest(("#d62728", "#7f7f00"), "all cones") > LEAST_DIFFERENCE
    assert closest(("#d62728", "#7f7f00"), "no green cones") < LEAST_DIFFERENCE


def test_the_style_sheet_has_the_same_colours_and_can_be_used_by_name():
    with matplotlib.pyplot.style.context("multislot.drawing.figures"):
        cycle = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    assert [f"#{colour.lstrip('#').lower()}" for colour in cycle] == list(styling.COLORS)


def test_ticks_that_are_made_when_a_figure_is_drawn_have_the_style():
    with matplotlib.rc_context({"ytick.labelsize": 30, "axes.spines.top": True, "xtick.major.size": 9}):
        drawn, plain = new_figure(3, 3), matplotlib.figure.Figure()
        for figure in (drawn, plain):
            figure.subplots().plot([0, 1])
            figure.savefig(io.BytesIO(), format="png")
    assert [f.axes[0].yaxis.get_ticklabels()[0].get_size() for f in (drawn, plain)] == [9, 30]
    assert [f.axes[0].spines["top"].get_visible() for f in (drawn, plain)] == [False, True]
    # The sheet says nothing of this size, so a reader's own setting would count.
    assert [f.axes[0].xaxis.majorTicks[0].tick1line.get_markersize() for f in (drawn, plain)] == [3.5, 9]


def test_a_notebook_shows_a_figure():
    figure = new_figure(1, 1)
    figure.subplots()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_axes_that_are_given_are_used():
    axes = new_figure(2, 2).subplots()
    assert axes_or_new(axes, 5, 5) is axes
    made = axes_or_new(None, 5, 4)
    assert made.figure.get_size_inches().tolist() == [5, 4]
    matplotlib.pyplot.close(made.figure)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'a figure needs the extra "plot"'):
        new_figure(1, 1)
