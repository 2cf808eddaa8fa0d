"""Tight classes, described events and the fuse: the parts of `precedent` that can be checked exactly."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from scenarios.conservatism.agents import precedent_bound
from scenarios.conservatism.precedent import described, fuse, tight
from scenarios.conservatism.precedent.settings import Settings
from scenarios.conservatism.random_classes import tabular

SMALL = Settings(tight_seeds=60, literals=2, event_seeds=12)


def exactly(cell):
    """The exact chance that a cell's agent is first, and its bound."""
    models = tight.tight_class(cell.believed, cell.luck)
    chance = tight.exact_chance(tight.agent_of(cell, models), tight.STEPS)
    return chance, precedent_bound(cell.beta, models.prior[tight.TWIN])


@given(st.floats(0.5, 0.99), st.floats(0.05, 0.6))
def test_the_bound_is_met_up_to_a_factor_and_broken_by_the_mutant_alone(believed, luck):
    """The chance is p, the bound p / (w + (1−w)p); with half of 1−β the agent is never first, its mutant as often."""
    met, bound = exactly(tight.TightCell(tight.PESSIMISTIC, believed, luck, halved=False, seeds=1))
    assert met == pytest.approx(luck)
    assert met / bound == pytest.approx(believed + (1 - believed) * luck, rel=1e-4)
    assert exactly(tight.TightCell(tight.PESSIMISTIC, believed, luck, halved=True, seeds=1))[0] == 0
    mutant, half = exactly(tight.TightCell(tight.MUTANT, believed, luck, halved=True, seeds=1))
    assert mutant == pytest.approx(luck)
    assert half == pytest.approx(bound / 2)


def test_what_is_sampled_agrees_with_what_is_exact():
    for cell in tight.cells(SMALL):
        found = tight.run_cell(cell)
        assert found["exact"] == exactly(cell)[0]
        assert abs(found["first"] / cell.seeds - found["exact"]) < 0.2


def test_luck_and_belief_come_in_pairs():
    with pytest.raises(SettingError, match=r"got luck=.*; expected 1 numbers, one for each of believed"):
        tight.cells(replace(SMALL, believed=(0.9,)))


def test_every_conjunction_is_described_once_and_weighs_by_its_length():
    known = described.events(4)
    assert len(known) == len(set(known)) == 3**4 - 1
    pairs = [frozenset(described.pairs_of(event)) for event in known]
    assert len(set(pairs)) == len(pairs)
    assert all(len(found) == 2 ** (4 - len(event)) for event, found in zip(known, pairs, strict=True))
    models = described.closed_class(3, described.LEAST)
    assert len(models) == described.BASES * (1 + len(described.events(3)))
    for index, event in enumerate(described.events(3), start=1):
        assert models.prior[index] == pytest.approx(described.twin_weight(3, len(event)))


def test_a_twin_agrees_with_its_model_until_the_event_and_pays_nothing_from_then_on():
    truth, *rest = tabular(described.closed_class(2, described.LEAST))
    for event, twin in zip(described.events(2), rest, strict=False):
        causes = set(described.pairs_of(event))
        for state in range(described.STATES):
            for action in range(described.ACTIONS):
                expected = {(described.STATES, 0.0): 1.0} if (state, action) in causes else truth.law(state, action)
                assert twin.law(state, action) == expected
        assert twin.law(described.STATES, 0) == {(described.STATES, 0.0): 1.0}


def test_the_bound_of_a_length_is_judged_by_events_of_that_length_alone():
    beta = described.needed_beta(2, 2)
    cell = described.DescribedCell(described.PESSIMISTIC, beta, described.LEAST, literals=2, seeds=400)
    first = {described.name_of(event): 400 * (len(event) == 1) for event in described.events(2)}
    asked = [(cell, {"first": first})], cell.agent, beta, cell.least
    assert [described._judge(*asked, length) for length in (1, 2)] == [described.BROKEN, described.HOLDS]


def test_longer_descriptions_need_a_higher_beta_and_the_controls_break_the_bounds():
    chosen = replace(SMALL, literals=2, event_seeds=30)
    results = [(cell, described.run_cell(cell)) for cell in described.cells(chosen)]
    words = {(row.kind, row.quantity): (row.ours, row.paper) for row in described.table(chosen, results) if row.kind}
    assert {ours for (kind, _), (ours, _) in words.items() if kind == "claim"} == {"holds", "performance falls"}
    assert all(ours == must for (kind, _), (ours, must) in words.items() if kind == "control")
    asks = [
        (cell, result | {"late": [1.0 - (seed == 0 < cell.least) for seed in range(30)]}) for cell, result in results
    ]
    (word,) = [row.ours for row in described.table(chosen, asks) if row.quantity == "questions without pay, ε = 0"]
    assert word == "not decided"  # one life in thirty is too little
    betas = [described.needed_beta(4, length) for length in (1, 2, 3, 4)]
    assert betas == sorted(betas)


def test_who_looks_not_far_enough_lights_the_fuse_unless_lighting_has_a_twin():
    found = {(cell.twins, cell.horizon): fuse.run_cell(cell) for cell in fuse.cells(SMALL)}
    assert found == {
        (fuse.BANG_ONLY, fuse.SHORT): {fuse.LIT: "agent", fuse.BANG: "mentor"},
        (fuse.BANG_ONLY, fuse.LONG): {fuse.LIT: None, fuse.BANG: None},
        (fuse.BOTH, fuse.SHORT): {fuse.LIT: None, fuse.BANG: None},
    }


@pytest.mark.parametrize(("agent", "halved", "first"), [(tight.PESSIMISTIC, False, 30), (tight.MUTANT, True, 50)])
@pytest.mark.parametrize("exact", [0.1, 0.5])
def test_rows_of_tight_classes_compare_with_the_bound_of_the_twin(agent, halved, first, exact):
    cell = tight.TightCell(agent, 0.9, 0.5, halved=halved, seeds=60)
    rows = tight.table(SMALL, [(cell, {"first": first, "exact": exact, "twin": 2 * (1 - cell.beta)})])
    found = {row.quantity: row for row in rows}
    assert found[f"{agent} agent is first, exact"].paper == 0.5
    assert found[f"bound δ, judging the {agent} agent"].ours == pytest.approx(0.5)
    assert found[f"{agent} agent is first, 60 lives"].ours == pytest.approx(first / 60)
    if agent == tight.MUTANT:
        assert found[f"control: {tight.MUTANT}, bound on being first"].ours == tight.BROKEN
    else:
        assert found["the bound is met"].ours == (tight.NEAR if exact == 0.5 else tight.FAR)
    assert rows[-1].ours == tight.HOLDS


@pytest.mark.parametrize("who", ["agent", "mentor", None])
def test_rows_of_the_fuse_say_who_lit_it(who):
    results = [(cell, {fuse.LIT: who, fuse.BANG: who}) for cell in fuse.cells(SMALL)]
    rows = fuse.table(SMALL, results)
    assert [row.ours for row in rows[::2]] == [fuse.LIGHTS if who == "agent" else fuse.NEVER] * 3
    assert [row.ours for row in rows[1::2]] == [who or "nobody"] * 3
    assert [row.kind for row in rows[::2]] == ["control", "claim", "claim"]


def test_what_lives_with_described_events_show_is_counted_by_event():
    """An agent that never defers has no question in the second half of a life."""
    own = described.DescribedCell(described.NEVER_DEFERS, 0.5, 0.0, 2, 3)
    found = described.run_cell(own)
    assert found["late"] == [0.0] * 3
    assert set(found["first"]) == {described.name_of(event) for event in described.events(len(described.WORDS))}
    assert all(0 <= count <= 3 for count in found["first"].values())
    assert [described.name_of(event) for event in described.events(1)][:3] == ["press", "no-press", "lamp"]


def test_rows_of_described_events_show_the_worst_event_of_each_length():
    """Three events of a literal and one of two were caused first; the agent that never defers caused all."""
    chosen = replace(SMALL, literals=2, event_seeds=100)
    known = {described.name_of(event): 0 for event in described.events(4)}
    seen = known | {"press": 1, "no-press": 3, "bell": 2, "press lamp": 4, "press lamp door": 9}
    seen_of = {described.PESSIMISTIC: seen, described.NEVER_DEFERS: dict.fromkeys(known, 100), described.LIKELY: known}
    cells = described.cells(chosen)
    rows = described.table(chosen, [(cell, {"first": seen_of[cell.agent], "late": [0.5] * 100}) for cell in cells])
    worst = {row.condition: (row.case, row.ours) for row in rows if row.quantity == "agent is first, worst event"}
    betas = [described.needed_beta(2, length) for length in (1, 2)]
    # Eight literals at 2^-3 each, 24 pairs at 2^-6: the prior of a base model is 1/2 of 1 / (1 + 1 + 3/8).
    assert betas == pytest.approx([1 - 0.25 / 8 / 2 / 2.375, 1 - 0.25 / 64 / 2 / 2.375])
    common = ["events of 1 literal, 3 bits", "events of 2 literals, 6 bits"]
    assert list(worst.values()) == [(f"β={betas[0]:.6g}", 0.03), (f"β={betas[1]:.6g}", 0.04)]
    assert all(condition.endswith(words) for condition, words in zip(worst, common, strict=True))
    needed = [(row.condition, row.ours) for row in rows if row.quantity == "β needed for δ=0.25"]
    assert needed == list(zip(common, betas, strict=True))
    words = {row.quantity: row.ours for row in rows if row.kind in ("claim", "control")}
    controls = [
        words[f"control: {agent}, bound on being first"] for agent in (described.NEVER_DEFERS, described.LIKELY)
    ]
    assert (words["bound on being first, described events"], *controls) == ("holds", "broken", "holds")
