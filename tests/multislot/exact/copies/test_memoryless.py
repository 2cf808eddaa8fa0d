"""The best policy without memory: exact, at least as good as every other, random only where that can pay."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from multislot.errors import SettingError, TooLargeError
from multislot.exact import Arrival, best_memoryless, memoryless_worth
from multislot.exact.copies import optimizing
from multislot.exact.copies.plain_roots import MOST_DENOMINATOR, maximum_nearby
from multislot.exact.copies.polynomials import Algebraic, maximum

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Junctions:
    """Junctions that look alike: exit at the k-th for ``pays[k]``, or drive past all for the last of ``pays``."""

    pays: tuple = (0, 4, 1)
    actions = ("exit", "continue")
    start: ClassVar = {1: 0}

    def outcomes(self, slot, state, action):
        if state == "out":
            return [(1, {})]
        if action == "continue" and state + 2 < len(self.pays):
            return [(1, {1: Arrival(state + 1, "junction")})]
        return [(1, {1: Arrival("out", "out", self.pays[state + (action == "continue")])})]


def best(pays, **options):
    return best_memoryless(Junctions(pays), horizon=len(pays) - 1, first="junction", **options)


rewards = st.fractions(-5, 5, max_denominator=4)


@given(rewards, rewards, rewards)
def test_two_junctions_in_closed_form(a, b, c):
    """Continuing with probability p is worth ``(1−p) a + p (1−p) b + p² c``."""
    plan = best((a, b, c))

    def worth(p):
        return (1 - p) * a + p * (1 - p) * b + p * p * c

    inner = (b - a) / (2 * (b - c)) if b > c else Fraction(0)
    places = [Fraction(0), Fraction(1), *([inner] if 0 < inner < 1 else [])]
    assert plan.value == max(map(worth, places))
    assert plan.pure_value == max(a, c)
    assert memoryless_worth(Junctions((a, b, c)), plan.policy | {"out": {"exit": 1}}, horizon=2, first="junction") == (
        plan.value
    )


def test_an_irrational_optimum_is_an_interval_as_narrow_as_asked():
    width = Fraction(1, 10**20)
    plan = best((0, 4, 3, 2))  # 4p − p² − p³, largest at (√13 − 1) / 3
    chance = plan.policy["junction"]["continue"]
    assert isinstance(chance, Algebraic)
    for irrational in (chance, plan.value):
        lower, upper = irrational.within(width)
        assert irrational.lower <= lower < upper <= irrational.upper
        assert upper - lower <= width
    assert (3 * chance.lower + 1) ** 2 < 13 < (3 * chance.upper + 1) ** 2
    assert plan.policy["junction"]["exit"] == 1 - chance
    assert 3 * chance + 1 == 1 + 3 * chance > Fraction(360555127546398929, 10**17)  # √13
    assert float(plan.value) == pytest.approx((4 * float(chance)) - float(chance) ** 2 - float(chance) ** 3, abs=1e-14)
    assert "algebraic" in str(plan.value)


def test_what_is_refused(monkeypatch):
    with pytest.raises(SettingError, match="got horizon=0"):
        best_memoryless(Junctions(), horizon=0)
    monkeypatch.setattr(optimizing, "MOST_TERMS", 2)
    with pytest.raises(TooLargeError, match="more than 2 terms"):
        best((0, 4, 3, 2))


@given(st.lists(st.fractions(-4, 4, max_denominator=3), min_size=1, max_size=6))
@example([Fraction(0), Fraction(1), Fraction(-3, 2)])  # largest at 1/3, which no halving reaches
def test_without_flint_the_maximum_is_found_as_with_it(polynomial):
    place, value = maximum(polynomial)
    near, found = maximum_nearby(polynomial)
    assert float(value) == pytest.approx(float(found), abs=1e-12)
    if isinstance(place, Fraction) and place.denominator <= MOST_DENOMINATOR:
        assert (near, found) == (place, value)


class Swap:
    """Two copies see the same; by ``cross`` each goes to the other's slot, by ``stay`` it stays."""

    actions, start = ("stay", "cross"), {1: "begin"}

    def outcomes(self, slot, state, action):
        if state == "begin":
            return [(1, {1: Arrival("pair", "o"), 2: Arrival("pair", "o")})]
        return [(1, {slot if action == "stay" else 3 - slot: Arrival("pair", "o", 1)})]


def test_copies_that_draw_their_actions_do_not_meet_in_one_slot():
    """The control: they may where the policy does not let them, or after the last step."""
    for asked in (
        lambda: best_memoryless(Swap(), horizon=2),
        lambda: memoryless_worth(Swap(), {None: {"stay": 1}, "o": {"stay": HALF, "cross": HALF}}, horizon=2),
    ):
        with pytest.raises(SettingError, match="both slot 1 and slot 2 into slot 1 at step 2"):
            asked()
    assert best_memoryless(Swap(), horizon=2, fixed={"o": "cross"}).value == 2
    assert memoryless_worth(Swap(), {None: {"stay": 1}, "o": {"stay": 1, "cross": 0}}, horizon=3) == 4
    assert best_memoryless(Swap(), horizon=1).value == 0
