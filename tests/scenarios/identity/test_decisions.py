"""Exact decisions against the closed forms, and against numbers worked out by hand."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from scenarios.identity import blind_fork, copy, copy_delete, teleport, tree, universal
from scenarios.identity.offer import Mutant, Offer, label_of
from scenarios.lab import registry
from scenarios.lab.table import Row, beside_papers
from tests.scenarios.conftest import read_back

QUESTIONS = [blind_fork, copy, copy_delete, teleport, tree, universal]
REWARDS = st.fractions(0, 9, max_denominator=4)
SMALL = {"seeds": 1, "rounds": 8, "resolution": 2}


def named(module):
    return registry.find(module.__name__.split(".")[-1].replace("_", "-"))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.__name__.split(".")[-1])
@given(data=st.data())
def test_values_are_those_of_the_formulas(question, data):
    """Every reward, delay, discount and horizon, not only the scenario's own grid; no difference at all."""
    asked = named(question).settings()
    changes = {"discount": data.draw(st.fractions(0, 1, max_denominator=5)), "horizon": data.draw(st.integers(1, 5))}
    for name in ("r_s", "r_1", "r_2", "r_3", "r_b", "a", "b", "r", "p"):
        if isinstance(getattr(asked, name, None), Fraction):
            changes[name] = data.draw(REWARDS)
    for name, least in (("b", 0), ("d", 1)):
        if isinstance(getattr(asked, name, None), int):
            changes[name] = data.draw(st.integers(least, 4))
    offer = question.OFFER
    for agent in offer.agents:
        assert offer.values(agent, replace(asked, **changes)) == offer.expected(agent, replace(asked, **changes))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.__name__.split(".")[-1])
def test_every_expected_number_is_measured_and_agrees(question):
    """At the scenario's own settings, learners aside, and without one of them left over."""
    scenario = named(question)
    asked = scenario.settings(SMALL)
    cells = [cell for cell in scenario.cells(asked) if cell.part != "learner"]
    results = [(cell, read_back(scenario.run_cell(cell))) for cell in cells]
    rows = beside_papers(scenario.table(asked, results), scenario.expected)
    assert all(row.agrees for row in rows)
    measured = {(row.quantity, row.condition) for row in rows}
    full = {(one.quantity, one.condition) for one in scenario.expected if "200 environments" in one.condition}
    assert {(one.quantity, one.condition) for one in scenario.expected} - full <= measured


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.__name__.split(".")[-1])
def test_mutants_are_refused_by_the_formulas_and_the_value_itself_is_not(question):
    settings = named(question).settings(SMALL)
    words = [row.ours for row in question.OFFER.rows(settings) if row.kind == "control"]
    assert set(words) == {"refused"}
    assert len(words) >= 2
    harmless = replace(question.OFFER, mutants=(Mutant("nothing is wrong with it", "cpy", "cpy"),))
    assert [row.ours for row in harmless.rows(settings) if row.kind == "control"] == ["passes"]


@pytest.mark.parametrize(("question", "delay"), [(copy, "b"), (copy_delete, "d")])
def test_what_happens_after_the_end_is_refused_before_any_work(question, delay):
    scenario = named(question)
    assert scenario.cells(scenario.settings({delay: 3, "horizon": 3}))
    sentence = f"^{delay}=9 is beyond horizon=3, the number T of steps that count; give {delay} ≤ T$"
    with pytest.raises(SettingError, match=sentence):
        scenario.cells(scenario.settings({delay: 9, "horizon": 3}))


@pytest.mark.parametrize("question", QUESTIONS[:-1], ids=lambda one: one.__name__.split(".")[-1])
def test_the_lineage_follows_the_script_and_then_stays(question):
    trace = question.OFFER.lineage(replace(named(question).settings(), horizon=6))
    script = (*question.OFFER.script, *[0] * 6)
    assert [set(actions.values()) for actions in trace.actions] == [{act} for act in script[: trace.steps]]


def test_the_story_tells_the_lineage_the_learners_shares_and_the_moral(monkeypatch):
    rows = [Row("share", "the heir is the copy", 0.25, 0.0041), Row("share", "the heir is the original", 0.855, 0.0)]
    monkeypatch.setattr(Offer, "learner_rows", lambda offer, settings, results: rows)
    settings, offer = named(teleport).settings(), teleport.OFFER
    assert offer.story(settings, []) == (
        f"who is copied from whom, if the offer is accepted:\n{offer.lineage(settings).lineage.text()}\n\n"
        "share of Q-learners, exploring 30% of the time, that accept in the last quarter:\n"
        f"  0.2500 ± 0.0041 where the heir is the copy\n  0.855 where the heir is the original\n\n{offer.moral}"
    )


def test_an_area_is_called_after_those_who_accept_in_it():
    agents = [SimpleNamespace(name=name, kind=name.partition(", ")[0]) for name in ("A", "A, red", "B", "B, red")]
    called = {accepts: label_of(accepts, agents) for accepts in product((False, True), repeat=4)}
    assert len(set(called.values())) == 16
    assert called[True, True, True, True] == "everybody"
    assert called[False, False, False, False] == "nobody"
    assert called[True, True, False, False] == "A"
    assert called[True, False, True, False] == "A,\nB (plain)"
    assert called[True, True, False, True] == "A\nB (red)"
