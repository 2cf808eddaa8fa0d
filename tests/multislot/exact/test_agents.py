"""AIMU and AIXI in the very worlds they plan in: what they predicted they would do is what they do."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot import run
from multislot.errors import SettingError, UnknownNameError
from multislot.exact import (
    AIMU,
    AIXI,
    ActedSequence,
    CopyCentered,
    DynamicSlotCentered,
    KernelWorld,
    KnownSlot,
    Mixture,
    Plan,
    Situations,
    StaticSlotCentered,
    action_values,
    decision_tree,
    slot_weights,
)
from multislot.exact.belief import ImpossibleHistoryError
from multislot.exact.files import worlds
from tests.multislot.exact import oracle
from tests.multislot.exact.examples import BlindFork
from tests.worlds import generator
from tests.worlds.futures import WEIGHTED

LAST = 4
KERNELS = generator.worlds((2, 2)).map(lambda kernel: replace(kernel, start={1: (0, 0)}))


def predicted(source, value):
    """Every action of a tree that is grown from the first step on."""
    tree = decision_tree(Plan(source, value, Fraction(9, 10), LAST), LAST - 1)
    return {node.history: node.best for node in tree.nodes()}


@pytest.mark.parametrize("value", [*WEIGHTED, DynamicSlotCentered()], ids=lambda value: type(value).__name__)
@given(kernel=KERNELS, seed=st.integers(0, 100))
def test_aimu_does_what_it_planned(value, kernel, seed):
    world = KernelWorld(kernel)
    trace = run(world, {1: AIMU(kernel, value, discount=Fraction(9, 10), last_step=LAST)}, LAST, seed)
    check_actions(trace, world, predicted(kernel, value).__getitem__)
    check_actions(trace, world, lambda before: behaviour(kernel, value, LAST - len(before), before))


@pytest.mark.parametrize("posterior", ["count", "exists", "sequential"])
@pytest.mark.parametrize("value", ["cpy", "sta", "dyn"])
@given(kernels=st.tuples(KERNELS, KERNELS), seed=st.integers(0, 100))
def test_aixi_does_what_it_planned(value, posterior, kernels, seed):
    settings = {"prior": [2, 1], "posterior": posterior, "discount": Fraction(9, 10), "last_step": LAST}
    agent = AIXI(kernels, value, **settings)
    world = KernelWorld(kernels[seed % 2], agent.coding)
    plan = {"cpy": CopyCentered(), "sta": StaticSlotCentered(), "dyn": DynamicSlotCentered()}[value]
    trace = run(world, {1: agent}, LAST, seed)
    check_actions(trace, world, predicted(Mixture(kernels, [2, 1], posterior), plan).__getitem__)


def check_actions(trace, world, plan):
    for step in range(1, trace.steps + 1):
        for slot in trace.occupied(step):
            *before, (action, _) = world.coding.decode(trace.agent_history(slot, step))
            assert plan(tuple(before)) == action


GAMMA = Fraction(9, 10)


def behaviour(kernel, value, horizon, history):
    return action_values(kernel, value, discount=GAMMA, horizon=horizon, history=history).best


def earned(kernel, value, horizon, history=()):
    """What a weighted future is worth if every later self does what it finds best when it comes to it."""
    belief = value.situation(Situations(kernel, value.mark).belief(history))
    action, worth = behaviour(kernel, value, horizon, history), Fraction()
    for branch in value.future(belief, action, len(history) + 1):
        after = (*history, (action, branch.observation))
        later = earned(kernel, value, horizon - 1, after) if horizon > 1 and branch.weight else 0
        worth += branch.weight * (branch.reward + GAMMA * later)
    return worth


def earned_on_slot_1(kernel, value):
    """What slot 1 receives in three steps if every later self does what it then finds best."""
    return oracle.on_slot(kernel, GAMMA, 3, (), 0, 1, lambda history, left: behaviour(kernel, value, left, history))


@pytest.mark.parametrize("value", [*WEIGHTED, DynamicSlotCentered()], ids=lambda value: type(value).__name__)
@given(kernel=KERNELS)
@settings(max_examples=12, deadline=None)
def test_what_is_promised_is_earned(value, kernel):
    """Time consistency: the value now is that of what the agent will in fact do."""
    assert value.time_consistent
    promised = max(action_values(kernel, value, discount=GAMMA, horizon=3).values())
    if isinstance(value, DynamicSlotCentered):
        assert promised == earned_on_slot_1(kernel, value)
    else:
        assert promised == earned(kernel, value, 3)


def test_who_thinks_to_know_its_slot_is_mistaken_about_itself():
    """It foresees pressing left on slot 1, worth 1 a step; copied, it presses right and slot 1 is paid nothing."""
    kernel, settings = BlindFork(), {"discount": 1, "horizon": 3}
    assert not KnownSlot.time_consistent
    assert max(action_values(kernel, KnownSlot(), **settings).values()) == 2
    copied = action_values(kernel, KnownSlot(), discount=1, horizon=2, history=(("left", "dark"),))
    assert copied.best == "right"
    assert max(action_values(kernel, "dyn", **settings).values()) == 0
    assert earned_on_slot_1(kernel, KnownSlot()) == 0
    trace = run(KernelWorld(kernel), {1: AIMU(kernel, KnownSlot(), discount=1, last_step=3)}, 3)
    assert sum(step[1] for step in trace.rewards) == 0


def test_a_run_longer_than_the_plan_is_refused():
    kernel = worlds.stay()
    with pytest.raises(SettingError, match=r"got len\(history\)=3; expected at most 2, the plan's last step"):
        run(KernelWorld(kernel), {1: AIMU(kernel, "cpy", discount=1, last_step=2)}, 4)


def test_arguments_are_checked():
    kernel = worlds.copy()
    with pytest.raises(UnknownNameError, match="unknown value 'cpi'; did you mean 'cpy'"):
        action_values(kernel, "cpi", discount=1, horizon=1)
    with pytest.raises(UnknownNameError, match="unknown posterior 'counts'; did you mean 'count'"):
        AIXI([kernel], "cpy", posterior="counts", discount=1, last_step=1)
    for value in ("sta", "cpy"):
        with pytest.raises(SettingError, match=r"got slot=1\.5; expected a whole number, at least 1"):
            AIMU(kernel, value, discount=1, last_step=1, slot=1.5)
    with pytest.raises(SettingError, match=r"got actions of the kernels=\[\('stay', 'copy'\), \('stay',\)\]"):
        Mixture([kernel, worlds.stay()])
    with pytest.raises(TypeError, match=r"expected an object with actions, start, outcomes; it has no start, outcomes"):
        Mixture([kernel, SimpleNamespace(actions=kernel.actions)])
    with pytest.raises(SettingError, match=r"got prior=\(1, -1\); expected 2 weights of at least 0, with a finite sum"):
        Mixture([kernel, kernel], [1, -1])
    with pytest.raises(
        SettingError, match=r"got actions=\(\); expected at least one action; use CopyCentered to count every"
    ):
        ActedSequence(())


@pytest.mark.parametrize(
    ("history", "message"),
    [
        (
            (("copy", "room 1"), ("copy", "room 2")),
            r"step 2 is \('copy', 'room 2'\), .* the observation is one of \['room 1'\]",
        ),
        ((("fly", "room 1"),), r"step 1 is \('fly', 'room 1'\), but its action is none of \('stay', 'copy'\)"),
    ],
)
@pytest.mark.parametrize("value", ["cpy", "sta", "dyn"])
def test_impossible_histories_are_refused(history, message, value):
    with pytest.raises(ImpossibleHistoryError, match=message):
        action_values(worlds.copy(), value, discount=1, horizon=1, history=history)


@pytest.mark.parametrize(
    ("history", "message"),
    [
        (("stay",), r"got history\[0\]='stay'; expected a pair \(action, observation\)"),
        (
            (("stay", "room 1"), ("stay", "room 1", 1)),
            r"got history\[1\]=\('stay', 'room 1', 1\); expected a pair \(action, observation\)",
        ),
        (("ab",), r"got history\[0\]='ab'; expected a pair \(action, observation\)"),
        ("stay", r"got history='stay'; expected a sequence of \(action, observation\) pairs"),
        (3, r"got history=3; expected a sequence of \(action, observation\) pairs"),
        (
            (("stay", ["room 1"]),),
            r"got history\[0\]=\('stay', \['room 1'\]\); expected a hashable value; use numbers,",
        ),
    ],
)
def test_histories_are_checked(history, message):
    kernel = worlds.stay()
    with pytest.raises(SettingError, match=message):
        action_values(kernel, "cpy", discount=1, horizon=1, history=history)
    with pytest.raises(SettingError, match=message):
        Plan(kernel, "cpy", 1, 5).values(history)
    with pytest.raises(SettingError, match=message):
        slot_weights(kernel, history)


def test_a_history_may_be_of_lists():
    kernel, settings = worlds.copy(), {"discount": 1, "horizon": 2}
    listed = action_values(kernel, "cpy", history=[["copy", "room 1"]], **settings)
    assert listed == action_values(kernel, "cpy", history=(("copy", "room 1"),), **settings)


def test_a_slot_that_is_never_reached_is_worth_nothing():
    """One cannot have stayed on it; it is no error, since which slots can be reached need not be known."""
    assert action_values(worlds.copy(), "sta", discount=1, horizon=5, slot=9) == {"stay": 0, "copy": 0}
