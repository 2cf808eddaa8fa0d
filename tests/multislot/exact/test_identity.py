"""The formulas of what staying, teleporting, copying, and copying and deleting are worth, over a grid."""

from fractions import Fraction
from itertools import product

import pytest

from multislot import HistoryAgent, run
from multislot.errors import SettingError
from multislot.exact import KernelWorld, action_values
from multislot.exact.files import worlds


def geometric(discount, steps):
    return sum((discount**k for k in range(steps)), Fraction())


GRID = list(product([Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1)], [1, 2, 5]))
REWARDS = list(product([1, Fraction(-3, 2)], [0, 2], [1, Fraction(7, 3)]))


def values(kernel, discount, horizon):
    return [action_values(kernel, value, discount=discount, horizon=horizon) for value in ("cpy", "sta", "dyn")]


@pytest.mark.parametrize(("discount", "horizon"), GRID)
def test_staying_is_worth_the_same_to_all(discount, horizon):
    for worth in values(worlds.stay(Fraction(5, 3)), discount, horizon):
        assert worth == {"stay": Fraction(5, 3) * geometric(discount, horizon)}


@pytest.mark.parametrize(("discount", "horizon"), GRID)
def test_teleporting_is_worth_nothing_to_who_stays_behind(discount, horizon):
    total = geometric(discount, horizon)
    for r_s, r_2, _ in REWARDS:
        copies, static, dynamic = values(worlds.teleport(r_s, r_2), discount, horizon)
        assert copies == {"stay": r_s * total, "teleport": r_2 * total}
        assert static == dynamic == {"stay": r_s * total, "teleport": 0}


@pytest.mark.parametrize(("discount", "horizon"), GRID)
def test_copying_shares_the_future_of_the_copy_centered_agent(discount, horizon):
    total = geometric(discount, horizon)
    for b, (r_s, r_1, r_2) in product(range(horizon + 1), REWARDS):
        paid = total - geometric(discount, b)
        copies, static, dynamic = values(worlds.copy(r_s, r_1, r_2, b), discount, horizon)
        assert copies == {"stay": r_s * total, "copy": Fraction(1, 2) * (r_1 + r_2) * paid}
        assert static == dynamic == {"stay": r_s * total, "copy": r_1 * paid}


@pytest.mark.parametrize(("discount", "horizon"), GRID)
def test_one_step_of_coexistence_halves_what_the_survivor_is_worth(discount, horizon):
    total = geometric(discount, horizon)
    for d, (r_s, r_b, r_2) in product(range(1, horizon + 1), REWARDS):
        both, after = geometric(discount, d), total - geometric(discount, d)
        copies, static, dynamic = values(worlds.copy_delete(r_s, r_b, r_2, d), discount, horizon)
        assert copies == {"stay": r_s * total, "copy": r_b * both + Fraction(1, 2) * r_2 * after}
        assert static == dynamic == {"stay": r_s * total, "copy": r_b * both}


def test_off_its_slot_the_static_value_is_nothing():
    worth = action_values(worlds.teleport(), "sta", discount=1, horizon=3, history=(("teleport", "room 2"),))
    assert worth == {"stay": 0, "teleport": 0}
    assert action_values(worlds.teleport(), "sta", discount=1, horizon=3, slot=2) == {"stay": 0, "teleport": 0}


def test_the_horizon_may_be_long():
    kernel = worlds.copy_delete(d=700)
    worth = action_values(kernel, "dyn", discount=0.5, horizon=2000)
    assert worth["copy"] == pytest.approx(2)


def test_they_run_as_worlds():
    world = KernelWorld(worlds.copy_delete(r_b=1, r_2=3, d=2))
    press = world.coding.actions.index("copy")
    trace = run(world, {1: HistoryAgent(lambda history: press)}, 4)
    assert [sorted(step.items()) for step in trace.rewards] == [[(1, 1), (2, 1)], [(1, 1), (2, 1)], [(2, 3)], [(2, 3)]]
    assert trace.slot_history(2, 4) == (1, 2, 2, 2, 2)


def test_numbers_of_steps_are_checked():
    with pytest.raises(SettingError, match="got d=0; expected a whole number, at least 1"):
        worlds.copy_delete(d=0)
    with pytest.raises(SettingError, match=r"got b=1.5; expected a whole number, at least 0"):
        worlds.copy(b=1.5)
