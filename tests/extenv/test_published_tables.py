"""What the authors printed and released comes out again: Tables 1 and 2, and every total of the Q-learner."""

import statistics

import pytest

from extenv import BATTERY, measure, reality_check, run
from multislot.agents import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from scenarios.lab import registry
from scenarios.lab.table import beside_papers
from scenarios.self_reflection.released import totals_as_released

COMPILED = not hasattr(QLearner.act, "__code__")
compiled_only = pytest.mark.skipif(not COMPILED, reason="takes minutes uncompiled; the same source gives the same bits")


@compiled_only
@pytest.mark.parametrize("name", BATTERY)
def test_the_q_learners_totals_are_the_released_ones(name):
    for opposite in (False, True):
        total = run(name, QLearner, steps=100_000, seed=1, opposite=opposite).total_reward
        assert total == totals_as_released()["Q", name, opposite][1]


PUBLISHED = "published"
TABLE_2 = [
    (RandomAgent, "0.0000", "0.0000"),
    (reality_check(RandomAgent, PUBLISHED), "0.0000", "0.0000"),
    (ConstantAgent, "0.0000", "0.0000"),
    (reality_check(ConstantAgent, PUBLISHED), "0.0000", "0.0000"),
    (SimpleLearner, "0.7567", "0.0000"),
    (QLearner, "0.5395", "0.0030"),
    (reality_check(QLearner, PUBLISHED), "0.5720", "0.0038"),
]


@compiled_only
@pytest.mark.parametrize(("factory", "printed", "spread"), TABLE_2, ids=lambda value: getattr(value, "__name__", None))
def test_table_2_to_four_decimals(factory, printed, spread):
    found = measure(factory)
    assert (f"{found.mean + 0.0:.4f}", f"{found.published_spread:.4f}") == (printed, spread)


@compiled_only
def test_the_reality_check_of_simple_is_what_the_released_code_gives():
    """The paper prints 0.7146: the released runs of Simple read another, unseeded stream of rooms."""
    assert f"{measure(reality_check(SimpleLearner, PUBLISHED)).mean:.4f}" == "0.7007"


@compiled_only
def test_table_1_to_five_decimals():
    found = measure(QLearner, environments=["TemptingButton"], opposites=False)
    rewards = list(found.by_seed.values())
    assert f"{found.mean:.5f}" == "-0.44858"
    assert f"{statistics.pstdev(rewards) / 5:.5f}" == "0.00044"


def test_both_builds_give_the_same_totals():
    """Those of several agents after 300 steps in every environment of the battery, as the scenario has them."""
    scenario = registry.find("short-totals")
    cells = [cell for cell in scenario.cells(scenario.settings()) if cell.environment in BATTERY]
    results = [(cell, scenario.run_cell(cell)) for cell in cells]
    rows = beside_papers(scenario.table(scenario.settings(), results), scenario.expected)
    assert len(rows) > len(BATTERY)
    assert [row for row in rows if not row.agrees] == []
