"""Ratifiable policies: the driver, two theorems on random worlds, and pairs that fail."""

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.errors import SettingError, TooLargeError, UnknownNameError
from multislot.exact import Arrival, Mixture, best_memoryless, copy, plan_for_copies, ratifiable, stay, world_named
from tests.multislot.exact.copies.test_coins import SAME, Blind
from tests.multislot.exact.oracle import TableKernel
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


@pytest.mark.parametrize("pair", [("causal", "count"), ("evidential", "exists")])
@pytest.mark.parametrize("size", [1, 10**9])
def test_the_best_policy_is_ratifiable_if_its_coin_is_irrational(pair, size):
    """The control: the same coin rounded to 40 digits, which is a rational policy, has a regret."""
    table = {(i, state, a): [(1, {})] for i in (1, 2, 3) for state in ("awake", "end") for a in (0, 1)}
    table |= {(1, 0, a): [(1, {i: Arrival("awake", "awake") for i in (1, 2, 3)})] for a in (0, 1)}
    for (slot, a), pay in {(1, 0): 1, (2, 0): 9, (2, 1): 4, (3, 0): 3}.items():
        table[slot, "awake", a] = [(1, {slot: Arrival("end", "end", pay * size)})]
    best = plan_for_copies(TableKernel(table), caring=0, horizon=2, discount=1, coins="private")
    found = ratifiable(TableKernel(table), best, *pair, 0, horizon=2)
    assert (found.regret, bool(found), [*found.regrets.values()]) == (0, True, [0, 0])
    coin = sum(best.policy(((0, "awake"),))[1].within(Fraction(1, 10**40))) / 2
    rounded = {(): 0, ((0, "awake"),): {0: 1 - coin, 1: coin}}
    assert 0 < float(ratifiable(TableKernel(table), rounded, *pair, 0).regret) < size * 1e-30


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
    with pytest.raises(TypeError, match=r"got history=None; .*; a policy of observations needs memory=False"):
        ratifiable(copy(), best_memoryless(copy(), horizon=3))
    with pytest.raises(SettingError, match="'count' or 'exists' without memory"):
        ratifiable(Blind(), {}, "causal", "own", memory=False, horizon=2)
    with pytest.raises(TooLargeError, match="900 steps are too many to foresee what"):
        ratifiable(stay(), lambda history: "stay", horizon=900)
    with pytest.raises(SettingError, match="got caring=-2; expected at least -1 where an agent has 2 copies"):
        ratifiable(Blind(), {(): "A", SAME: "A"}, "causal", "own", caring=-2)


def test_a_driver_who_is_counted_twice_prefers_the_largest_quotient():
    """By count, going on with probability p is worth (8p − 6p²) / (1 + p), largest at √(7/3) − 1."""
    driver, coin = world_named("absent-minded-driver"), {"drive on": Fraction(2, 3), "exit": Fraction(1, 3)}
    ask = {None: "exit", "a junction": coin, "home": "exit"}.__getitem__
    once = ratifiable(driver, ask, "evidential", "exists", horizon=3, memory=False)
    assert (once.regret, bool(once)) == (0, True)
    found, p = ratifiable(driver, ask, "evidential", "count", horizon=3, memory=False), (7 / 3) ** 0.5 - 1
    assert float(found.regret) == pytest.approx((8 * p - 6 * p * p) / (1 + p) - 1.6, abs=1e-12)
    assert float(found.preferred["a junction"]["drive on"]) == pytest.approx(p, abs=1e-6)
    assert found.where == "a junction"
    causal = ratifiable(driver, ask, "causal", "count", horizon=3, memory=False)
    assert causal.regret == 0  # 2/3 is best from the beginning


@dataclass(frozen=True)
class Junctions:
    """Junctions that look the same: a drive ends where its turns are paid, or when no more turns are."""

    paid: dict
    actions = (0, 1, 2)
    start = MappingProxyType({1: None})

    def outcomes(self, slot, turns, action):
        if turns == "end":
            return [(1, {})]
        turns = () if turns is None else (*turns, action)
        is_over = turns in self.paid or len(turns) == max(map(len, self.paid))
        state, seen = ("end", "end") if is_over else (turns, "junction")
        return [(1, {1: Arrival(state, seen, self.paid.get(turns, 0))})]


PAIRS = {(0, 1): 2, (0, 2): 3, (1, 2): 4}  # best at 4/23, 9/23, 10/23
STOPS = {(2,): -56, (0, 0): -1225, (0, 1): 314, (0, 2): 314, (1, 0): 26, (1, 1): -55, (1, 2): 26}


@pytest.mark.parametrize(
    ("paid", "parts", "rule", "regret"),
    [
        (PAIRS, (4, 9, 10), "exists", 0),
        (PAIRS, (5, 8, 10), "count", Fraction(2, 23**2)),
        (STOPS, (1018, 2991, 4991), "count", Fraction(56133, 6504500)),
        ({(0, 1, 1, 2, 2): 1}, (1, 2, 2), "exists", None),
    ],
)
def test_evidential_regrets_of_three_actions(paid, parts, rule, regret):
    coin = {action: Fraction(part, sum(parts)) for action, part in enumerate(parts)}
    policy, options = {None: 0, "junction": coin, "end": 0}, {"horizon": 7, "memory": False}
    if regret is None:
        with pytest.raises(TooLargeError, match="whether the policy has a regret at 'junction' is not decided"):
            ratifiable(Junctions(paid), policy, "evidential", rule, **options)
    else:
        assert ratifiable(Junctions(paid), policy, "evidential", rule, **options).regret == regret


def test_regret_at_the_beginning_counts_without_memory_too():
    """What is seen there is None, as is `where` of a policy that is ratifiable."""
    stays = ratifiable(copy(), lambda seen: "stay", horizon=1, memory=False)
    assert (stays.regret, stays.preferred, stays.is_ratifiable) == (2, {None: "copy"}, False)
    assert ratifiable(copy(), lambda seen: "copy", horizon=1, memory=False)
