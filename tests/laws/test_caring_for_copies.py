"""Bounds, the staircase and endless plans for all copies, against every policy and joint outcome by brute force."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from multislot.errors import TooLargeError
from multislot.exact import (
    action_values,
    bracket_for_copies,
    frontier_for_copies,
    plan_for_copies,
    worth_for_copies,
)
from multislot.exact.files import worlds
from tests.multislot.exact.copies import copies_oracle as oracle

coefficients = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2)])
discounts = st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(1)])
horizons = st.integers(1, 3)


def brute_force(worlds, prior, horizon, caring, discount):
    return oracle.best_by_first_action(worlds, prior, horizon, lambda c: oracle.caring_worth(c, caring, discount))


@given(oracle.kernels(), coefficients, discounts, horizons)
@settings(max_examples=30, deadline=None)
def test_bounds_hold_and_their_policy_keeps_them(kernel, caring, discount, horizon):
    bracket = bracket_for_copies(kernel, caring=caring, discount=discount, horizon=horizon)
    best = brute_force([kernel], [1], horizon, caring, discount)
    for action, (lower, upper) in bracket.action_values.items():
        assert lower <= best[action] <= upper
    worth = worth_for_copies(kernel, bracket.policy, caring=caring, discount=discount, horizon=horizon)
    assert bracket.lower <= worth <= max(best.values()) <= bracket.upper
    if caring == 1:
        assert bracket.lower == bracket.upper


@given(oracle.kernels(), discounts, st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_the_staircase_is_best_everywhere_and_changes_only_at_its_thresholds(kernel, discount, horizon):
    frontier = frontier_for_copies(kernel, discount=discount, horizon=horizon)
    grid = [Fraction(k, 7) for k in range(8)]
    for caring in [*grid, *frontier.thresholds]:
        plan = plan_for_copies(kernel, caring=caring, discount=discount, horizon=horizon)
        piece = frontier.at(caring)
        assert piece.line.at(caring) == plan.value
        worth = worth_for_copies(kernel, piece.policy, caring=caring, discount=discount, horizon=horizon)
        assert worth == plan.value
    slopes = [piece.line.slope for piece in frontier.pieces]
    assert slopes == sorted(set(slopes))
    assert frontier.pieces[0].lower == 0
    assert frontier.pieces[-1].upper == 1


@given(oracle.kernels(), coefficients)
@settings(max_examples=40, deadline=None)
def test_a_far_horizon_comes_near_the_endless_one(kernel, caring):
    half, steps = Fraction(1, 2), 6
    try:
        endless = plan_for_copies(kernel, caring=caring, discount=half, limit=4000)
        far = plan_for_copies(kernel, caring=caring, discount=half, horizon=steps, limit=20_000)
    except TooLargeError:
        assume(False)
    most = 3 * 2 * max(caring, 1)  # three copies at most, each paid 2 at most
    assert abs(endless.value - far.value) <= most * half**steps / (1 - half)


def test_a_planner_that_counts_chance_twice_is_found_out():
    """The control: what brute force says is not what the copy-centered value or a wrong weight say."""
    kernel = worlds.copy(1, 1, 4)
    right = plan_for_copies(kernel, caring=Fraction(1, 2), discount=1, horizon=2).action_values
    assert right == {"stay": 2, "copy": Fraction(15, 2)}
    assert action_values(kernel, "cpy", discount=1, horizon=2) != right
    assert plan_for_copies(kernel, caring=1, discount=1, horizon=2).action_values != right


@pytest.mark.parametrize("action", ["stay", "copy"])
def test_floats_give_floats_near_the_fractions(action):
    exactly = plan_for_copies(worlds.copy(1, 1, 4), caring=Fraction(1, 3), discount=Fraction(9, 10), horizon=3)
    nearly = plan_for_copies(worlds.copy(1.0, 1.0, 4.0), caring=1 / 3, discount=0.9, horizon=3)
    assert type(nearly.value) is float
    assert nearly.action_values[action] == pytest.approx(float(exactly.action_values[action]))
