"""Endless plans for all copies are near those of a far horizon, and floats near fractions."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.errors import TooLargeError
from multislot.exact import plan_for_copies
from multislot.exact.files import worlds
from tests.worlds import generator

coefficients = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2)])


@given(generator.worlds((2, 2)), coefficients)
def test_a_far_horizon_comes_near_the_endless_one(kernel, caring):
    half, steps = Fraction(1, 2), 6
    try:
        endless = plan_for_copies(kernel, caring=caring, discount=half, limit=4000)
        far = plan_for_copies(kernel, caring=caring, discount=half, horizon=steps, limit=20_000)
    except TooLargeError:
        assume(False)
    most = 3 * 3 * max(caring, 1)  # three copies at most, each paid 3 at most
    assert abs(endless.value - far.value) <= most * half**steps / (1 - half)


@pytest.mark.parametrize("action", ["stay", "copy"])
def test_floats_give_floats_near_the_fractions(action):
    exactly = plan_for_copies(worlds.copy(1, 1, 4), caring=Fraction(1, 3), discount=Fraction(9, 10), horizon=3)
    nearly = plan_for_copies(worlds.copy(1.0, 1.0, 4.0), caring=1 / 3, discount=0.9, horizon=3)
    assert type(nearly.value) is float
    assert nearly.action_values[action] == pytest.approx(float(exactly.action_values[action]))
