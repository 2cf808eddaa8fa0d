"""The formulas of what staying, teleporting, copying, and copying and deleting are worth, over a grid."""

from fractions import Fraction
from itertools import product

import pytest

from multislot import HistoryAgent, run
from multislot.exact import KernelWorld, action_values
from multislot.exact.files import worlds


def test_the_horizon_may_be_long():
    kernel = worlds.copy_delete(d=700)
    worth = action_values(kernel, "dyn", discount=0.5, horizon=2000)
    assert worth["copy"] == pytest.approx(2)


@pytest.mark.parametrize("d", range(1, 5))
def test_they_run_as_worlds(d):
    """Both live for d steps; then the copy lives alone. A copy is made once, whatever is pressed later."""
    world = KernelWorld(worlds.copy_delete(r_b=1, r_2=3, d=d))
    press = world.coding.actions.index("copy")
    trace = run(world, {1: HistoryAgent(lambda history: press)}, d + 2)
    assert [sorted(step.items()) for step in trace.rewards] == [[(1, 1), (2, 1)]] * d + [[(2, 3)]] * 2
    assert trace.slot_history(2, d + 2) == (1, *[2] * (d + 2))


@pytest.mark.parametrize("steps", range(1, 6))
def test_what_each_world_pays_is_counted_over_the_steps(steps):
    """Who presses is one of two copies for d steps; the one in slot 2 goes on, alone, and weighs one half."""
    for d, discount in product(range(1, 4), (1, Fraction(1, 2))):
        kernel = worlds.copy_delete(r_s=5, r_b=2, r_2=7, d=d)
        weights = [discount**step for step in range(steps)]
        both, alone = 2 * sum(weights[:d]), 7 * sum(weights[d:])
        for value, copied in (("cpy", both + alone / Fraction(2)), ("dyn", both), ("sta", both)):
            found = action_values(kernel, value, discount=discount, horizon=steps)
            assert found == {"stay": 5 * sum(weights), "copy": copied}
