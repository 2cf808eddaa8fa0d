"""The conjectures as scenarios: what is claimed, against plain computations, and controls that fail the claims."""

from dataclasses import replace
from statistics import fmean

import pytest

from extenv import run
from extenv.formal import interact, reality_check, rewards
from extenv.reality_checks import reality_check as practical_check
from multislot.agents import QLearner
from multislot.statistics import UNDECIDED
from scenarios.self_reflection import fooled_reality_check as fooled
from scenarios.self_reflection import formal_battery as battery
from scenarios.self_reflection.fooled_reality_check import Settings as FooledSettings
from scenarios.self_reflection.formal_battery import Settings as BatterySettings
from scenarios.self_reflection.formal_battery.examples import EXAMPLES, HANDICAPS
from scenarios.self_reflection.measuring import GAINS, LOSES, NOTHING, AgentCell, agent_cells, effect
from tests.scenarios.conftest import finished
from tests.twins.formal import trained


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_what_a_cell_earns_is_what_the_definitions_pay(example, checked):
    """The experiment gives the rewards of definition 10, for an agent that is trained again for each prompt."""
    agent = trained(QLearner, 2)
    agent = reality_check(agent) if checked else agent
    paid = rewards(interact(agent, EXAMPLES[example].environment, 10))[1:]
    assert battery.run_cell(AgentCell("RC(Q)" if checked else "Q", 9, 2, example))["reward"] == pytest.approx(
        sum(paid) / 9
    )


def test_the_conjecture_fails_on_backward_consciousness_and_so_does_the_reality_check():
    found = {
        name: fmean(
            battery.run_cell(AgentCell(name, 100, seed, "3 backward consciousness"))["reward"] for seed in (1, 2, 3, 4)
        )
        for name in ("Q", "RC(Q)")
    }
    assert found["Q"] == pytest.approx(0.97, abs=0.02)
    assert found["RC(Q)"] == pytest.approx(0.86, abs=0.05)


def test_controls_refute_what_is_said_of_the_learner():
    settings = BatterySettings(agents=("Constant",), steps=8, seeds=2)
    results = finished(battery, settings)
    controls = [row for row in battery.table(settings, results) if row.kind == "control"]
    assert {row.ours for row in controls} == {battery.WELL, NOTHING}
    assert all(row.ours == row.paper for row in controls)


def test_the_story_names_the_bounded_examples_in_which_the_learner_earns_at_least_halfway():
    settings = BatterySettings(agents=("Q",), steps=8, seeds=2)
    good = list(EXAMPLES)[::2]
    earned = {name: one.halfway + (0.1 if name in good else -0.1) for name, one in EXAMPLES.items()}
    off = {"Q": 0.0, "RC(Q)": 0.25}
    results = [
        (cell, {"reward": earned[cell.where] + off.get(cell.agent, 0) + (0.05 if cell.seed == 1 else -0.05)})
        for cell in battery.cells(settings)
    ]
    well = [name for name, one in EXAMPLES.items() if name in good and one.right is not None]
    assert 0 < len(well) < len(good)
    backward = earned["3 backward consciousness"]
    assert battery.story(settings, results) == (
        f"A lifted Q-learner earns {backward:.2f} a turn in Backward Consciousness and its reality check "
        f"{backward + 0.25:.2f}. It does well, against the conjecture, in: {', '.join(well)}."
    )
    assert battery.story(replace(settings, agents=("Constant",)), results) == ""


@pytest.mark.parametrize("example", battery.WELL_DONE)
def test_where_a_learner_does_well_one_that_hashes_its_past_does_not(example):
    cells = agent_cells(("Q", battery.HASHING), 16, 6, where=(example,))
    results = [(cell, battery.run_cell(cell)) for cell in cells]
    claim, control = (battery.poor_row(results, example, agent, "") for agent in ("Q", battery.HASHING))
    assert (claim.kind, claim.paper, control.kind) == ("claim", battery.WELL, "control")
    assert control.ours == control.paper == battery.POORLY


@pytest.mark.parametrize("example", battery.CONTROLS[battery.TOLD])
def test_who_must_recognize_itself_does_well_if_it_is_told_the_answers_and_not_in_another_example(example):
    cell = AgentCell(battery.TOLD, 16, 1, where=example)
    control = battery.poor_row([(cell, battery.run_cell(cell))] * 2, example, battery.TOLD, "")
    assert (control.kind, control.ours, control.paper) == ("control", battery.WELL, battery.WELL)
    told = battery.tell_answers(battery.EXAMPLES["12 clustering"].environment, 16)
    elsewhere = battery.rewards(battery.interact(told, battery.EXAMPLES[example].environment, 17))[1:]
    assert (sum(elsewhere) / 16 > battery.EXAMPLES[example].halfway) == (example == "12 clustering")


def test_a_handicap_costs_a_learner_and_the_neutral_one_nothing():
    """Example 6; if every handicap approved of everything, each claim would fail."""
    settings = BatterySettings(agents=("Constant", "Q"), steps=20, seeds=6)
    cells = [cell for cell in battery.cells(settings) if cell.where in HANDICAPS and cell.agent in settings.agents]
    results = [(cell, battery.run_cell(cell)) for cell in cells]
    hindered = [name for name in HANDICAPS if name != battery.UNHINDERED]
    costs = {name: battery.handicap_row(results, name, "Q", "").ours for name in hindered}
    assert costs["6 ignoring rewards"] == costs["6 incentive to incentivize"] == LOSES
    assert {battery.handicap_row(results, name, "Constant", "").ours for name in hindered} == {NOTHING}
    neutral = {(cell.agent, cell.seed): result for cell, result in results if cell.where == battery.UNHINDERED}
    broken = [(cell, neutral[cell.agent, cell.seed]) for cell in cells]
    assert {battery.handicap_row(broken, name, "Q", "").ours for name in hindered} == {NOTHING}


def test_gains_and_losses_are_said_only_where_the_seeds_decide_them():
    assert effect([0.1, 0.2, 0.15]) == GAINS
    assert effect([-0.1, -0.2, -0.15]) == LOSES
    assert effect([0.0, 0.0]) == NOTHING
    assert effect([0.1, -0.1]) == effect([0.3]) == UNDECIDED


SETTINGS = FooledSettings(agents=("Q",), steps=600, seeds=4)


@pytest.fixture(scope="module")
def results():
    return finished(fooled, SETTINGS)


def rows_of(results, kind):
    return [row for row in fooled.table(SETTINGS, results) if row.kind == kind]


def test_the_check_loses_where_freezing_is_punished_and_example_3_collapses(results):
    assert [row.ours for row in rows_of(results, "claim")] == [fooled.ONLY_THE_FIRST, LOSES]
    expected = fmean(
        run("PunishRealityCheck", practical_check(QLearner), steps=600, seed=1, opposite=opposite).mean_reward
        for opposite in (False, True)
    )
    assert fooled.numbers(results, fooled.PUNISHED, "RC(Q)", "mean")[0] == pytest.approx(expected)


def test_the_controls_are_caught(results):
    """Without a check nothing collapses; lessons that it could have lived, and agents without change, cost nothing."""
    assert {row.ours for row in rows_of(results, "control")} == {fooled.OTHERS, NOTHING}
    assert all(row.ours == row.paper for row in rows_of(results, "control"))


def test_a_claim_that_does_not_hold_is_not_said_to_hold(results):
    """A mutant: the two are swapped, so that the check gains and the agent without it collapses."""
    others = {"Q": "RC(Q)", "Constant": "RC(Constant)"}
    others |= {checked: plain for plain, checked in others.items()}
    swapped = [(replace(cell, agent=others[cell.agent]), result) for cell, result in results]
    assert all(row.ours != row.paper for row in rows_of(swapped, "claim"))


def test_after_the_collapse_nothing_but_the_first_action_is_paid(results):
    assert set(fooled.numbers(results, fooled.COLLAPSE, "RC(Q)", "first action only")) == {1.0}
    assert max(fooled.numbers(results, fooled.COLLAPSE, "Q", "first action only")) < 1.0
