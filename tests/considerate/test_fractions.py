"""Weights that are no whole numbers: probabilities, step costs and losses are compared exactly, too."""

from fractions import Fraction

import pytest

import considerate
from considerate.craftworld import task
from considerate.distributions import Distribution
from considerate.known import PartnerReward
from multislot.errors import SettingError


def nothing(before, action, after):
    return 0


def test_probabilities_of_futures_are_weighed_exactly():
    """Whoever expects the partner's reward with probability 2/5 has the first threshold of Table 1 at 1/90 · 5/2."""
    shared = task("shared-key")
    future = Distribution((PartnerReward(shared), nothing), (Fraction(2, 5), Fraction(3, 5)))
    for caring, returns in (
        (Fraction(1, 40), (-24, -123)),
        (Fraction(1, 30), (-25, -33)),
        (1, (-25, -33)),
        (3, (-33, -25)),
    ):
        solution = considerate.solve(shared, "sim", caring, futures={"agent_2": future})
        assert tuple(solution.returns.values()) == returns, caring


def test_what_is_maximised_is_discounted_and_thresholds_are_not_for_it():
    box = task("box")
    plain = considerate.solve(box, "value", 0, discount=Fraction(99, 100))
    steps = len(plain.actions)
    assert -steps < plain.objective < -steps * 0.99**steps
    with pytest.raises(SettingError, match="thresholds are those of γ = 1; this solution has γ = 99/100"):
        plain.thresholds  # noqa: B018


def test_numbers_without_a_small_common_denominator_are_refused():
    shared = task("shared-key")
    odd = Fraction(1, 999_983)
    future = Distribution((PartnerReward(shared), nothing), (odd, 1 - odd))
    assert considerate.solve(shared, "sim", Fraction(1, 999_961), futures={"agent_2": future}).own_return == -24
    with pytest.raises(SettingError, match="no small common denominator"):
        considerate.solve(shared, "sim", Fraction(1, 2**50 + 1), futures={"agent_2": future})
