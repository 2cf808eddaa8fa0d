"""``deep-cartpole``: agents run under every handicap, and a reality check is its agent until a copy notices."""

import json

import pytest

from scenarios.self_reflection.cartpole import Cell
from scenarios.self_reflection.deep_cartpole import AGENTS, HANDICAPS, Settings, cells, run_cell, story, table

pytest.importorskip("stable_baselines3")
SETTINGS = Settings(steps=400, bins=3, seeds=1)


def test_every_agent_runs_under_every_handicap():
    results = [(cell, json.loads(json.dumps(run_cell(cell)))) for cell in cells(SETTINGS)]
    rows = [row for row in table(SETTINGS, results) if row.quantity == "reward a step"]
    assert len(rows) == len(AGENTS) * len(HANDICAPS)
    assert all(-1 <= row.ours <= 1 for row in rows)
    assert len({row.ours for row in rows}) > len(HANDICAPS)
    assert "half the rate" in story(SETTINGS, results)


def test_half_the_rate_is_not_rate_one():
    ours = [run_cell(Cell("DQN", 3000, 1, by, freeze="first", bins=3)) for by in HANDICAPS[1:]]
    assert ours[0] != ours[1]
