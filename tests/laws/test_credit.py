"""Credit along the copy tree: chance, ends of a run, lines, and what is refused."""

import numpy as np
import pytest

from multislot import EndlessStream, run
from multislot.agents import ConstantAgent
from multislot.engine.credit import CopyTree, lineage_advantages, lineage_returns
from multislot.errors import SettingError, UnknownNameError
from tests.multislot.bustle import Script, turn


def test_only_the_rows_at_the_end_of_a_run_bootstrap():
    agents = {slot: ConstantAgent(2, 1, EndlessStream(0, slot)) for slot in (1, 2, 3)}
    world = Script(turn({2: [2], 3: [3]}, ended=[2]), turn({3: [3]}), start=(1, 2, 3))
    trace = run(world, agents, steps=2)
    values = np.full(len(trace.slot), 10.0)
    targets = lineage_advantages(trace, values, future="dyn", discount=1, gae_lambda=1) + 10
    by_step = {(step, int(trace.slot[row])): targets[row] for step in range(3) for row in _rows(trace, step)}
    assert by_step[0, 1] == 0  # deleted
    assert by_step[0, 2] == 2  # ended: its reward and nothing after it
    assert by_step[0, 3] == 16  # two rewards, then the run stopped
    assert np.isnan(by_step[1, 2])
    assert np.isnan(by_step[2, 3])


def _rows(trace, step):
    return range(trace.rows(step).start, trace.rows(step).stop)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 0], [0.0], [1, 1], [True, False]), "four arrays of one length"),
        (([0, 5], [0.0, 0.0], [1, 1], [True, False]), "from 0 to 1"),
        (([1, 0], [0.0, 0.0], [1, 1], [True, True]), "its own ancestor"),
        (([0, 0], [0.0, 0.0], [1, 1], [False, False]), "true for every row that has copies"),
    ],
)
def test_what_is_no_forest_is_refused(columns, message):
    with pytest.raises(SettingError, match=message):
        lineage_returns(CopyTree(*columns), future="cpy", discount=1)


def test_wrong_settings_are_refused():
    tree = CopyTree([0, 0], [0.0, 1.0], [1, 1], [True, False])
    with pytest.raises(UnknownNameError, match="known: cpy, dyn, sta, sum"):
        lineage_returns(tree, future="mean", discount=1)
    with pytest.raises(SettingError, match="discount"):
        lineage_returns(tree, future="cpy", discount=2)
    with pytest.raises(SettingError, match="one value for each row"):
        lineage_advantages(tree, [0.0], future="cpy", discount=1, gae_lambda=0.5)
