"""The scenarios of pessimism: their stories on small settings, the interval arithmetic, the pictures."""

import importlib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from multislot.errors import SettingError
from scenarios import registry
from scenarios.conservatism import apprenticeship
from scenarios.conservatism.cliff import cliff_world, truth_of
from scenarios.conservatism.lives import interval, mean_and_error, standard_error

NAMES = (*("mentor-level", "query-decay", "precedent", "reward-hacking", "conservative-vs-standard", "wide-class"),)
SMALL = {
    "mentor-level": {"classes": 2, "lives": 3, "betas": (0.0, 0.9), "checkpoints": (0, 10), "horizon": 2},
    "query-decay": {"classes": 2, "lives": 2, "betas": (0.5,), "steps": 32},
    "precedent": {"classes": 2, "lives": 3, "steps": 10, "betas": (0.0, 0.98)},
    "reward-hacking": {"weights": (0.25, 0.75), "betas": (0.0, 0.9), "steps": 60, "seeds": 5},
    "conservative-vs-standard": {"betas": (0.0, 0.99), "steps": 40, "seeds": 2, "depth": 1},
    "wide-class": {"suspects": (1, 3), "steps": 30, "seeds": 2},
}


@cache
def ran(name, **changes):
    scenario = registry.find(name)
    run = importlib.import_module(f"{scenario.package}.run")
    settings = replace(scenario.settings(), **{**SMALL[name], **changes})
    return settings, [(cell, run.run_cell(cell)) for cell in run.cells(settings)], run


def rows_of(name, **changes):
    settings, results, run = ran(name, **changes)
    return {(row.quantity, row.condition): row for row in run.table(settings, results)}


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_has_the_same_answer_again_and_a_picture_is_drawn(name):
    settings, results, run = ran(name)
    cell, result = results[-1]
    assert run.run_cell(cell) == result
    plot = importlib.import_module(f"{registry.find(name).package}.plot")
    (figure,) = plot.figures(settings, results).values()
    figure.canvas.draw()
    assert figure.axes


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_named_once_and_what_is_uncertain_says_how_much(name):
    settings, results, run = ran(name)
    rows = run.table(settings, results)
    assert len({(row.quantity, row.condition) for row in rows}) == len(rows)
    assert all(row.uncertainty >= 0 for row in rows)


def test_the_story_of_the_keys_comes_out_as_told():
    rows = rows_of("reward-hacking")
    answers = {row.quantity: row.ours for row in rows.values()}
    assert answers["least weight of the keys with which they are taken: full mixture (AIXI)"] == 0.75
    assert answers["the standard agent"] == "takes"
    assert answers["the pessimistic agent"] == "leaves"
    left = [
        row.ours for (quantity, condition), row in rows.items() if "leaves them" in quantity and "β=0.9" in condition
    ]
    assert left == [0.75]


def test_on_the_cliffs_the_careless_fall_and_the_pessimist_lives_like_its_mentor():
    _, results, run = ran("conservative-vs-standard", steps=60)
    by_agent = {(run.label(cell), cell.truth): result for cell, result in results}
    assert by_agent["most likely model", "deadly"]["fell"] == [1.0, 1.0]
    assert by_agent["pessimistic, β=0", "deadly"]["fell"] == [1.0, 1.0]
    cautious, mentor = by_agent["pessimistic, β=0.99", "deadly"], by_agent["mentor alone", "deadly"]
    assert cautious["fell"] == cautious["first"] == [0.0, 0.0]
    assert np.mean(cautious["reward"]) == pytest.approx(np.mean(mentor["reward"]), rel=0.05)
    assert 0 < max(cautious["queries"]) < 60
    assert mentor["queries"] == [60.0, 60.0]


def test_the_claims_of_the_results_hold_on_small_settings():
    claims = {
        "mentor-level": ("value at the last step", "at least the mentor's"),
        "query-decay": ("deferring, exact plan", "falls"),
        "precedent": ("bound on being first", "holds"),
    }
    for name, (quantity, expected) in claims.items():
        (found,) = [row.ours for row in rows_of(name).values() if row.quantity == quantity]
        assert found == expected


def test_a_broken_bound_would_be_seen():
    settings, results, run = ran("precedent")
    (cell, result), *_ = [pair for pair in results if pair[0].beta == 0.98]
    broken = {**result, "agent": 10**6, "stayed": 0, "weight": 1.0, "twin_weight": 1.0}
    verdicts = {row.quantity: row.ours for row in run.table(settings, [*results, (replace(cell, lives=10**6), broken)])}
    assert verdicts["bound on being first"] == verdicts["bound on the truth staying"] == "broken"


def test_a_claim_that_fails_is_shown_as_such():
    settings, results, run = ran("mentor-level")
    worse = [(cell, {**result, "above": [[-0.5, -0.4, -0.6]] * 2}) for cell, result in results]
    (verdict,) = [row.ours for row in run.table(settings, worse) if row.quantity == "value at the last step"]
    assert verdict == "below the mentor's"
    settings, results, run = ran("query-decay")
    always = [(cell, {"queries": [[4, 4, 8, 16]]}) for cell, _ in results]
    (verdict,) = [row.ours for row in run.table(settings, always) if row.quantity == "deferring, exact plan"]
    assert verdict == "does not fall"


def test_the_agent_collects_what_its_rewards_say():
    assert apprenticeship.realised([0.0, 1.0, 0.5, 1.0], 1, 0.5, 2) == pytest.approx(0.5 * (1.0 + 0.25))


def test_windows_double_and_end_with_the_last_step():
    from scenarios.conservatism.query_decay.run import windows

    assert windows(32) == [(0, 4), (4, 8), (8, 16), (16, 32)]
    assert windows(40) == [(0, 4), (4, 8), (8, 16), (16, 32), (32, 40)]


def test_the_class_of_cliffs_weighs_each_suspect_apart():
    world = cliff_world(3, 0.1, 0.95, 40)
    assert len(world.models) == len(world.policies) == 8
    assert world.models.prior[0] == pytest.approx(0.9**3)
    assert world.models.prior[5] == pytest.approx(0.9 * 0.1**2)
    assert world.models.names[5] == "cliffs at ac"
    assert truth_of(np.random.default_rng(0), 3, deadly=False) == 0
    assert {truth_of(np.random.default_rng(seed), 3, deadly=True) for seed in range(20)} == {1, 2, 4}


def test_more_suspects_than_there_are_are_refused():
    with pytest.raises(SettingError, match="expected numbers from 1 to 10"):
        ran("wide-class", suspects=(11,))


def test_intervals_are_clopper_and_pearsons():
    assert interval(0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert interval(10, 10) == (pytest.approx(0.025**0.1), 1.0)
    low, high = interval(5, 10)
    assert (low, high) == (pytest.approx(0.1871, abs=1e-4), pytest.approx(0.8129, abs=1e-4))


def test_means_and_errors():
    assert mean_and_error([1.0]) == (1.0, 0.0)
    assert mean_and_error([0.0, 2.0]) == (1.0, pytest.approx(1.0))
    assert standard_error(1, 4) == pytest.approx(np.sqrt(0.1875 / 4))
