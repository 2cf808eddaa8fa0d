"""Theorem 1 of Orseau 2014: in the universal world exactly one slot explains any deterministic environment."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot import HistoryAgent, run
from multislot.exact import KernelWorld, UniversalKernel, UniversalWorld, action_values


def chosen(name, history):
    """A deterministic function of a name and a history."""
    return sha256(repr((name, tuple(history))).encode()).digest()[0] % 2


def environment(name):
    """A deterministic mono-slot environment ``q(a_1..a_k) = o_k`` over {0, 1}."""
    return lambda actions: chosen(name, actions)


def universal(kind, kernel):
    return UniversalWorld(kernel) if kind == "arrays" else KernelWorld(kernel)


def explaining(trace, time, q):
    """Slots in 1..2^t whose history agrees with q at every step."""
    slots = []
    for slot in range(1, 2**time + 1):
        history = trace.agent_history(slot, time)
        actions = [action for action, _ in history]
        if all(q(actions[:k]) == observation - 1 for k, (_, observation) in enumerate(history, start=1)):
            slots.append(slot)
    return slots


@pytest.mark.parametrize("kind", ["arrays", "kernel"])
@pytest.mark.parametrize("exchange", [False, True])
@given(name=st.integers(), policy=st.integers(), steps=st.integers(1, 10))
@settings(max_examples=6, deadline=None)
def test_theorem_1(kind, exchange, name, policy, steps):
    world = universal(kind, UniversalKernel(exchange=exchange))
    trace = run(world, {1: HistoryAgent(lambda history: chosen(policy, history))}, steps)
    for time in range(1, steps + 1):
        assert len(explaining(trace, time, environment(name))) == 1


@pytest.mark.parametrize("kind", ["arrays", "kernel"])
def test_observations_before_the_copies_break_it(kind):
    """Both copies then have the same history: no slot saw a 1, and every slot saw only 0."""
    world = universal(kind, UniversalKernel(before_copies=True))
    trace = run(world, {1: HistoryAgent(lambda history: 0)}, 5)
    assert explaining(trace, 5, lambda actions: 1) == []
    assert len(explaining(trace, 5, lambda actions: 0)) == 2**5


def test_exchanged_observations_can_be_predicted_from_the_action():
    """In the universal world no slot's observations depend on actions; exchanged, slot 1 sees what it does."""
    plain = action_values(UniversalKernel(), "sta", discount=1, horizon=4)
    exchanged = action_values(UniversalKernel(exchange=True), "sta", discount=1, horizon=4)
    assert plain == {0: 0, 1: 0}
    assert exchanged == {0: 3, 1: 4}
    assert len(set(action_values(UniversalKernel(exchange=True), "cpy", discount=1, horizon=4).values())) == 1


@pytest.mark.parametrize("exchange", [False, True])
def test_the_arrays_and_the_kernel_are_one_world(exchange):
    kernel = UniversalKernel(exchange=exchange)
    policy = HistoryAgent(lambda history: chosen("both", history))
    arrays, drawn = (run(world, {1: policy.copy()}, 6) for world in (UniversalWorld(kernel), KernelWorld(kernel)))
    assert list(arrays.rewards) == list(drawn.rewards)
    assert all(arrays.agent_history(slot, 6) == drawn.agent_history(slot, 6) for slot in range(1, 65))


def test_slots_and_observations_of_a_step():
    world = UniversalWorld()
    world.start(0)
    world.step({1: 0})
    turn = world.step_many(np.array([1, 2]), np.array([0, 1]))
    assert turn.sources.tolist() == [1, 2, 1, 2]
    assert turn.targets.tolist() == [1, 2, 3, 4]
    assert [world.describe(o) for o in turn.observations.tolist()] == ["0", "0", "1", "1"]
    assert turn.rewards.tolist() == [0, 0, 1, 1]


def test_what_excludes_each_other_is_refused():
    with pytest.raises(ValueError, match="it leaves nothing to exchange"):
        UniversalKernel(before_copies=True, exchange=True)


def test_variants_are_given_by_name():
    with pytest.raises(TypeError):
        UniversalKernel((0, 1), 2)  # two actions, in earlier versions
