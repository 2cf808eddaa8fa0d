"""Ratifiable policies: the driver, two theorems on random worlds, and pairs that fail."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

import pytest
from hypothesis import assume, given, settings
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


def drive(chance, theory, posterior):
    policy = {None: "exit", "junction": {"exit": 1 - chance, "continue": chance}, "out": "exit"}
    return ratifiable(Road(), policy, theory, posterior, horizon=4, memory=False)


def test_the_driver_at_two_thirds():
    assert drive(Fraction(2, 3), "causal", "count").regret == 0
    assert drive(Fraction(2, 3), "evidential", "exists").regret == 0
    assert drive(Fraction(2, 3), "causal", "exists").regret == Fraction(1, 9)
    assert drive(Fraction(2, 3), "evidential", "count").regret > 0
    for theory, posterior in product(("causal", "evidential"), ("count", "exists")):
        found = drive(Fraction(1), theory, posterior)
        assert found.regret > 0
        assert found.where == "junction"


def test_two_blind_copies_keep_to_their_coins_and_not_to_the_best_plan():
    best = plan_for_copies(Blind(), caring=0, discount=1, horizon=2, coins="private")
    assert ratifiable(Blind(), best.policy, "causal", "count", caring=0, horizon=2).regret == 0
    plain = ratifiable(Blind(), lambda history: "A", "causal", "count", caring=0, horizon=2)
    assert plain.regret == 2
    assert plain.where == SAME
    assert plain.preferred[SAME] == "B"
    evidential = ratifiable(Blind(), lambda history: "A", "evidential", "exists", caring=0, horizon=2)
    assert evidential.regret == Fraction(4, 5)
    assert evidential.preferred[SAME] == {"A": Fraction(3, 5), "B": Fraction(2, 5)}


@given(worlds((2, 2)), worlds((2, 2)), st.sampled_from([Fraction(0), HALF, Fraction(1)]))
@settings(max_examples=25, deadline=None)
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


@pytest.mark.parametrize(
    ("theory", "posterior", "price"),
    [
        ("causal", "exists", HALF),
        ("causal", "sequential", HALF),
        ("causal", "count", Fraction(2, 3)),
        ("causal", "own", Fraction(2, 3)),
        ("evidential", "exists", Fraction(2, 3)),
        ("evidential", "count", Fraction(4, 5)),
    ],
)
def test_the_prices_of_sleeping_beauty(theory, posterior, price):
    """The four prices that are known for two copies, and those of the other rules."""
    awake = (("refuse", "awake"),)
    for step, buys in ((-Fraction(1, 100), True), (Fraction(1, 100), False)):
        world = Mixture([Beauty(n, price + step) for n in (1, 2)])
        for act in ("refuse", "buy"):
            found = ratifiable(world, lambda h, act=act: act if h else "refuse", theory, posterior, horizon=2)
            assert (found.regrets[awake] == 0) == (buys == (act == "buy"))


@dataclass(frozen=True)
class Paid:
    """A kernel that also pays everybody 5 for the first step."""

    kernel: object
    actions = Road.actions
    start = property(lambda paid: {slot: (0, state) for slot, state in paid.kernel.start.items()})

    def outcomes(self, slot, state, action):
        step, inner = state
        for chance, arrivals in self.kernel.outcomes(slot, inner, action):
            yield (
                chance,
                {
                    target: Arrival((step + 1, arrival.state), arrival.observation, arrival.reward + 5 * (step == 0))
                    for target, arrival in arrivals.items()
                },
            )


@pytest.mark.parametrize("theory", ["causal", "evidential"])
@pytest.mark.parametrize("posterior", ["count", "exists"])
def test_what_was_paid_before_changes_no_regret(theory, posterior):
    def regrets(kernel):
        policy = {"exit": HALF, "continue": HALF}
        return ratifiable(kernel, lambda seen: policy, theory, posterior, horizon=3, memory=False).regrets["junction"]

    assert regrets(Paid(Road())) == regrets(Road()) > 0


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
