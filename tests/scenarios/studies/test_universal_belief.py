"""The conflict inside the paper is computed, and a rule or a world that is broken is seen."""

from fractions import Fraction

import pytest

from multislot.exact.mixture.thirders_and_halfers import POSTERIORS, Exists, Sequential
from scenarios.lab.table import beside_papers
from scenarios.studies import universal_belief
from scenarios.studies.universal_belief import Settings
from tests.scenarios.conftest import finished

SMALL = Settings(steps=3, bets=3)


def rows(settings=SMALL):
    return beside_papers(universal_belief.table(settings, finished(universal_belief, settings)), [])


@pytest.mark.parametrize(
    "asked",
    [
        SMALL,
        Settings(steps=5),
        Settings(steps=1, bets=1, stake=Fraction(0)),
        Settings(steps=2, bets=2, stake=Fraction(9)),
    ],
)
def test_everything_agrees_at_any_setting(asked):
    assert all(row.agrees for row in rows(asked) if row.kind != "measured")


@pytest.mark.parametrize(("value", "worlds"), [("sta", 1), ("cpy", 2)])
def test_after_a_one_a_bet_is_worth_what_a_coin_pays(value, worlds):
    assert universal_belief.worth_of_bet((0, 1), value, Fraction(9)) == Fraction(worlds, 3) / 4 * (1 - 9) / 2


def test_a_rule_that_forgets_the_past_is_refused_by_equation_2(monkeypatch):
    """With `exists` under the name of `sequential`, the claim on equation (2) and the formulas fail."""
    monkeypatch.setitem(POSTERIORS, "sequential", Exists)
    broken = {row.quantity for row in rows() if row.case == "sequential" and row.agrees is False}
    assert "what the rule does is the maximum of equation 2" in broken
    assert "weight of the universal world" in broken


def test_a_control_that_passes_is_seen(monkeypatch):
    monkeypatch.setitem(POSTERIORS, "count", Sequential)
    (control,) = [row for row in rows() if row.case == "count" and row.quantity.startswith("what the rule does")]
    assert (control.kind, control.agrees) == ("control", False)
