"""Decision maps: every point as planned one by one, turns exactly where they are, refusals."""

import json
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from itertools import chain, combinations, pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.path import Path

from multislot.errors import SettingError, TooLargeError, UnknownNameError
from multislot.exact import (
    Arrival,
    CopyCentered,
    StaticSlotCentered,
    action_values,
    copy,
    copy_delete,
    decision_map,
    parse_kernel,
    plan_for_copies,
    teleport,
    world_named,
)
from multislot.exact.belief import ImpossibleHistoryError
from multislot.exact.files.affine import Affine, NotLinearError, Sweep
from multislot.exact.files.worlds import world_text
from multislot.exact.futures import VALUES
from multislot.exact.maps import mapping
from multislot.exact.maps.map_drawing import color_decisions, divide_map, label_decisions, pale
from multislot.exact.maps.map_results import FINE, DecisionMap
from multislot.exact.maps.mapping import between
from tests.multislot.exact.oracle import TableKernel
from tests.worlds.generator import worlds

DISCOUNTS = ("discount", between(0, 1, 4))


def each_point(found, plan):
    return {
        (value, i, j): plan(value, **{found.x.name: x, found.y.name: y}).best
        for value in found.values
        for i, x in enumerate(found.x.values)
        for j, y in enumerate(found.y.values)
    }


def points(found):
    return {
        (value, i, j): best
        for value in found.values
        for i, column in enumerate(found.best[value])
        for j, best in enumerate(column)
    }


def moved(kernel, by):
    """A kernel whose rewards move: a reward r becomes ``r + (3 - 2 r) · by``."""
    table = {
        key: [(p, {slot: Arrival(s, o, r + (3 - 2 * r) * by) for slot, (s, o, r) in found.items()}) for p, found in one]
        for key, one in kernel.table.items()
    }
    return replace(kernel, table=table)


@given(worlds((2, 2)), st.sampled_from(sorted(VALUES)))
def test_a_swept_line_is_what_is_planned_point_by_point(kernel, value):
    along = ("by", [Fraction(k, 4) - 1 for k in range(9)])
    found = decision_map(lambda by: moved(kernel, by), x=("horizon", [1, 2, 3]), y=along, values=[value], discount=0.5)
    assert found.swept == "y"

    def planned(value, horizon, by):
        return action_values(moved(kernel, by), value, discount=Fraction(1, 2), horizon=int(horizon))

    assert points(found) == each_point(found, planned)
    for line, pieces in enumerate(found.lines[value]):
        for (_, below), (at, above) in pairwise(pieces):
            assert below != above
            assert planned(value, line + 1, at + Fraction(1, 10**9)).best == above
            assert planned(value, line + 1, at - Fraction(1, 10**9)).best == below


@pytest.mark.parametrize("world", ["copy-delete", "blind-fork", "tree", "lottery", "crowd", "branch-line"])
def test_a_map_of_a_file_is_its_points(world):
    kernel = world_named(world)
    names = [name for name, parameter in kernel.parameters.items() if not parameter.whole]
    found = decision_map(world, x=DISCOUNTS, y=(names[-1], between(0, 4, 5)), values=["cpy", "sta", "dyn", "caring"])

    def planned(value, discount, **parameter):
        changed = kernel.at(**parameter)
        if value == "caring":
            return plan_for_copies(changed, caring=1, discount=discount, horizon=5).action_values
        return action_values(changed, value, discount=discount, horizon=5)

    assert found.swept == "y"
    assert points(found) == each_point(found, planned)


def test_a_tie_at_the_beginning_of_a_line_does_not_decide_the_line():
    """With nothing at home, any pay elsewhere is better, and no pay is a tie."""
    found = decision_map(lambda r_2: teleport(r_s=0, r_2=r_2), x=("horizon", [1, 2]), y=("r_2", [0, 4]), values=["cpy"])
    assert found.best["cpy"] == (("stay", "teleport"),) * 2
    assert found.lines["cpy"] == (((0, "teleport"),),) * 2


def choice_of_sign(x):
    """Action 0 pays nothing; action 1 leads to a choice between x and -x."""
    after = {(0, 0): (2, 0), (0, 1): (1, 0), (1, 0): (2, x), (1, 1): (2, -x), (2, 0): (2, 0), (2, 1): (2, 0)}
    return TableKernel(
        {(1, *key): [(Fraction(1), {1: Arrival(state, "o", pay)})] for key, (state, pay) in after.items()}
    )


def test_a_tie_at_one_point_is_decided_there():
    """Action 1 is worth |x|. So only at 0 the first action is as good, and it is chosen."""
    found = decision_map(choice_of_sign, x=("horizon", [2, 3]), y=("x", [-1, 0, 1]), values=["cpy"])
    assert found.best["cpy"] == ((1, 0, 1),) * 2
    assert found.lines["cpy"] == (((-1, 1),),) * 2


def test_either_axis_is_swept_and_neither_where_nothing_is_linear():
    away = ("away", between(0, 8, 3))
    across = decision_map("branch-line", x=away, y=DISCOUNTS)
    up = decision_map("branch-line", x=DISCOUNTS, y=away)
    assert (across.swept, up.swept) == ("x", "y")
    assert across.lines == up.lines
    assert across.best["cpy"] == tuple(zip(*up.best["cpy"], strict=True))
    assert decision_map("branch-line", x="left", y="discount").swept is None
    assert decision_map("crowd", x="caring", y="discount", values=["caring"]).swept == "x"
    probability = parse_kernel(world_text("lottery").replace('"1 / n"', '"(1 - r_s) ** 0 / n"'))
    assert decision_map(probability, x=("r_s", [0, 2]), y=DISCOUNTS).swept is None


def test_the_sweep_does_not_read_a_moving_number_as_a_fixed_one():
    number = Sweep(Fraction(1)).parameter()
    for use in (str, float, int, repr, lambda x: x * x, lambda x: x + 0.5, lambda x: 1 / x, "{}".format):
        with pytest.raises((NotLinearError, TypeError)):
            use(number)
    assert isinstance((3 - number) * 2 / 4 + number, Affine)


@given(st.tuples(*[st.fractions(-3, 3, max_denominator=4)] * 4))
def test_moving_numbers_are_at_every_point_what_they_stand_for_and_note_where_they_meet(numbers):
    start, slope, fixed, here = numbers
    sweep = Sweep(here)
    moving, still = Affine(start, slope, sweep), Affine(fixed, Fraction(0), sweep)

    def use(x, y):
        return (2 - x) * y + x / 4 - (y * x - 3) - -x + y * y

    for point in (here, here + 1, here - Fraction(1, 3)):
        used = use(moving, still)
        assert used.value + used.slope * (point - here) == use(start + slope * (point - here), fixed)
    assert (moving < still) == ((start, slope) < (fixed, 0))
    assert (moving == still) == ((start, slope) == (fixed, 0))
    meets = here + (fixed - start) / slope if slope else None
    assert sweep.turns == (meets if meets is not None and meets > here else None)


REFUSED = [
    ({"x": "discount", "y": "discount"}, "got y='discount'; expected another setting than that of x"),
    ({"x": "r_3", "y": "discount"}, "unknown setting 'r_3'; did you mean 'r_s'"),
    ({"x": ("r_3", [0, 1]), "y": "discount"}, "unknown setting 'r_3'; did you mean 'r_"),
    ({"x": ("r_2", [1, 0]), "y": "discount"}, "got 2 numbers for r_2; expected two or more, ascending"),
    ({"x": ("r_2", ["a", "b"]), "y": "discount"}, "got r_2='a'; expected a finite number"),
    ({"x": 3, "y": "discount"}, "got axis=3; expected the name of a setting, or a pair of a name and numbers"),
    ({"x": ("r_2", range(1000)), "y": ("r_1", range(1000))}, "a map of 1000000 points; expected at most 10000"),
    ({"x": ("r_2", range(10**9)), "y": "discount"}, "got more than 10000 numbers for r_2; expected fewer"),
    ({"x": "r_2", "y": "discount", "values": ["cpi"]}, "unknown value 'cpi'; did you mean 'cpy'"),
    (
        {"x": "r_2", "y": "discount", "values": [StaticSlotCentered(1), StaticSlotCentered(2)]},
        r"got values=\[StaticSlotCentered.*; expected values with different names; an object has the name of its class",
    ),
    ({"x": "r_2", "y": ("discount", [0, 2])}, "got discount=2; expected a finite number, at least 0 and at most 1"),
    ({"x": "r_2", "y": ("horizon", [1, 1.5])}, "got horizon=3/2; expected a whole number, at least 1"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_bad_axes_are_refused_in_a_sentence(arguments, sentence):
    with pytest.raises((SettingError, TooLargeError, UnknownNameError), match=sentence):
        decision_map("copy", **arguments)


def test_axes_are_chosen_among_a_limited_number_of_pairs(monkeypatch):
    tried = []
    monkeypatch.setattr(mapping, "MOST_PAIRS", 2)
    monkeypatch.setattr(mapping, "decision_map", lambda *_, **axes: tried.append(axes) or SimpleNamespace(best={}))
    mapping.choose_axes("copy", values=["cpy"])
    assert len(tried) == 2


@pytest.mark.parametrize("y", ["discount", ("r", [0, 2])])
def test_points_at_which_no_agent_comes_to_the_question_are_marked(y):
    """The control: at all other points of the map it is decided; who is asked nowhere is refused."""
    text = 'name = "w"\nstart = "s"\nactions = ["x", "y"]\nafter = [["y", "g"]]\n[parameters]\n'
    text += 'p = { default = 0.5, least = 0, most = 1 }\nr = 1\n[states]\ng = { pays = "r" }\nh = {}\n'
    for chance, state in (("p", "g"), ("1 - p", "h")):
        text += (
            f'[[outcomes]]\nstate = "s"\naction = "y"\nprobability = "{chance}"\nbecomes = [{{ state = "{state}" }}]\n'
        )
    axes = {"x": ("p", [0, Fraction(1, 2), 1]), "y": y, "values": ["cpy", "caring"], "horizon": 2}
    found = decision_map(parse_kernel(text), **axes)
    assert found.actions == ("x", "y", "never asked")
    for columns in found.best.values():
        assert [set(column) for column in columns] == [{"never asked"}, {"x"}, {"x"}]
    assert found.outlines() or y == "discount"
    with pytest.raises(ImpossibleHistoryError, match="after that action the observation is one of"):
        decision_map(parse_kernel(text), **axes, history=[("y", "nothing")])


@pytest.mark.parametrize("seen", [None, "seen"])
def test_a_choice_comes_later_whatever_is_seen_before_it(seen):
    def make(pay):
        moves = {("start", a): {1: Arrival("middle", seen)} for a in "ab"} | {("end", a): {} for a in "ab"}
        moves |= {("middle", a): {1: Arrival("end", "end", reward)} for a, reward in (("a", 1), ("b", pay))}
        return TableKernel({(1, *asked): [(1, then)] for asked, then in moves.items()}, {1: "start"}, ("a", "b"))

    axes = {"x": ("pay", [0, 2]), "y": ("discount", [0, 1]), "horizon": 1}
    found = decision_map(make, **axes, values=["caring"], history=[("a", seen)])
    assert [column[1] for column in found.best["caring"]] == ["a", "b"]


def test_a_swept_parameter_keeps_its_range():
    with pytest.raises(SettingError, match="got away=9; expected a finite number, at least 0 and at most 8"):
        decision_map("branch-line", x="discount", y=("away", [0, 9]))


def test_a_world_is_a_name_a_file_a_kernel_or_a_factory(tmp_path):
    path = tmp_path / "copy.toml"
    path.write_text(world_text("copy"), encoding="utf-8")
    found = [decision_map(one, x="r_2", y="discount") for one in ("copy", path, world_named("copy"), copy)]
    assert all(replace(one, x=found[0].x) == found[0] for one in found)
    with pytest.raises(SettingError, match="got world=3; expected a file, the name of a world, or a function"):
        decision_map(3, x="r_2", y="discount")


def test_values_may_be_objects_and_json_is_plain():
    found = decision_map(copy_delete, x=("r_2", [0, 6]), y=("d", [1, 2]), values=[CopyCentered(), "sta"], horizon=3)
    assert found.values == ("CopyCentered", "sta")
    plain = found.as_json()
    assert plain["x"] == {"name": "r_2", "values": ["0", "6"], "whole": False}
    assert plain["values"]["CopyCentered"]["best"] == [["stay", "stay"], ["copy", "copy"]]
    assert [line[0][1:] for line in plain["values"]["CopyCentered"]["turns"]] == [["stay", "copy"]] * 2
    written = SimpleNamespace(action_values=CopyCentered().action_values)  # it inherits from nothing
    alone = decision_map(copy_delete, x=("r_2", [0, 6]), y=("d", [1, 2]), values=written, horizon=3)
    assert alone.best["SimpleNamespace"] == found.best["CopyCentered"]


def test_a_decision_at_one_edge_alone_is_drawn():
    """Whoever counts slot 1 is copied for 1/4 if staying pays nothing, and stays at the next place, for 1/2."""
    rewards = [Fraction(step, 2) for step in range(21)]
    found = decision_map(world_named("copy", r_1=Fraction(1, 4)), x=("r_s", rewards), y=("r_2", (0, 4)), values=["sta"])
    assert [found.best["sta"][column][0] for column in (0, 1)] == ["copy", "stay"]
    areas = found.outlines()["sta"]["areas"]
    assert [action for corners, action in areas if Path(corners).contains_point((0.1, 2))] == ["copy"]


def test_a_tie_all_along_an_end_is_not_drawn_as_an_area():
    """If the second half never survives, both actions are equally good; next to that, dividing is better."""
    world = world_named("fission", r=1, left=1)
    found = decision_map(world, x="right", y=("r_s", (0, 1)), values=["caring=1"])
    assert found.best["caring=1"][0][-1] == "stay"
    areas = found.outlines()["caring=1"]["areas"]
    assert [action for corners, action in areas if Path(corners).contains_point((0.01, 0.999))] == ["divide"]


def test_borders_leave_a_map_straight_where_another_one_has_left_it_at_a_grid_point():
    """In this story only the ratio of the two rewards counts, so all borders are rays."""
    story = str(files("scenarios.lab") / "new_world.toml")
    drawn = decision_map(story, x="pay_away", y="pay_home", values=["cpy", "caring=1", "caring=0"]).plot()
    assert len({round(y / x, 9) for border in drawn.get_lines() for x, y in border.get_xydata() if x}) == 3


def test_names_are_written_by_a_fine_grid_of_what_is_decided_at_each_place():
    found = decision_map(world_named("branch-line", away=2), x="left", y="horizon")
    assert found.swept is None
    decided = tuple(tuple(zip(*column, strict=True)) for column in zip(*found.best.values(), strict=True))
    decisions = [*dict.fromkeys(chain.from_iterable(decided))]
    assert len(decisions) > 1
    fine = found._areas(decisions)
    assert fine.shape == (FINE, FINE)
    across, up = (np.linspace(0, FINE - 1, len(axis.values), dtype=int) for axis in (found.x, found.y))
    assert decided == tuple(tuple(decisions[number] for number in fine[up, column]) for column in across)


def test_of_three_actions_each_is_named_and_of_two_the_second_one():
    decided = ("b", "c", "b")
    assert (
        label_decisions(decided, ["cpy", "sta", "one"], ["a", "b", "c"]) == "b: copies by shares, one\nc: only slot 1"
    )
    assert label_decisions(decided, ["cpy", "sta", "one"], ["b", "c"]) == "c: only slot 1"


def legend_colors(drawn):
    """The color of every label: on the map, or in the legend of the areas that are too small for theirs."""
    legend = drawn.get_legend()
    below = zip(legend.get_texts(), legend.get_patches(), strict=True) if legend else ()
    labels = [*((text, text.get_bbox_patch()) for text in drawn.texts), *below]
    return {text.get_text(): to_hex(patch.get_facecolor()) for text, patch in labels}


def test_the_name_of_an_area_is_written_where_the_area_is():
    """The control: if an area has no room for its name, all are named below the map."""
    found = decision_map("teleport", x=("r_2", range(1, 11)), y=("r_s", (1, 10)), values=["cpy"])
    drawn = found.plot()
    drawn.figure.draw_without_rendering()
    for label in drawn.texts:
        box = label.get_window_extent()
        corners = [(across, up) for across in (box.x0, box.x1) for up in (box.y0, box.y1)]
        for across, up in drawn.transData.inverted().transform(corners):
            assert (across > up) == (label.get_text() == "teleport")
    assert {label.get_text() for label in drawn.texts} == {"stay", "teleport"}
    assert drawn.get_legend() is None
    thin = decision_map("teleport", x=("r_2", range(1, 101)), y=("r_s", (1, 2)), values=["cpy"]).plot()
    assert [text.get_text() for text in thin.get_legend().get_texts()] == ["stay", "teleport"]
    assert not thin.texts


TWO_CHANCES = """
name = "two-chances"
actions = ["left", "right"]
start = { state = "here" }
[parameters]
p = { default = "1/2", least = 0, most = 1 }
q = { default = "1/2", least = 0, most = 1 }
[states]
here = {}
won = { pays = 1 }
lost = {}
"""
for action, chance in (("left", "p"), ("right", "q")):
    for state, probability in (("won", chance), ("lost", f"1 - {chance}")):
        TWO_CHANCES += f'[[outcomes]]\nstate = "here"\naction = "{action}"\nprobability = "{probability}"\n'
        TWO_CHANCES += f'becomes = [{{ slot = 1, state = "{state}" }}]\n'


def test_the_picture_of_a_map_over_two_chances_has_straight_borders_and_a_ring_at_the_own_numbers():
    """The control: the map itself is known at its points only."""
    found = decision_map(parse_kernel(TWO_CHANCES), x="p", y=("q", between(0, 1, 6)), values=["sta"])
    assert found.swept is None
    assert not found.lines
    drawn = found.plot(here=(0.5, 0.25))
    ring, *borders = drawn.get_lines()
    assert ring.get_xydata().tolist() == [[0.5, 0.25]]
    assert len(borders) > 15
    assert len(found.plot(here=(0.5, 1.5)).get_lines()) == len(borders)  # it is not on the map
    assert all(abs(x - y) <= 0.2 / 2**4 for line in borders for x, y in line.get_xydata())


def test_the_colors_of_nine_regions_are_far_apart():
    decided = [*product("abc", repeat=2)]
    colors = color_decisions(decided, ["cpy", "sta"], ["a", "b", "c"])
    assert colors["a", "a"] == "#bbbbbb"  # gray
    pairs = combinations(map(pale, colors.values()), 2)
    assert min(sum((p - q) ** 2 for p, q in zip(*pair, strict=True)) for pair in pairs) > 0.02


def test_a_color_means_the_same_in_every_map():
    """Whichever decisions a map has, and whichever of them comes first on it."""
    world = world_named("branch-line", away=2)
    many = legend_colors(decision_map(world, x="away", y="discount").plot())
    few = legend_colors(decision_map(world, x="away", y="discount", values=["cpy"]).plot())
    turned = legend_colors(decision_map(world, x="discount", y="away").plot())
    assert many == turned
    assert few["stay"] == many["all 3 values: stay"]
    assert len({*many.values(), *few.values()}) == len(many) + 1  # stepping in has a color of its own


@pytest.mark.parametrize("axes", [("away", "discount"), ("discount", "away"), ("left", "horizon")])
def test_the_picture_has_a_colour_for_every_combination_and_says_who(axes):
    found = decision_map(world_named("branch-line", away=2), x=axes[0], y=axes[1])
    drawn = found.plot()
    columns = zip(*found.best.values(), strict=True)
    kinds = {one for column in columns for one in zip(*column, strict=True)}
    kinds |= {decided for line in found.pieces for _, decided in line}
    labels = legend_colors(drawn)
    assert len(labels) == len(kinds) > 1
    assert "all 3 values: stay" in labels
    assert any("step in: copies by shares" in label for label in labels)
    assert bool(found.pieces) == (found.swept is not None)
    assert DecisionMap.from_json(json.loads(json.dumps(found.as_json()))).as_json() == found.as_json()
    drawn.figure.draw_without_rendering()


def test_where_two_borders_cross_both_stay_straight_and_so_do_the_others():
    """The control: without the crossing, a piece that only one line has reaches half-way and has no border."""
    low, high = [(Fraction(at), name) for at, name in ((0, "a"), (4, "b"), (5, "c"), (8, "d"))], []
    high = [(Fraction(at), name) for at, name in ((0, "a"), (2, "x"), (4, "c"), (8, "d"))]
    areas, borders = divide_map((Fraction(0), Fraction(3)), (low, high), Fraction(9))
    assert sorted(borders) == [[(0, 4), (3, 4)], [(0, 5), (3, 2)], [(0, 8), (3, 8)]]
    places = {(0.3, 4.5): "b", (2.7, 3.5): "x", (0.9, 4.05): "b", (1.1, 3.95): "x", (1.5, 3.0): "a", (1.5, 5.0): "c"}
    for place, name in places.items():
        assert [decided for corners, decided in areas if Path(corners).contains_point(place)] == [name]
    low[1], high[1] = (Fraction(4), "b"), (Fraction(4), "c")
    assert divide_map((Fraction(0), Fraction(3)), (low[:2], high[:2]), Fraction(9))[1] == []


@given(st.lists(st.lists(st.tuples(st.integers(1, 9), st.sampled_from("abc")), max_size=4), min_size=2, max_size=2))
def test_each_place_between_two_lines_has_one_decision(pieces):
    lines = []
    for line in pieces:
        starts = dict(sorted({0: "a", **dict(line)}.items()))
        lines.append([(Fraction(at), name) for at, name in starts.items()])
        lines[-1] = [p for k, p in enumerate(lines[-1]) if k == 0 or p[1] != lines[-1][k - 1][1]]
    areas, _ = divide_map((Fraction(0), Fraction(1)), lines, Fraction(10))
    for place in product((0.13, 0.41, 0.77), (0.57, 2.31, 4.43, 6.61, 8.87)):
        assert len([name for corners, name in areas if Path(corners).contains_point(place)]) == 1
