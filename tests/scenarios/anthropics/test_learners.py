"""What learners come to do in the anthropic puzzles, and that the parts they are made of do what they say."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from multislot.engine.stream import WORLD_FOUNDER, EndlessStream
from scenarios.anthropics import absent_minded_driver as driver
from scenarios.anthropics import fission, learning
from scenarios.anthropics import sleeping_beauty as beauty
from scenarios.anthropics.absent_minded_driver import (
    GRADIENT,
    KINDS,
    NEAR_PURE,
    NEAR_RANDOM,
    Q_LEARNING,
    Road,
    drives,
)
from scenarios.anthropics.coupons import Coupon, learners
from scenarios.anthropics.learning import EVERYONE, ONE_SURVIVOR, Lesson
from scenarios.lab import registry, rounds
from tests.scenarios.lab.test_rounds import Gamble

BEAUTY = Coupon(1, 3, Fraction(3, 5))


def accepts_at_last(case, seed=0):
    decisions = case.learn(seed)
    return np.mean(decisions[-len(decisions) // 4 :]) > 0.5


@pytest.mark.parametrize(
    ("memory", "caring", "buys"),
    [(ONE_SURVIVOR, 0, False), (ONE_SURVIVOR, 1, True), (EVERYONE, 0, True), (EVERYONE, 1, True)],
)
def test_memories_and_caring_make_the_table_of_credences_and_coupons(memory, caring, buys):
    case = learners(BEAUTY, 500, memory=memory, caring=Fraction(caring))
    assert case.accepts == buys
    assert accepts_at_last(case) == buys


@pytest.mark.parametrize("off", [Fraction(-1, 24), Fraction(-1, 25), Fraction(1, 25), Fraction(1, 24)])
def test_what_learners_must_do_is_clear_only_at_a_distance_from_the_threshold(off):
    price = BEAUTY.price_on_waking_by_formula("count", "all coupons") + off
    case = learners(replace(BEAUTY, price=price), 10, memory=EVERYONE, caring=Fraction(1))
    assert (case.accepts, case.is_clear) == (off < 0, abs(off) == Fraction(1, 24))
    settings = replace(fission.Settings(), r_s=Fraction(3), r=3 + 6 * off, q=Fraction(1, 4))
    cases = fission.learning_cases(settings)  # the second is paid half of what staying pays
    assert [(case.accepts, case.is_clear) for case in cases] == [(off > 0, abs(off) == Fraction(1, 24)), (False, True)]
    assert not any(case.is_clear for case in fission.learning_cases(replace(settings, q=Fraction(6, 25))))


@pytest.mark.parametrize(("rounds", "percent"), [(200, 25), (199, 25), (200, 24)])
def test_a_verdict_needs_enough_rounds_and_a_clear_choice(rounds, percent):
    settings = replace(fission.Settings(), rounds=rounds, q=Fraction(percent, 100))
    results = [(cell, {"accepted": [1] * rounds}) for cell in fission.cells(settings) if cell.part == "learner"]
    kinds = [row.kind for row in fission.PUZZLE.learner_rows(settings, results)][1::2]
    assert set(kinds) == {"claim" if (rounds, percent) == (200, 25) else "measured"}


def test_copies_that_explore_apart_do_not_find_out():
    apart = next(one for one in beauty.learning_cases(registry.find("sleeping-beauty").settings()) if one.control)
    assert apart.accepts  # what caring copies that act alike would do
    assert not accepts_at_last(apart)


def test_no_learner_and_no_copy_draws_the_random_numbers_of_another(monkeypatch):
    """Where accepting may delete everybody, fresh learners begin again and again."""
    drawn = []
    for module in (learning, rounds):
        monkeypatch.setattr(module, "EndlessStream", lambda *keys: drawn.append(keys) or EndlessStream(*keys))
    Lesson(Gamble(), 2, 2, (0, None), 100, apart=True)(5)
    own = [founder for _, founder in drawn if founder != WORLD_FOUNDER]
    assert len(own) == len(set(own)) > 50
    assert {seed for seed, _ in drawn} == {5}


def test_the_same_seed_gives_the_same_decisions():
    once, twice = (learners(BEAUTY, 40).learn(5) for _ in range(2))
    assert once == twice
    assert len(once) == 40


def test_a_driver_without_memory_needs_a_policy_that_can_be_random():
    road = Road((Fraction(0), Fraction(4), Fraction(1)))
    reached = {kind: np.mean(drives(road, kind, 1500, seed=1)[-700:]) for kind in KINDS}
    assert reached[Q_LEARNING] == pytest.approx(1, abs=0.05)
    assert reached[GRADIENT] > 7 / 6


@pytest.mark.parametrize(("share", "said"), [(Fraction(2, 5), NEAR_PURE), (Fraction(3, 5), NEAR_RANDOM)])
def test_a_driver_is_near_the_policy_whose_worth_is_nearer_if_the_best_one_is_random(share, said):
    for end, verdicts in ((1, [said, said]), (5, [])):
        settings = registry.find("absent-minded-driver").settings({"c": end, "seeds": 2, "rounds": 40})
        best, cells = Road(settings.pays).best(), [cell for cell in driver.cells(settings) if cell.part != "map"]
        worths = [float(best.pure_value + share * (best.value - best.pure_value))] * 40
        results = [(one, {"worths": worths} if one.part == "learner" else driver.run_cell(one)) for one in cells]
        found = [row.ours for row in driver.table(settings, results) if row.quantity.startswith("what learners")]
        assert found == verdicts
