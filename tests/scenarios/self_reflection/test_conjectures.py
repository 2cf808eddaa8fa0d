"""The conjectures as scenarios: what is claimed, against plain computations, and controls that fail the claims."""

import pickle
from statistics import fmean

import pytest

from extenv.formal import interact, reality_check, rewards
from extenv.measuring.running import stored_streams
from multislot.agents import QLearner
from multislot.statistics import UNDECIDED
from scenarios.self_reflection import formal_battery as battery
from scenarios.self_reflection.formal_battery import Settings as BatterySettings
from scenarios.self_reflection.formal_battery.examples import (
    EXAMPLES,
    HANDICAPS,
    Modulo,
)
from scenarios.self_reflection.measuring import GAINS, LOSES, NOTHING, AgentCell, agent_cells, effect


def plainly_lifted(seed):
    """Return the formal agent of the Q-learner without any memory: all of the prompt is learned at every question."""
    stream = stored_streams(seed)[0]

    def agent(prompt):
        learner = Modulo(QLearner(64, 2, stream))
        for place in range(0, len(prompt) - 2, 3):
            _, seen, action, paid, following = prompt[place : place + 5]
            learner.learn(seen, action, float(paid), following)
        return learner.act(prompt[-1])

    return agent


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_what_a_cell_earns_is_what_the_definitions_pay(example, checked):
    """Definition 10 as printed and a lifted agent without memory, against the quick ones of the scenario."""
    agent = reality_check(plainly_lifted(2)) if checked else plainly_lifted(2)
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
    cells = pickle.loads(pickle.dumps(battery.cells(settings)))
    cells = [cell for cell in cells if cell.where in HANDICAPS and cell.agent in settings.agents]
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
