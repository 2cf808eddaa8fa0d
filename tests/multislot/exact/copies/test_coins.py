"""Policies with coins: exact, as good as every policy of a grid, and better than plans only where they can be."""

import random
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError, UnknownNameError
from multislot.exact import Arrival, plan_for_copies, worth_for_copies
from multislot.exact.copies import optimizing
from multislot.exact.copies.caring import Question
from multislot.exact.copies.coins import Unknowns
from multislot.exact.copies.optimizing import Polynomial, maximize
from multislot.exact.copies.polynomials import Algebraic, maximum
from tests.worlds.generator import worlds

HALF = Fraction(1, 2)
SAME = (("A", "same"),)


class Pays:
    """Copies that see the same; an action pays as a table says, and deletes where the table says nothing."""

    start = {1: "begin"}  # noqa: RUF012  # a kernel as users write it

    def __init__(self, actions, pays, copies=3):
        self.actions, self.pays, self.copies = actions, pays, range(1, copies + 1)

    def outcomes(self, slot, state, action):
        if state == "begin":
            return [(1, {i: Arrival("parted", "same") for i in self.copies})]
        pay = self.pays.get((slot, action))
        return [(1, {} if pay is None else {slot: Arrival("end", "end", pay)})]


Blind = partial(Pays, ("A", "B"), {(1, "A"): 10, (2, "A"): -8, (1, "B"): 0}, copies=2)
"""Two copies; A pays slot 1 ten and costs slot 2 eight, B deletes slot 2."""


def plan(kernel, coins, **objective):
    return plan_for_copies(kernel, discount=1, horizon=2, coins=coins, **objective)


def test_an_irrational_optimum_is_shown_as_algebraic():
    def one_is_best(rewards):
        return {1: Fraction(1), 2: Fraction(1, 3)}.get(sum(rewards), 0)

    world = Pays(
        ("go", "wait"), {(slot, action): int(action == "go") for slot in (1, 2, 3) for action in ("go", "wait")}
    )
    private = plan(world, "private", criterion=one_is_best)
    assert isinstance(private.value, Algebraic)
    assert "algebraic" in repr(private)
    assert [private.value == other for other in (1, 0.5, HALF, "no number", None)] == [False] * 5
    assert private.lower < private.value < private.upper
    chance = private.policy((("go", "same"),))["go"]  # 3p(1 − p)² + p²(1 − p) is largest where 6p² − 10p + 3 = 0
    assert float(chance) == pytest.approx((5 - 7**0.5) / 6, abs=1e-15)
    assert float(private.value) == pytest.approx((10 + 7 * 7**0.5) / 54, abs=1e-15)
    worth = worth_for_copies(world, private.policy, criterion=one_is_best, discount=1, horizon=2)
    assert float(worth) == pytest.approx(float(private.value), abs=1e-14)


@given(worlds((2, 2)), st.integers(1, 2))
def test_for_the_sum_private_coins_gain_nothing(kernel, horizon):
    """The theorem; a criterion that happens to be the sum has its polynomial maximized, and the two agree."""
    best = Question(kernel, Fraction(9, 10), horizon).plan(Fraction(1)).value
    undiscounted = plan_for_copies(kernel, discount=1, horizon=horizon).value
    assert plan_for_copies(kernel, discount=1, horizon=horizon, coins="private", criterion=sum).value == undiscounted
    assert plan_for_copies(kernel, discount=Fraction(9, 10), horizon=horizon, coins="private").value == best


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'private'"):
        plan(Blind(), "privat")
    with pytest.raises(SettingError, match="private coins need a last step"):
        plan_for_copies(Blind(), caring=0, discount=HALF, coins="private")
    with pytest.raises(SettingError, match="probabilities of actions that sum to 1"):
        worth_for_copies(Blind(), lambda history: {"A": HALF}, discount=1, horizon=2)


@pytest.mark.parametrize("limit", ["MOST_BRANCHES", "MOST_BOXES", "MOST_BERNSTEIN", "MOST_TERMS"])
@given(st.dictionaries(st.tuples(*[st.integers(0, 2)] * 3), st.integers(-5, 5), max_size=5))
def test_bounds_hold_however_little_may_be_searched(limit, terms):
    polynomial = Polynomial(
        {tuple((u, k) for u, k in enumerate(powers) if k): Fraction(c) for powers, c in terms.items()}
    )
    with mock.patch.object(optimizing, limit, 0 if limit != "MOST_TERMS" else optimizing.MOST_TERMS):
        found = maximize(polynomial)
    points = [dict(enumerate(shares)) for shares in product([Fraction(i, 4) for i in range(5)], repeat=3)]
    assert max(map(polynomial.at, points)) <= found.upper
    place = {u: found.place.get(u, Fraction()) for u in range(3)}
    assert all(0 <= share <= 1 for share in place.values())
    if all(isinstance(share, Fraction) for share in place.values()):
        assert found.lower <= polynomial.at(place) <= found.upper
    if limit == "MOST_TERMS":  # nothing is limited
        assert float(found.upper - found.lower) <= 0.05 * sum(abs(factor) for factor in terms.values()) + 1e-9


def test_an_unknown_that_vanishes_with_another_one_is_no_matter():
    x, y, z = map(Polynomial.unknown, range(3))
    found = maximize(y * y * (x * x + z - 3 * z * z))
    assert found.lower <= Fraction(13, 12) <= found.upper <= found.lower + Fraction(1, 1000)


def test_a_maximum_in_a_corner_is_found_though_nothing_only_rises_or_falls_there():
    left, right = (1 - Polynomial.unknown(unknown) for unknown in range(2))
    found = maximize(left * right - left * left - right * right)
    assert (found.lower, found.place) == (0, {0: 1, 1: 1})
    assert found.upper < Fraction(1, 1000)


def assert_the_order_of_actions_is_no_matter(pays):
    plans = [(Pays(actions, pays), actions[0]) for actions in permutations("ABC")]
    found = [(kernel, first, plan(kernel, "private", caring=0)) for kernel, first in plans]
    values = [private.value for _, _, private in found if hasattr(private, "value")]
    assert all(value == values[0] for value in values)
    assert max(private.lower for *_, private in found) <= min(private.upper for *_, private in found) + TINY
    for kernel, first, private in found:
        chances = private.policy(((first, "same"),))
        assert abs(sum(map(float, chances.values())) - 1) < TINY
        worth = worth_for_copies(kernel, private.policy, caring=0, discount=1, horizon=2)
        assert abs(worth - private.lower) < TINY


TINY = Fraction(1, 10**11)  # an irrational value lies in an interval of this order
IRRATIONAL = {(1, "B"): 0, (2, "A"): -1, (2, "C"): -2, (3, "B"): -1, (3, "C"): 3}


def test_with_three_actions_every_order_gives_the_same_value():
    assert_the_order_of_actions_is_no_matter(IRRATIONAL)
    best = plan(Pays("ABC", IRRATIONAL), "private", caring=0)
    assert isinstance(best.value, Algebraic)
    assert float(best.value) == pytest.approx(0.51076749, abs=1e-8)


def random_pays(seed):
    drawn = random.Random(seed)
    return {(slot, a): drawn.randint(-3, 3) for slot in (1, 2, 3) for a in "ABC" if drawn.random() < 0.6}


IRRATIONAL_SEEDS = (218, 400, 444, 4, 56, 222, 289, 387, 542, 590, 235, 337)  # the others are mostly fractions


@pytest.mark.slow
def test_with_three_actions_every_order_gives_the_same_value_in_random_worlds():
    for seed in {*range(100), *IRRATIONAL_SEEDS}:
        assert_the_order_of_actions_is_no_matter(random_pays(seed))


def test_two_irrational_shares_are_multiplied_to_many_digits():
    root = Algebraic((Fraction(-1), Fraction(0), Fraction(2)), (Fraction(0), Fraction(1)))  # the root of 1/2
    chances = Unknowns("ABC").located([root, root])
    assert sum(map(float, chances.values())) == pytest.approx(1, abs=1e-15)
    assert abs(chances["B"] - Fraction("0.20710678118654752440084436210485")) < Fraction(1, 10**28)


def test_irrational_shares_are_calculated_with_like_other_numbers():
    """x - 2/3 x³ is largest at √½, where it is 2/3 of √½."""
    root, value = maximum([Fraction(0), Fraction(1), Fraction(0), Fraction(-2, 3)])
    assert value == root * Fraction(2, 3) == Fraction(2, 3) * root
    assert float(root) == pytest.approx(0.5**0.5, abs=1e-15)
    assert (1 - root) == -(root - 1) != root
    assert (root - Fraction(1, 4)) * 4 == 4 * root - 1
    assert root * 0 == 0
    assert sorted([1, root, Fraction(5, 7), 0.7, value, -root]) == [-root, value, 0.7, root, Fraction(5, 7), 1]
    assert [0.5 + root, root - 0.5, 2.0 * root] == pytest.approx([1.2071067811865475, 0.20710678118654757, 2**0.5])
    assert str(root) == "0.707106781187 (algebraic: 2x^2 - 1 = 0)"
    assert str(1 - 3 * root) == "-1.12132034356 (algebraic: 2x^2 - 4x - 7 = 0)"
    for wrong in (lambda: root + "x", lambda: root * "x", lambda: root < "x"):
        with pytest.raises(TypeError):
            wrong()
