"""``handicapped-cartpole``: every formula holds, and its picture can be drawn."""

import pytest

from scenarios.self_reflection import handicapped_cartpole
from scenarios.self_reflection.handicapped_cartpole import Cell, Settings, run_cell, story, table
from tests.scenarios.conftest import finished

SETTINGS = Settings(steps=1000, bins=3, seeds=1)


@pytest.fixture(scope="module")
def results():
    return finished(handicapped_cartpole, SETTINGS)


def test_what_the_papers_imply_holds(results):
    claims = [row for row in table(SETTINGS, results) if row.paper is not None]
    assert len(claims) == 17
    assert all(row.ours == row.paper for row in claims)


def test_the_reality_check_gains_under_the_handicap(results):
    earned = {
        row.condition.split(",")[0]: row.ours
        for row in table(SETTINGS, results)
        if row.quantity == "reward a step" and "IgnoreRewards" in row.condition
    }
    assert earned["Q"] < earned["RC(Q)"] < earned["Random"] == 1
    assert "its reality check" in story(SETTINGS, results)


def test_deep_agents_run_under_every_handicap_and_half_the_rate_is_not_rate_one():
    pytest.importorskip("stable_baselines3")
    deep, by = ("DQN", "RC(DQN)", "PPO", "RC(PPO)"), ("IncentivizeLearningRate", "half the rate")
    chosen = Settings(steps=400, bins=3, seeds=1, agents=deep, handicaps=("IgnoreRewards", *by))
    found = finished(handicapped_cartpole, chosen)
    rows = [row for row in table(chosen, found) if row.quantity == "reward a step"]
    assert len({row.ours for row in rows}) > len(chosen.handicaps)
    assert all(-1 <= row.ours <= 1 for row in rows)
    assert "half the rate" in story(chosen, found)
    one, half = (run_cell(Cell("DQN", 3000, 1, name, freeze="first", bins=3)) for name in by)
    assert one != half
