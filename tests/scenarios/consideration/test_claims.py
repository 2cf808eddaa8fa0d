"""The claims of formulations and avoid-ending can fail: what is broken is refused by the same tables."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import pytest

from considerate import criteria
from considerate.criteria import Criterion
from scenarios.consideration import avoid_ending, formulations
from scenarios.consideration.avoid_ending import Settings as Avoiding
from scenarios.consideration.formulations import Settings as Formulated
from scenarios.lab.table import beside_papers
from tests.scenarios.conftest import finished


def rows(run, settings):
    return beside_papers(run.table(settings, finished(run, settings)), [])


@dataclass(frozen=True)
class Spite(Criterion):
    """Equation 1 with the wrong sign."""

    def term(self, others, end, start):
        return -others.pooled.expect(lambda value: value(end)) * others.coefficient


def test_a_criterion_that_harms_fails_the_claim_of_one_trend(monkeypatch):
    settings = Formulated(tasks=("box", "garden"))
    judged = [row for row in rows(formulations, settings) if row.kind in ("claim", "control")]
    assert {row.ours for row in judged if not row.agrees} == {"not decided"}
    monkeypatch.setitem(criteria.CRITERIA, "worst", Spite)
    broken = [row for row in rows(formulations, settings) if row.agrees is False]
    assert [(row.quantity, row.ours) for row in broken] == [("tasks where the others' total falls as α grows", "box")]
    assert broken[0].condition == "equation 2, 2 tasks"


def test_a_control_that_is_not_caught_is_seen(monkeypatch):
    settings = Formulated(tasks=("box", "doll"))
    for broken in ("falls", "rises"):
        monkeypatch.setattr(formulations, broken, lambda result: False)
    found = [row for row in rows(formulations, settings) if row.condition.startswith(formulations.ILL_WILL)]
    assert [row.agrees for row in found] == [False, False]


LEFT_BEHIND = {
    f"{bed}, {patch}": (-3 - 2 * (bed == "spared") - watered, -6 * (bed == "trampled"), 6 * watered)
    for bed, (watered, patch) in product(("trampled", "spared"), enumerate(formulations.WATERED))
}
"""By what is left behind: the acting agent's own return, and what bed and patch are worth; counted by hand."""
TERMS = {
    ("neg", formulations.TO_ONE): lambda bed, patch: min(bed + patch, 0),
    ("neg", formulations.TO_TWO): lambda bed, patch: Fraction(min(bed, 0) + min(patch, 0), 2),
    ("value", formulations.TO_ONE): lambda bed, patch: bed + patch,
}
"""Equations 3 and 1, written out for the flower bed."""


@pytest.mark.parametrize("case", formulations.CASES)
def test_what_is_left_behind_is_the_best_of_all_six_ways(case):
    behaviors = formulations.run_case(*case)["behaviors"]
    for alpha in (Fraction(numerator, 12) for numerator in range(1, 60)):
        worth = {left: own + alpha * TERMS[case](bed, patch) for left, (own, bed, patch) in LEFT_BEHIND.items()}
        own, left = [(own, left) for lower, own, left in behaviors if lower <= alpha][-1]
        assert worth[left] == max(worth.values())
        assert own == LEFT_BEHIND[left][0]


@dataclass(frozen=True)
class CapOnTheSum(Criterion):
    """Equation 3 with the cap outside the expectation."""

    def term(self, others, end, start):
        expected = [others.pooled.expect(lambda value, state=state: value(state)) for state in (end, start)]
        return others.coefficient * min(expected)


@pytest.mark.parametrize(("broken", "kind"), [(Spite, "claim"), (CapOnTheSum, "control")])
def test_an_equation_3_that_is_another_one_is_seen(monkeypatch, broken, kind):
    bed = Formulated(tasks=("doll",))
    assert all(
        row.agrees for row in rows(formulations, bed) if row.condition.startswith(formulations.BED) and row.paper
    )
    monkeypatch.setitem(criteria.CRITERIA, "neg", broken)
    seen = [
        row.kind
        for row in rows(formulations, bed)
        if row.condition.startswith(formulations.BED) and row.agrees is False
    ]
    assert kind in seen


def test_each_condition_of_the_proposition_is_needed_somewhere():
    found = rows(avoid_ending, Avoiding())
    caught = {row.condition for row in found if row.kind == "control" and row.agrees}
    assert caught == {f"{condition.says}; leaving harms" for condition in avoid_ending.VIOLATED}
    assert all(row.agrees for row in found if row.agrees is not None)


def test_a_solver_that_always_ends_is_refused(monkeypatch):
    monkeypatch.setattr(avoid_ending, "ask_solver", lambda *arguments: avoid_ending.ENDS)
    assert sum(row.agrees is False for row in rows(avoid_ending, Avoiding())) >= len(avoid_ending.VIOLATED)


@pytest.mark.parametrize("condition", range(2))
def test_a_condition_that_is_not_violated_is_no_control(monkeypatch, condition):
    held = replace(avoid_ending.HELD[condition], says="nothing")
    monkeypatch.setattr(avoid_ending, "VIOLATED", (held,))
    monkeypatch.setattr(avoid_ending, "HELD", ())
    monkeypatch.setattr(avoid_ending, "CONDITIONS", (held,))
    control, *_ = rows(avoid_ending, Avoiding(harm=Fraction(5)))
    assert (control.kind, control.agrees) == ("control", False)


def test_what_others_get_is_summed_along_a_frontier():
    result = {"agents": ["me", "one", "two"], "pieces": [[0, ["1", "2", "3"]], [1, ["1/2", "5", "7"]]]}
    assert formulations.own_returns(result) == [1, Fraction(1, 2)]
    assert formulations.others_totals(result) == [5, 12]
