"""What the authors printed and released comes out again: Tables 1 and 2, and every total of the Q-learner."""

import statistics

import pytest

from extenv import BATTERY, measure, reality_check, run
from multislot.agents import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
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


def first_totals(factory):
    return [run(name, factory, steps=150, seed=1, opposite=o).total_reward for name in BATTERY for o in (False, True)]


# Totals after 150 steps, seed 1, by the compiled source: the interpreted one must give the same.
# fmt: off
GOLDEN = {
    "q": (
        QLearner,
        [
            120, 118, 16, -30, 124, 62, 16, -30, 22, -28, 140, 0, -146, 146, 150, 112, 0, 4, -128,
            142, -72, 136, 19, 103, 128, 134, 146, 108, 150, 112, 104, 110, 62, 22, 70, 52, 128,
            134, 116, 126, 148, 108, 8, -150, -8, 150, 60, 20, 128, 50
        ],
    ),
    "checked": (
        reality_check(QLearner),
        [
            128, 134, 124, 120, 128, 134, 16, -30, 124, 130, 128, 134, -146, 146, 150, 134, -150,
            150, -138, 142, -72, -88, 19, -11, -150, 150, 124, 124, 150, 134, 128, 134, 118, 118,
            70, 74, 128, 134, 124, 134, 124, 124, 8, -150, -8, 150, 128, 134, 126, 134
        ],
    ),
    "naive": (
        NaiveLearner,
        [
            104, 108, 148, -150, 22, 46, 148, -150, 148, 40, 148, -150, -140, 140, 150, 94, 10, -4,
            -142, 142, -76, 126, 15, 105, 132, 112, 142, -150, 138, 94, 104, 96, 106, -20, 66, 56,
            126, 122, 76, 70, 126, -26, 122, -150, -122, 150, 150, 94, 86, 90
        ],
    ),
}
# fmt: on


@pytest.mark.parametrize("label", GOLDEN)
def test_both_builds_give_the_same_totals(label):
    factory, totals = GOLDEN[label]
    assert first_totals(factory) == totals
