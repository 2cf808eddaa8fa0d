"""The scenarios of the family: on small settings every row that the paper has agrees."""

from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from considerate.exact.comparators import DESIGNS
from multislot.errors import SettingError
from scenarios.consideration import comparators
from scenarios.consideration.behavior import ENOUGH_SEEDS, learned_row
from scenarios.consideration.caring_coefficient import Cell, Settings, cells, optima, table
from scenarios.lab.registry import find
from scenarios.lab.table import beside_papers, not_covered, read_expected
from tests.scenarios.conftest import finished

SMALL = {
    "garden": {"seeds": 1},
    "doll": {"seeds": 0},
    "mail_room": {"seeds": 1},
    "shared_key": {"seeds": 0},
    "kitchen": {"seeds": 0},
    "comparators": {"strengths": (Fraction(1),)},
    "caring_coefficient": {"learned": 1, "seeds": 1},
    "formulations": {},
    "avoid_ending": {},
}


def results(name, overrides):
    run = import_module(f"scenarios.consideration.{name}")
    settings = run.Settings(**overrides)
    return run, settings, finished(run, settings)


@pytest.fixture(scope="module", params=SMALL)
def done(request):
    return request.param, *results(request.param, SMALL[request.param])


def test_every_row_of_the_paper_agrees(done):
    name, run, settings, found = done
    measured = run.table(settings, found)
    expected = read_expected(Path(f"scenarios/consideration/{name}.csv"))
    assert not not_covered(measured, [row for row in expected if row.kind != "formula"])
    rows = beside_papers(measured, expected)
    assert all(row.agrees for row in rows if row.agrees is not None)
    assert name == "comparators" or any(row.agrees for row in rows)


def test_a_few_runs_are_counted_without_a_verdict(done):
    _, run, settings, found = done
    learned = beside_papers([row for row in run.table(settings, found) if "learning is exact" in row.quantity], [])
    assert bool(learned) == bool(getattr(settings, "seeds", 0))
    assert all(row.agrees is None and row.ours.startswith(("0 of 1", "1 of 1")) for row in learned)


@pytest.mark.parametrize(
    ("exact", "seeds", "agrees"),
    [(1, 1, None), (9, 9, None), (10, 10, True), (9, 10, True), (8, 10, False), (18, 20, True), (17, 20, False)],
)
def test_that_learning_is_exact_in_nine_of_ten_seeds_takes_ten_to_decide(exact, seeds, agrees):
    (row,) = beside_papers([learned_row(exact, seeds, "α₂ = 1")], [])
    assert row.agrees is agrees
    assert row.condition == f"α₂ = 1, {seeds} seeds"
    if agrees is None:
        assert row.ours.startswith(f"{exact} of {seeds} (")
    else:
        assert row.ours == Fraction(exact, seeds)


def test_the_interval_of_few_runs_is_clopper_and_pearsons():
    # All of n: from (2.5%)^(1/n) to 1.
    assert learned_row(3, 3, "").ours == f"3 of 3 ({0.025 ** (1 / 3):.2f} to 1.00)"
    assert learned_row(0, 3, "").ours == f"0 of 3 (0.00 to {1 - 0.025 ** (1 / 3):.2f})"


@pytest.mark.parametrize(
    "name", [name for name in SMALL if name not in ("comparators", "formulations", "avoid_ending")]
)
def test_the_default_decides_whether_learning_is_exact(name):
    assert import_module(f"scenarios.consideration.{name}").Settings().seeds >= ENOUGH_SEEDS


def test_at_a_threshold_either_behavior_is_exact():
    pieces = [["0", "1/4", -20, -24], ["1/4", "1", -21, -20], ["1", None, -25, -16]]
    found = [(None, {"pieces": pieces})]
    assert optima(found, Fraction(1, 4)) == [[-20, -24], [-21, -20]]
    assert optima(found, Fraction(1, 2)) == [[-21, -20]]
    learned = cells(Settings(learned=3, most=Fraction(6), seeds=1))[2:]
    assert [cell.alpha for cell in learned] == [1, 3, 5]  # the middles of three equal intervals


def learned(runs, seeds):
    """Results in which so many runs are exact, by coefficient."""
    pieces = [["0", None, -20, -24]]
    cells = [(Cell("learned", alpha, seed), exact) for alpha, exact in runs.items() for seed in range(seeds)]
    learned = [(cell, {"returns": [-20, -24] if cell.seed < exact else None}) for cell, exact in cells]
    return [(Cell("frontier", Fraction(7), 0), {"pieces": pieces}), *learned]


def test_coefficients_at_which_learning_fails_stay_in_sight():
    settings = Settings(learned=3, seeds=10)
    first, second, third = (Fraction(7 * n, 6) for n in (1, 3, 5))
    for runs, count, failing in (
        ({first: 10, second: 9, third: 10}, 3, []),
        ({first: 10, second: 8, third: 0}, 1, [(second, Fraction(8, 10)), (third, Fraction(0))]),
    ):
        all_of_them, *rest = [row for row in table(settings, learned(runs, 10)) if "learning" in row.quantity]
        assert (all_of_them.ours, all_of_them.paper) == (count, 3)
        assert all_of_them.condition == "3 coefficients, α₂ = 7/6 to 35/6, 10 seeds each"
        assert [(row.condition, row.ours) for row in rest] == [(f"α₂ = {a}, 10 seeds", share) for a, share in failing]
        assert [row.agrees for row in beside_papers([all_of_them, *rest], [])] == [not failing, *[False] * len(rest)]


def test_with_few_seeds_each_coefficient_is_counted_side_by_side():
    rows = [
        row for row in table(Settings(), learned({Fraction(1): 2, Fraction(2): 3}, 3)) if "learning" in row.quantity
    ]
    assert [(row.case, row.condition, row.ours[:6]) for row in rows] == [
        (f"α₂ = {alpha}", f"α₂ = {alpha}, 3 seeds", f"{alpha + 1} of 3") for alpha in (1, 2)
    ]


@pytest.mark.parametrize("strength", ["-1", "nan", "much"])
def test_a_strength_that_no_design_can_have_is_refused_at_the_door(strength):
    with pytest.raises(SettingError, match="strengths"):
        find("comparators").settings({"strengths": strength})


def test_who_waits_is_told_from_who_does_something():
    _, _, found = results("shared_key", {"seeds": 0})
    seen = [(result["waits"], result["second_waits"]) for _, result in found]
    # Table 1: the second waits for the key, for ever in the first row; in the third the acting one lets it go ahead.
    assert [len(own) for own, _ in seen] == [0, 0, 5]
    assert seen[2] == ([1, 2, 3, 4, 5], [])
    for (_, result), (own, second) in zip(found, seen, strict=True):
        for path, waits in ((result["path"], own), (result["second"], second)):
            assert all(path[step] == path[step - 1] for step in waits)
    assert found[0][1]["second"][-1] == [7, 7]
    assert seen[0][1][-1] == len(found[0][1]["second"]) - 1


def test_the_story_of_designs_says_who_is_hurt():
    strengths, hurt = (Fraction(1), Fraction(10)), {(DESIGNS[0], 10): {"one": 3, "me": 0, "other": 5}}
    found = [
        (cell, {name: {"harm": hurt.get((name, cell.strength), {}) if cell.task == "box" else {}} for name in DESIGNS})
        for cell in comparators.cells(comparators.Settings(strengths=strengths))
    ]
    told = comparators.story(comparators.Settings(strengths=strengths), found).split("\n")
    assert told[:7] == [f"{design}, strength 1, hurts nobody" for design in DESIGNS][:7]
    assert told[len(DESIGNS)] == f"{DESIGNS[0]}, strength 10, hurts box: one by 3, other by 5"
