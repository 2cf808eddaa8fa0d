"""The released totals and both tests against them, pairs and ranks, with what they would have seen."""

import dataclasses
from statistics import fmean

import numpy as np
import pytest

from extenv import BATTERY
from extenv.measuring.measurement import Measurement, Score
from multislot.statistics import UNDECIDED
from scenarios.self_reflection.measuring import AgentCell, met
from scenarios.self_reflection.released import (
    AGREES,
    DIFFERS,
    NONE,
    SHIFT,
    SOME,
    ReleasedCell,
    released_cells,
    released_rows,
    totals_as_released,
)
from scenarios.self_reflection.released_totals import total_row

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


def as_released():
    return {s: t / STEPS for s, t in totals_as_released()["A2C", "FalseMemories", False].items()}


def near_released(spread, shift=0.0, first=1, last=20, seed=0):
    """Values around those released, for seeds 1 to 5 each around its own, and others around their mean."""
    own, noise = as_released(), np.random.default_rng(seed).normal(shift, spread, last + 1)
    return {s: own.get(s, fmean(own.values())) + float(noise[s]) for s in range(first, last + 1)}


def cell(values):
    (found,) = released_cells(measurement(values))
    return dataclasses.replace(found, cells=50)


def test_equal_totals_agree_and_any_shift_would_be_seen():
    found = cell(as_released())
    assert (found.identical, found.verdict, found.interval) == (5, AGREES, (0.0, 0.0))


def test_pairs_that_are_close_agree_and_a_shift_of_a_fifth_is_caught():
    found = cell(near_released(0.001, last=5))
    assert (found.identical, found.verdict) == (0, AGREES)
    assert not found.differs(0.9 * min(-found.interval[0], found.interval[1]))
    assert found.differs(1.01 * max(-found.interval[0], found.interval[1]))
    for shift in (-SHIFT, SHIFT):
        assert cell(near_released(0.001, shift, last=5)).verdict == DIFFERS


def test_independent_seeds_decide_by_their_ranks_if_they_are_many():
    """As where generators set back decide: pairs are far apart, the rest is not; eight seeds are too few."""
    apart = {1: 0.9, 2: -0.9, 3: 0.2, 4: -0.2, 5: 0.5}
    many = cell(apart | near_released(0.001, first=6))
    assert many.verdict == AGREES
    assert cell(apart | near_released(0.001, SHIFT, first=6)).verdict == DIFFERS
    assert cell(apart | near_released(0.001, first=6, last=13)).verdict == UNDECIDED


def test_a_cell_that_scatters_widely_is_not_decided():
    found = cell(near_released(0.5))
    assert found.verdict == UNDECIDED
    assert cell({7: 0.1, 8: 0.2}).verdict == UNDECIDED


def test_false_alarms_stay_rare():
    """Of tables of 50 cells in which nothing differs, one in twenty or fewer has a cell that differs."""
    draw = np.random.default_rng(1).normal
    alarms = 0
    for _ in range(40):
        samples = draw(size=(50, 20))
        cells = [
            ReleasedCell("", "", False, dict(enumerate(ours, 1)), dict(enumerate(draw(size=5), 1)), 50)
            for ours in samples
        ]
        alarms += any(one.differs() for one in cells)
    assert alarms <= 6


def test_rows_claim_that_none_differs_and_the_control_is_caught():
    rows = {row.quantity: row for row in released_rows(measurement(near_released(0.001)), "here")}
    claim, control = rows["cells that differ from the released ones"], rows["the same with 0.2 a step added here"]
    assert (claim.kind, claim.ours, claim.paper) == ("claim", NONE, NONE)
    assert (control.kind, control.ours, control.paper) == ("control", SOME, SOME)
    assert rows["released totals met to the last digit, of 5"].ours == 0
    assert released_rows(measurement(as_released()), "here")[0].ours == 5


def test_other_steps_and_other_agents_are_not_compared():
    assert released_rows(measurement(near_released(0.1), steps=500), "here") == []
    assert released_rows(measurement(near_released(0.1), agent="Mine"), "here") == []


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
