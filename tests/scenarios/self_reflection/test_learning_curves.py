"""Learning curves: their last point is the measure, their points lie apart, and those who learn nothing stay at 0."""

import json
from pathlib import Path

import pytest

from extenv import measure
from multislot.agents import QLearner
from multislot.engine.stream import EndlessStream
from scenarios.self_reflection import learning_curves, stored_totals
from scenarios.self_reflection.learning_curves import Settings, stored_curves
from scenarios.self_reflection.measuring import DEEP, TABLE_AGENTS, with_checks

SETTINGS = Settings(agents=("Constant", "Q"), steps=1500, seeds=2, environments=("IgnoreRewards", "CryingBaby"))


def test_points_are_two_a_decade_and_the_end():
    assert learning_curves.checkpoints(1000) == [1000]
    assert learning_curves.checkpoints(100_000) == [1000, 3162, 10_000, 31_623, 100_000]


def test_the_last_point_is_the_measure():
    results = [
        (cell, json.loads(json.dumps(learning_curves.run_cell(cell)))) for cell in learning_curves.cells(SETTINGS)
    ]
    rows = {row.condition: row for row in learning_curves.table(SETTINGS, results)}
    found = measure(QLearner, environments=SETTINGS.environments, steps=1500, seeds=2, jobs=1)
    assert rows["Q, 1500 steps, 2 seeds"].ours == pytest.approx(found.mean)
    early = measure(QLearner, environments=SETTINGS.environments, steps=1000, seeds=2, jobs=1)
    assert rows["Q, 1000 steps, 2 seeds"].ours == pytest.approx(early.mean)
    assert [rows[f"Constant, {point} steps, 2 seeds"].ours for point in (1000, 1500)] == [0, 0]
    assert learning_curves.figures(SETTINGS, results)["learning-curves"].axes
    assert "after 1500" in learning_curves.story(SETTINGS, results)


def test_widths_and_learning_rates_are_those_of_deep_agents_and_each_makes_a_line():
    settings = Settings(agents=("Q", "PPO"), steps=1000, widths=(16, 64), learning_rates=(0.001,))
    found = {cell.line.name: cell.factory()(1, 2, EndlessStream(1, 1)) for cell in learning_curves.cells(settings)}
    assert list(found) == [
        *("Q", "RC(Q)", "PPO, width 16, rate 0.001", "PPO, rate 0.001"),
        *("RC(PPO), width 16, rate 0.001", "RC(PPO), rate 0.001"),
    ]
    changed = found["PPO, width 16, rate 0.001"].hyperparameters
    assert (changed["policy_kwargs"], changed["learning_rate"]) == ({"net_arch": [16, 16]}, 0.001)


def test_stored_curves_pass_through_the_stored_runs_of_table_2():
    curves = stored_curves()
    assert {line.agent for line in curves} == set(with_checks((*TABLE_AGENTS, *DEEP)))
    # The curves were made with the weights that torch draws, as these totals were.
    with_torch_weights = stored_totals.stored_measurements(Path(stored_totals.__file__).with_name("torch_totals.csv"))
    for name, measured in {**stored_totals.stored_measurements(), **with_torch_weights}.items():
        (line,) = [line for line in curves if line.name == name]
        points, values = curves[line]
        assert values[0][points.index(100_000)] == pytest.approx(measured.by_seed[1], abs=1e-6)
    assert len(learning_curves.draw(curves, "measure").axes) == 1
    for line, (points, values) in stored_curves(most=100_000).items():
        assert (points[-1], len(values)) == (100_000, 5)
        assert values[0] == curves[line][1][0][: len(points)]
    assert len({line.width for line in stored_curves(varied=True)}) > 1
