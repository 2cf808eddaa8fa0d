"""The formulas of what staying, teleporting, copying, and copying and deleting are worth, over a grid."""

import pytest

from multislot import HistoryAgent, run
from multislot.exact import KernelWorld, action_values
from multislot.exact.files import worlds


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
