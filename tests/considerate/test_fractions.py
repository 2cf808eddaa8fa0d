"""Weights that are no whole numbers: probabilities, step costs and losses are compared exactly, too."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import considerate
from considerate.craftworld import task
from considerate.distributions import Distribution
from considerate.exact.paths.rationals import as_fraction
from considerate.exact.problem import PartnerReward
from multislot.errors import SettingError


def nothing(before, action, after):
    return 0


def test_what_is_maximised_is_discounted_and_thresholds_are_not_for_it():
    box = task("box")
    plain = considerate.solve(box, "value", 0, discount=Fraction(99, 100))
    steps = len(plain.actions)
    assert -steps < plain.objective < -steps * 0.99**steps
    with pytest.raises(SettingError, match="got discount=99/100; thresholds are those of γ = 1"):
        plain.thresholds  # noqa: B018


def test_numbers_of_any_size_are_weighed_exactly():
    """A hair beside the first threshold of Table 1, 1/90, the tie is gone; so it is with an unlikely future."""
    shared, hair = task("shared-key"), Fraction(1, 10**40)
    odd = Fraction(1, 2**61 - 1)
    future = Distribution((PartnerReward(shared), nothing), (odd, 1 - odd))
    for caring, returns in (
        (Fraction(1, 90) - hair, [(-24, -123)]),
        (Fraction(1, 90), [(-24, -123), (-25, -33)]),
        (Fraction(1, 90) + hair, [(-25, -33)]),
    ):
        for solution in (
            considerate.solve(shared, "sim", caring),
            considerate.solve(shared, "sim", caring / odd, futures={"agent_2": future}),
        ):
            assert [tuple(found.returns.values()) for found in (solution, *solution.ties)] == returns


@pytest.mark.parametrize("caring", [0.8093601412916109, math.pi / 4, np.float32(0.7)])
def test_a_computed_coefficient_does_what_the_frontier_says(caring):
    for chosen in (task("shared-key"), task("box")):
        solution = considerate.solve(chosen, "sim", caring)
        assert solution.returns == considerate.frontier(chosen, "sim").at(caring).returns


@given(st.lists(st.floats(-1, 0), min_size=3, max_size=3))
@settings(max_examples=10, deadline=None)
def test_rewards_that_were_learned_are_added_up_exactly(rewards):
    """Any floats; the sum over the way found is theirs, as fractions."""
    box = task("box")

    def learned(before, action, after):
        return rewards[sum(after.cell) % 3]

    solution = considerate.solve(box, "sim", 1, futures={"agent_2": learned})
    gained = sum(as_fraction(learned(None, None, after)) for after in solution.trajectory[1:])
    assert solution.objective == solution.own_return + gained


@pytest.mark.parametrize("criterion", ["value", "neg", "per_agent", "sim"])
@pytest.mark.parametrize("caring", [np.int8(10), np.uint8(200), np.int64(2**61)])
def test_coefficients_of_numpy_do_not_overflow(criterion, caring):
    box = task("box")
    found, expected = (considerate.solve(box, criterion, alpha) for alpha in (caring, int(caring)))
    assert (found.returns, found.term, found.objective) == (expected.returns, expected.term, expected.objective)
    assert found.thresholds == expected.thresholds


def test_whole_numbers_are_integers():
    """Whatever fractions they were summed up from."""
    solution = considerate.solve(task("box"), "value", Fraction(1, 2), futures={"agent_2": lambda state: Fraction(-84)})
    assert [type(number) for number in (*solution.returns.values(), solution.term, solution.objective)] == [int] * 4
