"""Ratifiable policies: the driver, two theorems on random worlds, and pairs that fail."""

from fractions import Fraction
from typing import ClassVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.errors import SettingError, UnknownNameError
from multislot.exact import Arrival, Mixture, plan_for_copies, ratifiable
from tests.multislot.exact.copies.test_coins import SAME, Blind
from tests.worlds.generator import worlds

HALF = Fraction(1, 2)


class Road:
    """The absent-minded driver, who is put on the road first, so that each junction is an observation."""

    actions = ("exit", "continue")
    start: ClassVar = {1: "home"}

    def outcomes(self, slot, state, action):
        if state == "home":
            return [(1, {1: Arrival(0, "junction")})]
        if state == "out":
            return [(1, {})]
        if (state, action) == (0, "continue"):
            return [(1, {1: Arrival(1, "junction")})]
        return [(1, {1: Arrival("out", "out", {(0, "exit"): 0, (1, "exit"): 4, (1, "continue"): 1}[state, action])})]


@given(worlds((2, 2)), worlds((2, 2)), st.sampled_from([Fraction(0), HALF, Fraction(1)]))
def test_the_two_theorems(one, other, caring):
    world = Mixture((one, other), (1, 2))
    best = plan_for_copies(world, caring=caring, discount=Fraction(9, 10), horizon=2, coins="private")
    assume(isinstance(getattr(best, "value", None), Fraction))
    options = {"caring": caring, "discount": Fraction(9, 10), "horizon": 2}
    assert float(ratifiable(world, best.policy, "causal", "count", **options).regret) <= 1e-12
    assert float(ratifiable(world, best.policy, "evidential", "exists", **options).regret) <= 1e-12


class Beauty:
    """One world of Sleeping Beauty: so many wake, and each may buy a coupon that pays 1 after tails."""

    actions = ("refuse", "buy")

    def __init__(self, copies, price):
        self.copies, self.price, self.start = copies, price, {1: "asleep"}

    def outcomes(self, slot, state, action):
        if state == "asleep":
            return [(1, {i + 1: Arrival("awake", "awake") for i in range(self.copies)})]
        return [(1, {slot: Arrival("over", "over", (self.copies > 1) - self.price if action == "buy" else 0)})]


def test_without_a_horizon_it_ends_with_the_last_agent_or_the_mapping():
    policy = {(): "A", SAME: "A"}
    assert ratifiable(Blind(), policy, "causal", "count", caring=0).regret == 2
    with pytest.raises(SettingError, match="somebody is alive after 12 steps"):
        ratifiable(Beauty(1, 0), lambda history: "buy")


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'evidential'"):
        ratifiable(Blind(), {(): "A", SAME: "A"}, "evidental")
    with pytest.raises(UnknownNameError, match="did you mean 'count'"):
        ratifiable(Blind(), {(): "A", SAME: "A"}, "causal", "counts")
    with pytest.raises(SettingError, match="an action for every history that it reaches"):
        ratifiable(Blind(), {(): "A"}, horizon=2)
    with pytest.raises(SettingError, match="'count' or 'exists' without memory"):
        ratifiable(Road(), {}, "causal", "own", memory=False, horizon=2)
