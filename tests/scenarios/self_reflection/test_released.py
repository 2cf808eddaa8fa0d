"""The released totals, and which totals are counted as equal to them."""

from statistics import fmean

import pytest

from extenv import BATTERY
from extenv.measuring.measurement import Measurement, Score
from scenarios.lab.table import read_expected
from scenarios.self_reflection import released_totals
from scenarios.self_reflection.measuring import AgentCell, met
from scenarios.self_reflection.released import released_rows, totals_as_released
from scenarios.self_reflection.released_totals import total_row
from tests.build import ROOT

STEPS = 100_000


def released_mean(agent):
    cells = [values for (name, _, _), values in totals_as_released().items() if name == agent]
    return fmean(fmean(values.values()) for values in cells) / STEPS


def test_their_means_are_the_cells_of_the_papers_table_2():
    cells = read_expected(ROOT / "scenarios/self_reflection/self_reflection.csv")
    printed = {row.condition.split(",")[0]: float(row.paper) for row in cells if "measure" in row.quantity}
    assert printed.pop("RC(Simple)") == 0.7146  # one of its runs is missing
    assert len(printed) == 13
    assert {name: round(released_mean(name), 4) for name in printed} == printed


def test_every_environment_of_the_battery_is_there_with_its_opposite_and_one_row_is_missing():
    cells = totals_as_released()
    assert {environment for _, environment, _ in cells} == set(BATTERY)
    assert len(cells) == 16 * 50
    missing = [cell for cell, values in cells.items() if len(values) < 5]
    assert missing == [("RC(Simple)", "NthRewardMultipliedByN", True)]


def measurement(values, agent="A2C", environment="FalseMemories", steps=STEPS):
    scores = [Score(environment, False, seed, total, total / steps) for seed, total in values.items()]
    return Measurement(agent, steps, tuple(scores), {environment: 1.0})


def test_only_totals_of_released_runs_are_counted_as_equal():
    released = totals_as_released()["A2C", "FalseMemories", False]
    (row,) = released_rows(measurement(released | {6: 1.0}), "here")
    assert (row.quantity, row.ours) == ("released totals met to the last digit, of 5", 5)
    (row,) = released_rows(measurement(released | {2: released[2] + 1}), "here")
    assert row.ours == 4


def test_other_steps_and_other_agents_are_not_compared():
    released = totals_as_released()["A2C", "FalseMemories", False]
    assert released_rows(measurement(released, steps=500), "here") == []
    assert released_rows(measurement(released, agent="Mine"), "here") == []


def test_numpy_integers_meet_the_slip():
    assert met("A2C", "SelfRecognition") == met("PPO", "SelfRecognition") == "SelfRecognitionAsReleased"
    assert met("DQN", "SelfRecognition") == met("Q", "SelfRecognition") == "SelfRecognition"
    assert met("A2C", "FalseMemories") == "FalseMemories"


@pytest.mark.parametrize(
    ("agent", "off", "agrees"),
    [("DQN", 0, True), ("DQN", 2, False), ("A2C", 1990, True), ("A2C", 2010, False), ("PPO", 1990, True)],
)
def test_a_total_stands_next_to_the_released_one(agent, off, agrees):
    released = totals_as_released()[agent, "FalseMemories", False][1]
    row = total_row(AgentCell(agent, STEPS, 1, trainer="one_hot"), "FalseMemories", False, released + off)
    assert row.paper == released
    assert (abs(row.ours - row.paper) <= row.tolerance) is agrees


@pytest.mark.parametrize("off", [0, 1])
def test_rows_of_released_totals_are_compared_to_the_last_digit(off):
    settings = released_totals.Settings(agents=("DQN",), environments=("FalseMemories",))
    cells = [cell for cell in released_totals.cells(settings) if not cell.agent.startswith("RC")]
    released = [totals_as_released()["DQN", "FalseMemories", opposite][1] + off for opposite in (False, True)]
    results = [(cell, {"FalseMemories": released if cell.agent == "DQN" else [0, 1]}) for cell in cells]
    rows = {row.quantity: row for row in released_totals.table(settings, results)}
    assert rows["total reward over 100000 steps"].agrees is (not off)
    assert rows["control: a random agent's totals"].condition == (
        "in place of DQN, 2 totals, 0 of them within the tolerance"
    )
    assert released_totals.story(settings, results).startswith(f"{2 - 2 * off} of 2 totals are")
    assert {cell.agent for cell in cells} == {"DQN", "Random"}
