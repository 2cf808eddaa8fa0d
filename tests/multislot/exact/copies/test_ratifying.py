"""Ratifiable policies: the driver, two theorems on random worlds, and pairs that fail."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.errors import SettingError, UnknownNameError
from multislot.exact import Mixture, plan_for_copies, ratifiable, stay
from tests.multislot.exact.copies.test_coins import SAME, Blind
from tests.worlds.generator import worlds

HALF = Fraction(1, 2)


@given(worlds((2, 2)), worlds((2, 2)), st.sampled_from([Fraction(0), HALF, Fraction(1)]))
def test_the_two_theorems(one, other, caring):
    world = Mixture((one, other), (1, 2))
    best = plan_for_copies(world, caring=caring, discount=Fraction(9, 10), horizon=2, coins="private")
    assume(isinstance(getattr(best, "value", None), Fraction))
    options = {"caring": caring, "discount": Fraction(9, 10), "horizon": 2}
    assert float(ratifiable(world, best.policy, "causal", "count", **options).regret) <= 1e-12
    assert float(ratifiable(world, best.policy, "evidential", "exists", **options).regret) <= 1e-12


def test_without_a_horizon_it_ends_with_the_last_agent_or_the_mapping():
    policy = {(): "A", SAME: "A"}
    assert ratifiable(Blind(), policy, "causal", "count", caring=0).regret == 2
    with pytest.raises(SettingError, match="somebody is alive after 12 steps"):
        ratifiable(stay(), lambda history: "stay")


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'evidential'"):
        ratifiable(Blind(), {(): "A", SAME: "A"}, "evidental")
    with pytest.raises(UnknownNameError, match="did you mean 'count'"):
        ratifiable(Blind(), {(): "A", SAME: "A"}, "causal", "counts")
    with pytest.raises(SettingError, match="an action for every history that it reaches"):
        ratifiable(Blind(), {(): "A"}, horizon=2)
    with pytest.raises(SettingError, match="'count' or 'exists' without memory"):
        ratifiable(Blind(), {}, "causal", "own", memory=False, horizon=2)
