"""Caution about being copied: who steps in, who asks, and after how many arrivals."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import ModelClass
from multislot.errors import SettingError
from scenarios.anthropics import cautious_teleporter as scenario
from scenarios.anthropics.cautious_teleporter import AWAY, HOME, QUICK, STEP_IN

SMALL = replace(QUICK, seeds=4, betas=(0.0, 0.9), steps=25)


@pytest.fixture(scope="module")
def results():
    return [(cell, scenario.run_cell(cell)) for cell in scenario.cells(SMALL)]


def test_the_story_comes_out_as_told(results):
    by = {(c.value, c.agent, c.beta, c.mentor): result for c, result in results if c.true == "moves"}
    for mentor in scenario.MENTORS:
        for agent in (scenario.MIXTURE, scenario.LIKELY):
            assert by["cpy", agent, 0.0, mentor]["first"] == ["agent"]
        assert all(set(by["sta", *rest]["first"]) == {"nobody"} for value, *rest in by if value == "sta")
    assert by["cpy", scenario.PESSIMISTIC, 0.9, "never travels"]["first"] == ["nobody"] * 4
    traveled = by["cpy", scenario.PESSIMISTIC, 0.9, "travels"]
    assert (traveled["first"], traveled["trips"]) == (["mentor"] * 4, [3] * 4)
    assert min(traveled["questions"]) >= 3


def test_the_ledger_says_who_made_the_first_copy(results):
    """A booth that moves makes none; where it copies, each arrival of a mentor who travels was the mentor's doing."""
    by = {(c.true, c.value, c.agent, c.beta, c.mentor): result["first copy"] for c, result in results}
    assert {who for (true, *_), first in by.items() if true == "moves" for who in first} == {scenario.NOBODY}
    for mentor in scenario.MENTORS:
        assert by["copies", "cpy", scenario.MIXTURE, 0.0, mentor] == ["agent"]
    assert by["copies", "cpy", scenario.PESSIMISTIC, 0.9, "travels"] == ["mentor"] * 4
    assert by["copies", "cpy", scenario.PESSIMISTIC, 0.9, "never travels"] == ["nobody"] * 4


def test_claims_wait_for_enough_lives_and_controls_are_caught(results):
    rows = scenario.table(SMALL, results)
    words = {row.quantity: (row.ours, row.paper) for row in rows if row.kind}
    assert words["agents that follow the slot"][0] == "stays at home"
    assert all(ours == must for name, (ours, must) in words.items() if name.startswith("control"))
    evidence = [(row.ours, row.paper) for row in rows if row.quantity == scenario.TRIPS]
    assert evidence == [(0, 0), (3, 3)]
    many = replace(SMALL, seeds=40)
    for event, does in (("first", "step in"), ("first copy", "make a copy")):
        always = [
            (replace(cell, settings=many), {**result, event: ["agent"] * 40}) if cell.beta == 0.9 else (cell, result)
            for cell, result in results
        ]
        rows = scenario.table(SMALL, always)
        assert {row.ours for row in rows if row.quantity == f"bound on being first to {does}"} == {"broken"}


@given(st.floats(0, 0.999), st.floats(0.2, 0.6), st.floats(0.05, 0.3))
def test_the_evidence_that_is_needed_is_what_bayes_says(beta, moves, copies):
    """Followed by the posterior itself, arrival by arrival."""
    prior = (moves, copies, 1 - moves - copies)
    models = scenario.booth_class("cpy", (0.3, 0.6), (0.5, 0.3, 0.2))
    posterior = ModelClass(models.models, prior).posterior()
    arrivals = 0
    while posterior.top_set(beta) != (0,):
        posterior.observe(STEP_IN, (AWAY, 0.6))
        posterior.observe(0, (HOME, 0.3))
        arrivals += 1
    assert abs(arrivals - scenario.evidence_needed(beta, prior)) <= (abs(moves - beta) < 1e-6)


def test_where_a_trip_pays_even_for_copies_no_evidence_is_foretold():
    rich = replace(SMALL, away=1.0, betas=(0.9,), seeds=2)
    assert scenario.knows(rich, "cpy", "copies") == "step in"
    rows = scenario.table(rich, [(cell, scenario.run_cell(cell)) for cell in scenario.cells(rich)])
    assert all(row.paper is None for row in rows if row.quantity == scenario.TRIPS)


def test_a_prior_that_leaves_nothing_for_deletion_is_refused():
    with pytest.raises(SettingError, match=r"got copies=0\.5; expected less than 1 − moves"):
        scenario.cells(replace(SMALL, copies=0.5))


def test_a_picture_is_drawn(results):
    (figure,) = scenario.figures(SMALL, results).values()
    figure.canvas.draw()
    assert any(axes.has_data() for axes in figure.axes)
