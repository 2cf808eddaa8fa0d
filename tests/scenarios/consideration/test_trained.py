"""Trained agents beside exact ones: the designs that the scenario compares, and its table."""

import json
from fractions import Fraction

import pytest

import considerate
from considerate.craftworld import task
from scenarios.consideration import trained
from scenarios.consideration.trained import Settings
from scenarios.lab.table import beside_papers

SMALL = Settings(algorithms=("DQN",), alphas=(Fraction(0), Fraction(1)), steps=1000, seeds=1)


def cell(design, *weights):
    return trained.Cell("kitchen-cookie", "DQN", design, tuple(map(Fraction, weights)), 1000, 0)


def test_inequity_aversion_is_equation_1_of_fehr_and_schmidt():
    assert trained.aversion(-8, [-10], Fraction(1, 2), Fraction(1, 4)) == Fraction(-1, 2)
    assert trained.aversion(-9, [-8], Fraction(1, 2), Fraction(1, 4)) == Fraction(-1, 2)
    assert trained.aversion(-9, [-8, -10], 1, 2) == Fraction(-3, 2)
    assert trained.aversion(3, [3, 3], 1, 2) == 0


def test_whoever_hates_differences_does_not_help():
    """The next cook gains two steps if the first takes one more; envy and guilt of one half and more see no gain."""
    assert trained.exact(cell(trained.CONSIDERATE, 1)) == [[-9, -8]]
    assert trained.exact(cell(trained.TEAM)) == [[-9, -8]]
    assert trained.exact(cell(trained.INEQUITY, Fraction(1, 2), Fraction(1, 4))) == [[-8, -10]]
    assert trained.exact(cell(trained.INEQUITY, 0, 1)) == [[-9, -8]]


@pytest.mark.parametrize("envy", [0, 2])
def test_the_environment_pays_what_the_exact_solution_maximizes(envy):
    chosen = cell(trained.INEQUITY, envy, 1)
    solution = considerate.solve(task("kitchen-cookie"), "value", 1)
    env = trained.environment(chosen)
    env.reset(seed=0)
    paid = 0.0
    for action in solution.actions:
        _, reward, ended, _, _ = env.step(env.unwrapped.graph.actions.index(action))
        paid += reward
    own, other = solution.returns.values()
    assert ended
    assert paid == own + trained.aversion(own, [other], envy, 1)


def test_a_short_training_makes_a_table_and_a_picture():
    pytest.importorskip("stable_baselines3")
    cells = trained.cells(SMALL)
    assert len(cells) == 4
    found = [(one, json.loads(json.dumps(trained.run_cell(one), default=str))) for one in cells]
    rows = beside_papers(trained.table(SMALL, found), [])
    assert [row.ours for row in rows if row.quantity == "exact returns"] == ["-8; -10", "-9; -8", "-9; -8", "-8; -10"]
    assert {row.kind for row in rows} == {"measured"}
    assert "DQN learned the exact optimum in" in trained.story(SMALL, found)
    assert len(trained.figures(SMALL, found)["trained"].axes) == 1


def test_the_stored_run_holds_every_training_once_and_tells_the_designs_apart():
    settings, results = trained.stored_run()
    assert [one for one, _ in results] == trained.cells(settings)
    assert len(trained.comparison(results)) == 2 * (len(settings.alphas) + 2)


@pytest.mark.full
def test_a_stored_training_comes_out_again():
    pytest.importorskip("stable_baselines3")
    _, results = trained.stored_run()
    for one, result in (results[0], results[-1]):
        assert trained.run_cell(one) == result
