"""Long and infinite horizons: optima of weighted futures, and consistent policies of the dynamic value."""

from fractions import Fraction

import pytest

from multislot.errors import SettingError, TooLargeError
from multislot.exact import (
    Arrival,
    CommonAncestor,
    CopyCentered,
    DynamicSlotCentered,
    KnownSlot,
    Plan,
    PrimeSlot,
    Situations,
    UniversalKernel,
    action_values,
    stationary,
)
from multislot.exact.files import worlds
from multislot.exact.stationary import ConsistencyError, consistent_policies
from tests.multislot.exact.examples import Coin, Postponed


def test_the_horizon_may_be_long():
    kernel = worlds.copy_delete(d=700)
    worth = action_values(kernel, "dyn", discount=0.5, horizon=2000)
    assert worth["copy"] == pytest.approx(2)


def test_no_stationary_policy_is_consistent():
    """Whoever plans to do the task rather waits; whoever plans to wait rather does it."""
    with pytest.raises(ConsistencyError, match="no stationary policy is consistent") as caught:
        action_values(Postponed(Fraction(2)), "dyn", discount=Fraction(9, 10))
    assert caught.value.policies == []


def test_several_stationary_policies_are_consistent():
    """A cheaper task is done every other step: in even ones or in odd ones."""
    with pytest.raises(
        ConsistencyError, match=r"2 stationary policies are consistent, which first do \['wait', 'do'\]"
    ):
        action_values(Postponed(Fraction(7, 5)), "dyn", discount=Fraction(9, 10))


def test_one_stationary_policy_is_consistent():
    """A task that costs next to nothing is done at once, and one that costs too much never."""
    cheap = action_values(Postponed(Fraction(1, 10)), "dyn", discount=Fraction(9, 10))
    assert cheap["do"] == -Fraction(1, 10) + Fraction(1, 2) * Fraction(9, 10) * 10
    assert cheap.best == "do"
    assert action_values(Postponed(Fraction(9)), "dyn", discount=Fraction(9, 10)).best == "wait"


@pytest.mark.parametrize("cost", [Fraction(7, 5), Fraction(1, 10), Fraction(9)])
def test_a_consistent_policy_earns_what_its_values_say(cost):
    """Followed step by step along slot 1, and along the guest that shares the first situation with it."""
    kernel, discount = Postponed(cost), Fraction(9, 10)
    situations = Situations(kernel)
    for policy in consistent_policies(DynamicSlotCentered(), situations.belief(), discount):
        earned, history, slots = 0, (), {1: "even", 2: "guest"}
        for step in range(150):
            action = policy[situations.belief(history)].best if 1 in slots else None
            arrivals = {slot: kernel.outcomes(slot, state, action)[0][1].get(slot) for slot, state in slots.items()}
            earned += sum(discount**step * found.reward / 2 for found in arrivals.values() if found)
            slots = {slot: found.state for slot, found in arrivals.items() if found}
            history = (*history, (action, arrivals[1].observation))
        first = policy[situations.belief()]
        assert float(earned) == pytest.approx(float(first[first.best]), abs=1e-4)


def test_infinitely_many_situations_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(stationary, "MOST_SITUATIONS", 100)
    with pytest.raises(
        TooLargeError, match="there are more than 100 situations, the limit without a last step; give a"
    ):
        action_values(UniversalKernel(), "sta", discount=0.9)


def test_too_many_policies_to_try_are_refused(monkeypatch):
    monkeypatch.setattr(stationary, "MOST_ASSIGNMENTS", 3)
    with pytest.raises(TooLargeError, match=r"2 of which lead to each other: .* give a horizon"):
        action_values(Postponed(Fraction(2)), "dyn", discount=Fraction(9, 10))


def test_exact_solutions_of_many_entangled_situations_are_refused(monkeypatch):
    monkeypatch.setattr(stationary, "MOST_EXACT", 1)
    with pytest.raises(TooLargeError, match=r"2 situations lead to each other; .* use a float discount"):
        action_values(Postponed(Fraction(9)), "dyn", discount=Fraction(1, 2))
    assert action_values(Postponed(Fraction(9)), "dyn", discount=0.5) == {"wait": 0, "do": -6.5}


class Inheritance:
    """By chance every step pays 10¹⁴, or 1 and, with the second action, a little more."""

    actions, start = ("spend", "save"), {1: "will"}

    def outcomes(self, slot, state, action):
        if state == "will":
            return [(Fraction(1, 2), {1: Arrival(left, left, 0)}) for left in ("rich", "poor")]
        poor = 1 + Fraction(action == "save", 10**7)
        return [(1, {1: Arrival(state, state, 10**14 if state == "rich" else poor)})]


def test_a_small_gain_at_every_step_is_not_lost_in_floats():
    discount = 0.999999
    floats, fractions = Plan(Inheritance(), "cpy", discount), Plan(Inheritance(), "cpy", Fraction(discount))
    for history in ((), (("spend", "poor"),)):
        assert floats.values(history) == pytest.approx(fractions.values(history), rel=1e-9)


class Doubled(CopyCentered):
    """Every future counts twice."""

    def future(self, belief, action, step):
        for branch in super().future(belief, action, step):
            yield branch._replace(weight=2 * branch.weight)


@pytest.mark.parametrize("half", [Fraction(1, 2), 0.5, 0.75])
def test_futures_that_outgrow_the_discount_are_refused(half):
    with pytest.raises(SettingError, match=r"expected one below 1/growth, .* grow by up to 2 a step; give a horizon"):
        action_values(worlds.copy(), Doubled(), discount=half)
    assert action_values(worlds.copy(), Doubled(), discount=Fraction(1, 4))["stay"] == 4


def test_a_future_that_grows_only_once_is_finite_for_every_discount():
    for discount in (Fraction(1, 2), Fraction(9, 10), 0.75):
        endless = action_values(worlds.copy(), CommonAncestor(), discount=discount)
        assert endless["copy"] == pytest.approx(float(3 / (1 - discount)))


def test_values_that_need_a_last_step_say_so():
    for value in (PrimeSlot(), KnownSlot()):
        expected = f"got value='{type(value).__name__}'; expected one with a solution without a last step; give"
        with pytest.raises(SettingError, match=expected):
            action_values(Coin(Fraction(1, 2)), value, discount=0.5)
    with pytest.raises(SettingError, match="γ = 1 needs a horizon"):
        action_values(Coin(Fraction(1, 2)), "cpy", discount=1)
