"""Pictures: text as it should be, pixels of the right size that show what changed, figures with their legend."""

import numpy as np
import pytest

import considerate
from considerate.craftworld import task
from considerate.craftworld.drawing import Walk, ansi, figure, rgb_array


def test_text_shows_the_agent_and_the_facts():
    chosen = task("kitchen-salad")
    solution = considerate.solve(chosen, "value", 0)
    assert ansi(chosen, solution.trajectory[4]).splitlines() == [
        "XXXXX",
        "XS.FX",
        "X...X",
        "XO.@X",
        "XXXXX",
        "",
        "S  start",
        "F  fridge",
        "O  oven",
        "E  exit",
        "",
        "{food: raw, fridge: open}",
    ]


def test_pixels_have_one_shape_and_show_where_the_agent_is():
    pytest.importorskip("matplotlib")
    chosen = task("garden")
    path = considerate.solve(chosen, "value", 0).trajectory
    first, second = rgb_array(chosen, path[0]), rgb_array(chosen, path[1])
    assert first.shape == second.shape == (420, 420, 3)
    assert first.dtype == np.uint8
    assert (first != second).any()


def test_a_figure_has_a_line_and_a_label_for_every_walk():
    pytest.importorskip("matplotlib")
    chosen = task("garden")
    solutions = [considerate.solve(chosen, "per_agent", {"agent_2": a, "agent_3": 1}) for a in (0, 1, 10)]
    made = figure(chosen, [Walk(f"α₂ = {n}", s.path) for n, s in enumerate(solutions)], title="Garden")
    axes = made.axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["α₂ = 0", "α₂ = 1", "α₂ = 2"]
    assert axes.get_title() == "Garden"
    assert {text.get_text().replace("\n", " ") for text in axes.texts} >= {"garden", "fence site", "exit", "start"}
