"""The values of Orseau 2014 equal, to the last digit, what their formulas give on whole histories."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot.exact import StaticSlotCentered, action_values, slot_weights
from tests.multislot.exact import oracle

discounts = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(9, 10), 1])
horizons = st.integers(1, 3)


def assert_same(ours, theirs):
    assert ours == theirs
    assert list(ours) == list(theirs)
    assert all(type(number) is Fraction for number in ours.values())


def some_history(kernel, choice):
    histories = list(oracle.possible_histories(kernel, 2))
    return histories[choice % len(histories)]


@given(oracle.kernels(), discounts, horizons, st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_copy_centered(kernel, discount, horizon, choice):
    history = some_history(kernel, choice)
    ours = action_values(kernel, "cpy", discount=discount, horizon=horizon, history=history)
    assert_same(ours, oracle.copy_centered(kernel, discount, horizon, history))
    assert ours.best == oracle.first_best(ours)


@given(oracle.kernels(), discounts, horizons, st.integers(0, 100), st.sampled_from([1, 2, 3]))
@settings(max_examples=40, deadline=None)
def test_static_slot_centered(kernel, discount, horizon, choice, slot):
    history = some_history(kernel, choice)
    ours = action_values(kernel, "sta", discount=discount, horizon=horizon, slot=slot, history=history)
    assert_same(ours, oracle.static(kernel, discount, horizon, slot, history))
    assert_same(
        action_values(kernel, StaticSlotCentered(slot), discount=discount, horizon=horizon, history=history), ours
    )


@given(oracle.kernels(), discounts, horizons, st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_dynamic_slot_centered(kernel, discount, horizon, choice):
    history = some_history(kernel, choice)
    ours = action_values(kernel, "dyn", discount=discount, horizon=horizon, history=history)
    assert_same(ours, oracle.dynamic(kernel, discount, horizon, history))


@given(oracle.kernels(), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_slot_weights(kernel, choice):
    history = some_history(kernel, choice)
    assert slot_weights(kernel, history) == oracle.slot_weights(kernel, history)


@given(oracle.kernels(), discounts, st.sampled_from(["cpy", "sta", "dyn"]))
@settings(max_examples=30, deadline=None)
def test_floats_agree_with_fractions(kernel, discount, value):
    exact = action_values(kernel, value, discount=discount, horizon=3)
    rough = action_values(kernel, value, discount=float(discount), horizon=3)
    assert all(type(number) is float for number in rough.values())
    assert rough == pytest.approx(exact)
