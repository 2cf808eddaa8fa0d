from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import EndlessStream, History, HistoryAgent, Trace, run
from multislot.agents import ConstantAgent, RandomAgent
from multislot.engine.forest import COLUMNS
from multislot.errors import SettingError
from tests.multislot.bustle import Bustle
from tests.multislot.engine.test_protocol import last_plus_length, scripts
from tests.multislot.worlds import Doubling, Scripted


def recomputed(trace, copies, slot, step):
    """Return slot and agent history from Definitions 6 and 7, following copy instances back from `slot`."""
    slots, history = [slot], []
    for t in range(step, 0, -1):
        source = next(i for i, targets in copies[t - 1].items() if slots[0] in targets)
        history.insert(0, (trace.actions[t - 1][source], trace.observations[t - 1][slots[0]]))
        slots.insert(0, source)
    return tuple(slots), tuple(history)


@given(scripts())
def test_histories_are_those_of_the_definitions(scripted):
    script, ended = scripted
    trace = run(Scripted(script, ended=ended), {1: HistoryAgent(last_plus_length)}, len(script))
    for step in range(trace.steps + 1):
        for slot in trace.occupied(step):
            slots, history = recomputed(trace, script, slot, step)
            assert trace.slot_history(slot, step) == slots
            assert trace.agent_history(slot, step) == history
            assert len(trace.reward_history(slot, step)) == step


def test_what_an_agent_remembers_is_its_agent_history():
    seen = {}

    class Watching(Scripted):
        def receive(self, slots):
            seen["slots"] = slots

    world = Watching([{1: (1, 2)}, {1: (3,), 2: (1, 2)}, {1: (1,), 2: (2,), 3: (3,)}])
    trace = run(world, {1: HistoryAgent(last_plus_length)}, 3)
    for slot, agent in seen["slots"].items():
        assert agent.history == trace.agent_history(slot)


@given(scripts())
def test_saved_traces_come_back_whole(tmp_path_factory, scripted):
    script, ended = scripted
    trace = run(Scripted(script, ended=ended), {1: HistoryAgent(last_plus_length)}, len(script))
    loaded = Trace.load(trace.save(tmp_path_factory.mktemp("traces") / "trace"))
    for name in ("offsets", "slot", "parent", "observation", "reward", "action", "acted"):
        assert np.array_equal(getattr(loaded, name), getattr(trace, name))
    assert loaded.actions == trace.actions
    assert loaded.simulated == trace.simulated


class BustleWithGuest(Bustle):
    def receive(self, slots):
        slots.spawn(ConstantAgent(4, 2, EndlessStream(0, 9)), 9, simulated=True)


def test_a_trace_that_version_0_1_wrote_is_read_and_is_what_this_version_records():
    written = Trace.load(Path(__file__).parent / "stored" / "trace-0.1.npz")
    trace = run(BustleWithGuest(spawning=True), dict.fromkeys(range(1, 5), RandomAgent), 12, seed=3)
    for name in COLUMNS:
        assert getattr(written, name).tolist() == getattr(trace, name).tolist()
    assert written.simulated == trace.simulated == ((9, 0),)
    assert written.lineage.text() == trace.lineage.text()


def test_a_trace_is_one_line_to_read():
    assert repr(run(Doubling(), {1: HistoryAgent(last_plus_length)}, 3)) == "Trace(3 steps, 8 slots, 15 occupancies)"


def test_asking_for_what_is_not_there_says_what_is():
    trace = run(Scripted([{1: (2,)}]), {1: HistoryAgent(last_plus_length)}, 1)
    with pytest.raises(SettingError, match="got slot=1; expected a slot that is occupied after step 1; occupied: 2"):
        trace.slot_history(1)
    with pytest.raises(SettingError, match="got step=2; expected a whole number, at least 0 and at most 1"):
        trace.agent_history(2, 2)
    with pytest.raises(IndexError, match="out of range"):
        trace.rewards[1]


def test_columns_read_like_sequences():
    trace = run(Scripted([{1: (1,)}] * 3), {1: HistoryAgent(last_plus_length)}, 3)
    assert len(trace.rewards) == len(trace.actions) == 3
    assert trace.rewards[-1] == {1: 1.0}
    assert trace.rewards[1:] == [{1: 1.0}, {1: 1.0}]
    assert trace.start == {1: 0}
    assert repr(trace.rewards) == "reward of 3 steps"


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


@given(pairs, pairs)
def test_a_history_is_its_pairs(first, second):
    history = History(first)
    longer = history
    for pair in second:
        longer = longer.then(*pair)
    assert history.pairs() == tuple(first) == history
    assert longer == tuple(first + second) == History(first + second)
    assert hash(longer) == hash(tuple(first + second)) == hash(History(first + second))
    assert (History(first) == History(second)) == (first == second)
    assert len(longer) == len(first) + len(second)
    assert [longer[index] for index in range(len(longer))] == first + second


def test_a_long_history_needs_no_recursion_and_its_last_pair_no_search():
    history = History((k % 2, k % 3) for k in range(100_000))
    assert (len(history), history.last) == (100_000, (1, 0))
    agent = HistoryAgent(last_plus_length, history)
    assert agent.copy().history is agent.history
    with pytest.raises(IndexError, match="the empty history has no last pair"):
        History().last  # noqa: B018


DAMAGE = st.sampled_from([-(2**63), -7, -1, 0, 1, 2, 3, 50, 2**63 - 1, float("nan"), float("inf")])


def read_whole(trace):
    """Return all that a trace tells."""
    for step in range(trace.steps + 1):
        for slot in trace.occupied(step):
            assert len(trace.slot_history(slot, step)) == len(trace.agent_history(slot, step)) + 1
            trace.reward_history(slot, step)
    assert len([dict(step) for step in trace.actions]) == len([dict(step) for step in trace.rewards])
    assert trace.lineage.text()


@given(scripts(), st.sampled_from(COLUMNS), st.integers(0, 10**6), DAMAGE)
def test_a_damaged_trace_is_refused_or_can_be_read_whole(tmp_path_factory, scripted, name, place, value):
    script, ended = scripted
    trace = run(Scripted(script, ended=ended), {1: HistoryAgent(last_plus_length)}, len(script))
    column = getattr(trace, name).copy()
    with suppress(ValueError, OverflowError):  # a column of ints holds no NaN
        column[place % len(column)] = value
    damaged = replace(trace, **{name: column}).save(tmp_path_factory.mktemp("traces") / "trace")
    try:
        loaded = Trace.load(damaged)
    except SettingError:
        assert not np.array_equal(column, getattr(trace, name))
    else:
        read_whole(loaded)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"slot": [[1, 1]]}, "slot has 2 dimensions"),
        ({"slot": [1.0, 1.0]}, "type float64"),
        ({"reward": [0.0]}, "reward has 1 rows"),
        ({"offsets": [0, 2, 1]}, "offsets do not divide"),
        ({"slot": [0, 1]}, "a slot is below 1"),
        ({"parent": [1, 0]}, "a parent is not of the step before"),
        ({"observation": [0, -1]}, "an observation is negative"),
        ({"reward": [0.0, np.inf]}, "a reward is not finite"),
        ({"action": [-1, 0]}, "an action is negative"),
        ({"action": [0, 1]}, "a row without an acting agent has an action"),
        ({"acted": [True, True]}, "somebody acts after the last step"),
        ({"simulated": ((0, 1),)}, "a simulated agent is in no slot"),
    ],
)
def test_what_is_wrong_with_a_trace_is_said(tmp_path, changes, fault):
    trace = run(Scripted([{1: (1,)}]), {1: HistoryAgent(lambda history: 0)}, 1)
    changes = {name: np.array(value) if name in COLUMNS else value for name, value in changes.items()}
    with pytest.raises(SettingError, match=fault):
        Trace.load(replace(trace, **changes).save(tmp_path / "trace"))
