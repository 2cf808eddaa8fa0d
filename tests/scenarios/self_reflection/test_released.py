"""The released totals and the two comparisons with them: to the last digit, and as samples with power said."""

from statistics import fmean

import numpy as np
import pytest

from extenv import BATTERY
from extenv.measurement import Measurement, Score
from multislot.statistics import UNDECIDED
from scenarios.self_reflection.measuring import met
from scenarios.self_reflection.released import (
    AGREES,
    DIFFERS,
    NONE,
    SHIFT,
    SOME,
    differ,
    released_cells,
    released_rows,
    totals_as_released,
)
from scenarios.self_reflection.released_totals.run import Cell, total_row

STEPS = 100_000


def released_mean(agent):
    cells = [values for (name, _, _), values in totals_as_released().items() if name == agent]
    return fmean(fmean(values.values()) for values in cells) / STEPS


def test_their_means_are_the_cells_of_the_papers_table_2():
    printed = {"DQN": 0.5174, "RC(DQN)": 0.6072, "A2C": 0.6145, "RC(A2C)": 0.6368, "PPO": 0.0696, "RC(PPO)": 0.3332}
    printed |= {"Q": 0.5395, "RC(Q)": 0.5720, "Simple": 0.7567, "Random": 0.0}
    assert {name: round(released_mean(name), 4) for name in printed} == printed


def test_every_environment_of_the_battery_is_there_with_its_opposite_and_one_row_is_missing():
    cells = totals_as_released()
    assert {environment for _, environment, _ in cells} == set(BATTERY)
    assert len(cells) == 16 * 50
    missing = [cell for cell, values in cells.items() if len(values) < 5]
    assert missing == [("RC(Simple)", "NthRewardMultipliedByN", True)]


def measurement(values, agent="A2C", environment="FalseMemories", steps=STEPS):
    scores = [Score(environment, False, seed, value * steps, value) for seed, value in values.items()]
    return Measurement(agent, steps, tuple(scores), {environment: 1.0})


def like_released(spread, shift=0.0, seeds=20, seed=0):
    """The released values for seeds 1 to 5, and others around their mean."""
    own = {s: t / STEPS for s, t in totals_as_released()["A2C", "FalseMemories", False].items()}
    noise = np.random.default_rng(seed).normal(fmean(own.values()) + shift, spread, seeds)
    return own | {s: float(noise[s - 1]) for s in range(6, seeds + 1)}


def test_a_cell_that_scatters_little_agrees_and_a_shift_of_a_fifth_is_caught():
    (cell,) = released_cells(measurement(like_released(0.001)))
    assert (cell.identical, cell.verdict(50)) == (5, AGREES)
    (shifted,) = released_cells(measurement(like_released(0.001, SHIFT)))
    assert shifted.verdict(50) == DIFFERS
    assert shifted.interval[0] > SHIFT / 2


def test_a_cell_that_scatters_widely_or_has_few_seeds_is_not_decided():
    (wide,) = released_cells(measurement(like_released(0.5)))
    (few,) = released_cells(measurement(like_released(0.001, seeds=8)))
    (none,) = released_cells(measurement(like_released(0.001, seeds=5)))
    assert [cell.verdict(50) for cell in (wide, few, none)] == [UNDECIDED] * 3


def test_false_alarms_stay_rare():
    """Twenty seeds of the released law itself: one of 50 cells differs in about 5% of tables."""
    draw = np.random.default_rng(1).normal
    alarms = [any(differ(draw(size=15).tolist(), draw(size=5).tolist(), 50) for _ in range(50)) for _ in range(40)]
    assert sum(alarms) <= 6


def test_rows_claim_that_none_differs_and_the_control_is_caught():
    rows = {row.quantity: row for row in released_rows(measurement(like_released(0.001)), "here")}
    claim, control = rows["cells that differ from the released ones"], rows["the same with 0.2 a step added here"]
    assert (claim.kind, claim.ours, claim.paper) == ("claim", NONE, NONE)
    assert (control.kind, control.ours, control.paper) == ("control", SOME, SOME)
    assert rows["released totals met to the last digit, of 5"].ours == 5


def test_other_steps_and_other_agents_are_not_compared():
    assert released_rows(measurement(like_released(0.1), steps=500), "here") == []
    assert released_rows(measurement(like_released(0.1), agent="Mine"), "here") == []


def test_numpy_integers_meet_the_slip():
    assert met("A2C", "SelfRecognition") == met("PPO", "SelfRecognition") == "SelfRecognitionAsReleased"
    assert met("DQN", "SelfRecognition") == met("Q", "SelfRecognition") == "SelfRecognition"
    assert met("A2C", "FalseMemories") == "FalseMemories"


@pytest.mark.parametrize(("agent", "off", "agrees"), [("A2C", 0, True), ("A2C", 2, False), ("PPO", 2, True)])
def test_a_total_stands_next_to_the_released_one(agent, off, agrees):
    released = totals_as_released()[agent, "FalseMemories", False][1]
    row = total_row(Cell(agent, False, "FalseMemories", 1, "one_hot"), "FalseMemories", released + off)
    assert row.paper == released
    assert (abs(row.ours - row.paper) <= row.tolerance) is agrees
