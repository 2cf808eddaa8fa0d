"""Results 1 and 2: the bold mentor, random classes, how questions grow, and the estimates that they rest on."""

from dataclasses import replace

import numpy as np
import pytest

from multislot.bayes import Life, policy_values
from multislot.errors import SettingError
from multislot.statistics import UNDECIDED
from scenarios.conservatism import apprenticeship, mentor_level
from scenarios.conservatism.query_decay import counted_steps
from tests.scenarios.conservatism.small import ran, rows_of, verdict_of

PLAIN = apprenticeship.Cell(
    apprenticeship.ApprenticeSettings(models=4, discount=0.7, horizon=3, noise=0.01),
    agent="pessimistic",
    beta=0.9,
    family="random",
    seed=3,
    steps=8,
    seeds=300,
)


def with_lives(name, family, agent, **lives):
    """Results in which one kind of agent lived as told."""
    settings, results, run = ran(name)
    told = [
        (cell, {**result, **lives} if (cell.family, cell.agent) == (family, agent) else result)
        for cell, result in results
    ]
    return settings, told, run


@pytest.mark.parametrize(
    ("above", "late", "word"),
    [
        ((0.2, 0.3), 0, "at least the mentor's"),
        ((-0.5, -0.4), 0, "below the mentor's"),
        ((-0.2, 0.2), 0, UNDECIDED),
        ((0, 0), 1, "keeps asking"),
    ],
)
def test_the_value_at_last_is_judged_with_the_bold_mentor(above, late, word):
    lives = {"above": [list(above) * 200] * 2, "extremes": [-0.5, 0.5], "late": [late]}
    settings, told, run = with_lives("mentor-level", "bold mentor", "pessimistic", **lives)
    rows = run.table(settings, told)
    assert verdict_of(rows, "the pessimistic agent at the last step", "bold mentor") == word


def test_with_the_bold_mentor_every_control_fails_and_the_pessimist_asks_once():
    rows = list(rows_of("mentor-level", bold_seeds=200, checkpoints=(0, 25), seeds=2).values())
    assert verdict_of(rows, "the pessimistic agent at the last step", "bold mentor") == "at least the mentor's"
    controls = {row.quantity: row.ours == row.paper for row in rows if row.kind == "control"}
    assert len(controls) == 5  # four agents, and a horizon that is too short
    assert all(controls.values())
    assert verdict_of(rows, "questions of a life that asks") == 1


@pytest.mark.parametrize(("alone", "word"), [(0.3, UNDECIDED), (-0.3, "at least the mentor's")])
def test_random_classes_decide_only_if_agents_without_a_mentor_fail_there(alone, word):
    good = {"above": [[0.2, 0.3] * 100] * 2, "extremes": [-0.5, 0.5], "late": [0.0]}
    settings, told, run = with_lives("mentor-level", "random", "pessimistic", **good)
    told = [
        (cell, {**good, "above": [[alone] * 200] * 2} if cell.agent == "most likely model" else result)
        for cell, result in told
    ]
    assert verdict_of(run.table(settings, told), "the pessimistic agent at the last step", "random") == word


def asked_of_all(settings, run, asked, classes):
    """Results in which the pessimist asked so often by every step that is counted, in so many classes."""
    cells = run.cells(replace(settings, classes=classes))
    always = run.counted_steps(settings.steps)
    numbers = {"pessimistic": asked, "always defers": always, "never defers": [0] * len(always)}
    return [(cell, {"asked": [numbers[cell.agent]]}) for cell in cells]


@pytest.mark.parametrize(
    ("asked", "word"),
    [([4, 5, 5, 5], "falls"), ([2, 2, 5, 9], "does not fall"), ([4, 8, 8, 8], "falls"), ([0, 0, 0, 0], "never asks")],
)
def test_questions_fall_if_they_grow_less_than_the_square_root(asked, word):
    settings, _, run = ran("query-decay")
    rows = run.table(settings, asked_of_all(settings, run, asked, 5))
    expected = word if word != "never asks" else UNDECIDED
    assert {row.ours for row in rows if row.quantity == "deferring, exact plan"} == {expected}
    assert all(row.ours == row.paper for row in rows if row.kind == "control")


def test_the_exponent_of_a_power_law_is_found():
    _, _, run = ran("query-decay")
    steps = np.array(run.counted_steps(1024), dtype=float)
    for exponent in (0.0, 0.3, 0.8):
        assert run.exponent(steps[None, None] ** (1 - exponent)) == pytest.approx(exponent)
    assert run.exponent(np.ones((1, 1, 9))) == "at least 1"


def test_what_the_agent_is_worth_above_its_mentor_is_estimated_without_bias():
    """Against what it goes on to collect, less the mentor's exact value, which is the same in the mean but scatters."""
    cell = PLAIN
    here = apprenticeship.situation_of(cell)
    largest = 1 - 0.7**3
    worth = policy_values(here.truth, here.mentor.policy, 0.7, 3) / largest
    advantage = apprenticeship.advantages(cell)
    estimates, collected = [], []
    for life in apprenticeship.lives_of(cell):
        estimates.append(apprenticeship.above_mentor(life, 5, advantage, 0.7))
        rewards = np.array(life.rewards[5:8]) * 0.7 ** np.arange(3)
        collected.append(0.3 * rewards.sum() / largest - worth[apprenticeship.states_of(life)[5]])
    difference = np.array(estimates) - collected
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))
    assert np.std(estimates) < 0.5 * np.std(collected)
    least, most = apprenticeship.extremes(advantage, 0.7)
    assert least - 1e-12 <= min(estimates) <= max(estimates) <= most + 1e-12


def test_advantages_are_zero_in_the_mentor_s_mean_and_deferring_costs_nothing():
    cell = replace(PLAIN, seed=1, seeds=1)
    advantage = apprenticeship.advantages(cell)
    assert np.allclose((advantage * apprenticeship.situation_of(cell).mentor.policy).sum(axis=2), 0)
    deferring = Life((None, 1, 2, 0), (0, 1, 0), (0.1,) * 3, (True,) * 3)
    assert apprenticeship.above_mentor(deferring, 0, advantage, 0.7) == 0


def test_questions_are_counted_by_powers_of_two():
    assert counted_steps(32) == [4, 8, 16, 32]
    with pytest.raises(SettingError, match="got steps=40; expected a power of 2"):
        ran("query-decay", steps=40)


@pytest.mark.parametrize(("horizon", "paid"), [(2, 0.495), (20, 0.495), (23, 0.495), (24, 0.5), (2000, 0.5)])
def test_with_a_receding_horizon_the_agent_waits_forever_and_never_asks(horizon, paid):
    """It waits where taking the jackpot last is worth more than work: γ^(T − 1) > 1/11, up to T = 23."""
    assert mentor_level.live_tempted(horizon) == (0, paid)
