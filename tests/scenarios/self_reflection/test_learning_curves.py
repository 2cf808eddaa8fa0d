"""Learning curves: their last point is the measure, their points lie apart, and those who learn nothing stay at 0."""

import json

import pytest

from extenv import measure
from multislot.agents import QLearner
from scenarios.self_reflection.learning_curves import plot, run
from scenarios.self_reflection.learning_curves.settings import Settings

SETTINGS = Settings(agents=("Constant", "Q"), steps=1500, seeds=2, environments=("IgnoreRewards", "CryingBaby"))


def test_points_are_two_a_decade_and_the_end():
    assert run.checkpoints(1000) == [1000]
    assert run.checkpoints(100_000) == [1000, 3162, 10_000, 31_623, 100_000]


def test_the_last_point_is_the_measure():
    results = [(cell, json.loads(json.dumps(run.run_cell(cell)))) for cell in run.cells(SETTINGS)]
    rows = {row.condition: row for row in run.table(SETTINGS, results)}
    found = measure(QLearner, environments=SETTINGS.environments, steps=1500, seeds=2, jobs=1)
    assert rows["Q, 1500 steps, 2 seeds"].ours == pytest.approx(found.mean)
    early = measure(QLearner, environments=SETTINGS.environments, steps=1000, seeds=2, jobs=1)
    assert rows["Q, 1000 steps, 2 seeds"].ours == pytest.approx(early.mean)
    assert [rows[f"Constant, {point} steps, 2 seeds"].ours for point in (1000, 1500)] == [0, 0]
    assert plot.figures(SETTINGS, results)["learning-curves"].axes
    assert "after 1500" in run.story(SETTINGS, results)
