"""Chance is counted twice by the copy-centered value, and a value that counts otherwise is seen."""

from fractions import Fraction

import pytest

from multislot.exact import CopyCentered, FirstCopy, action_values, plan_for_copies
from scenarios.lab.table import beside_papers
from scenarios.studies import lottery
from scenarios.studies.lottery import Drift, OutcomeByOutcome, Settings, figures
from tests.scenarios.identity.test_decisions import as_read_back

SMALL = Settings(rooms=3, drift=3, horizon=2)


def finished(settings):
    return [(cell, as_read_back(lottery.run_cell(cell))) for cell in lottery.cells(settings)]


def rows(settings=SMALL):
    return beside_papers(lottery.table(settings, finished(settings)), [])


@pytest.mark.parametrize(
    "asked",
    [
        SMALL,
        Settings(n=2, r=Fraction(1, 3), r_s=Fraction(4), rooms=2),
        Settings(discount=Fraction(0), horizon=1, drift=1),
    ],
)
def test_everything_agrees_at_any_setting(asked):
    assert all(row.agrees for row in rows(asked))


def test_ten_rewards_are_worth_less_than_one():
    drift = Drift()
    assert action_values(drift, "cpy", discount=1, horizon=10)["wait"] == Fraction(1023, 1024)
    assert lottery.rewards_received(10) == 10


def test_one_share_an_outcome_is_the_average_over_the_living():
    """The weight 1/|c| outcome by outcome is the plan for one's copies with α = 0 where no copy is copied again."""
    kernel = lottery.lottery_world(SMALL)
    plan = plan_for_copies(kernel, caring=0, discount=SMALL.discount, horizon=SMALL.horizon)
    ours = action_values(kernel, OutcomeByOutcome(), discount=SMALL.discount, horizon=SMALL.horizon)
    assert dict(plan.action_values) == dict(ours)


def test_a_value_that_counts_chance_twice_under_another_name_is_refused(monkeypatch):
    monkeypatch.setattr(lottery, "OutcomeByOutcome", CopyCentered)
    broken = {(row.quantity, row.case) for row in rows() if row.agrees is False}
    assert ("the worth and what is received", "outcome by outcome") in broken
    assert ("worth of drawing", "outcome by outcome") in broken


def test_a_control_that_passes_is_seen(monkeypatch):
    monkeypatch.setattr(lottery, "find_value", lambda name: FirstCopy())
    broken = [row for row in rows() if row.kind == "control" and row.agrees is False]
    assert {row.case for row in broken} == {"copy-centered", "first copy"}


def test_the_picture_shows_what_the_cell_has_found(monkeypatch):
    results = finished(SMALL)
    monkeypatch.setattr(lottery, "turns_of", lambda name, settings: pytest.fail("the map is computed again"))
    (figure,) = figures(SMALL, results).values()
    (line,) = [line for line in figure.axes[0].get_lines() if line.get_label() == "copy-centered"]
    assert list(line.get_ydata()) == pytest.approx([2, 1, 2 / 3, 1 / 2])
