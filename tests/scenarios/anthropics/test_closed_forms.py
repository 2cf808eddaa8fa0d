"""The anthropic puzzles against their closed forms, as fractions, beyond the scenarios' own grids."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.exact import action_values, plan_for_copies
from multislot.exact.futures import VALUES
from scenarios.anthropics import absent_minded_driver as driver
from scenarios.anthropics import branch_line, doomsday, fission
from scenarios.anthropics import copy_dilemma as dilemma
from scenarios.anthropics import sleeping_beauty as beauty
from scenarios.anthropics.absent_minded_driver import Road
from scenarios.anthropics.copy_dilemma import COOPERATE, DEFECT, equilibria
from scenarios.anthropics.coupons import COUPONS, RULES, Coupon
from scenarios.anthropics.fission import CLEAR
from scenarios.lab.table import beside_papers
from tests.scenarios.identity.test_decisions import named

HALF = Fraction(1, 2)
unit = st.fractions(0, 1, max_denominator=6)
alphas = st.fractions(0, 3, max_denominator=4)
rewards = st.fractions(0, 6, max_denominator=3)


@given(st.integers(1, 4), st.integers(1, 5), unit, alphas, st.booleans())
def test_coupons(few, more, price, caring, told):
    coupon = Coupon(few, few + more, price, told)
    worth = coupon.worth(caring)
    assert worth == coupon.worth_by_formula(caring)
    plan = plan_for_copies(coupon.mixture(), caring=caring, discount=1, horizon=coupon.length)
    assert (plan.policy(coupon.history) == "buy") == (worth > 0) == (price < coupon.threshold(caring))
    for rule in RULES:
        assert coupon.credence(rule) == coupon.credence_by_formula(rule, told=told)
        for counted in COUPONS:
            assert coupon.price_on_waking(rule, counted) == coupon.price_on_waking_by_formula(rule, counted)


def test_a_rule_is_an_engine_s_own_value():
    """The price of ``count, own coupon`` is where the copy-centered value of buying is 0."""
    coupon = Coupon(1, 2, Fraction(2, 3))
    for rule, sign in (("count", 0), ("exists", -1)):
        values = action_values(coupon.mixture(rule), "cpy", discount=1, horizon=1, history=coupon.history)
        assert (values["buy"] > 0) - (values["buy"] < 0) == sign


@given(st.integers(2, 5), unit)
def test_remembering_awakenings_is_worth_something(n, price):
    without = max(Fraction(0), (n * (1 - price) - price) / 2)
    assert beauty.worth_with_memory(n, price) >= without


@given(*(st.fractions(-4, 6, max_denominator=2) for _ in range(3)))
def test_the_driver_neither_gains_here_nor_loses_by_the_plan(a, b, c):
    pays = (a, b, c)
    p = driver.chance(a, b, c)
    assert Road(pays).best().value == driver.worth(a, b, c, p) == Road(pays).worth(p)
    assume(0 < p < 1)
    values = [Road(pays).here_and_now(1 / (1 + p), p, here) for here in (Fraction(0), HALF, Fraction(1))]
    assert len(set(values)) == 1


@given(unit, alphas)
def test_equilibria_of_copies(differ, caring):
    game = replace(named(dilemma).settings(), δ=differ)
    found = equilibria(game, caring)
    assert found, "a game of two actions and two alike histories always has one"
    assert ((COOPERATE, COOPERATE) in found) == (caring >= dilemma.threshold(game, COOPERATE))
    assert ((DEFECT, DEFECT) in found) == (caring <= dilemma.threshold(game, DEFECT))


@given(unit, rewards, rewards, rewards, st.integers(2, 5), st.integers(1, 4))
def test_the_branch_line_for_everyone(discount, r_s, r_b, r_2, horizon, d):
    assume(discount > 0 and d < horizon)
    scenario = named(branch_line)
    asked = replace(scenario.settings(), discount=discount, r_s=r_s, r_b=r_b, r_2=r_2, T=horizon, d=d)
    assert branch_line.PUZZLE.worths(asked) == branch_line.PUZZLE.worths_by_formula(asked)


@given(unit, unit, rewards, rewards, st.integers(1, 4))
def test_fission_for_everyone(discount, q, r_s, r, horizon):
    assume(discount > 0)
    asked = replace(named(fission).settings(), discount=discount, q=q, r_s=r_s, r=r, T=horizon)
    assert fission.PUZZLE.worths(asked) == fission.PUZZLE.worths_by_formula(asked)


def test_every_value_of_the_engine_is_asked():
    assert set(VALUES) < set(branch_line.PUZZLE.worths_by_formula(named(branch_line).settings()))


def test_an_overlap_beyond_the_horizon_is_refused():
    with pytest.raises(SettingError, match="d=4 is not below T=4"):
        named(branch_line).settings({"d": 4})


@pytest.mark.parametrize("puzzle", [beauty, doomsday, branch_line], ids=lambda one: one.__name__.split(".")[-1])
def test_a_wrong_closed_form_would_be_seen_in_the_map(puzzle):
    """The control of the map: a formula that forgets α disagrees with the engine somewhere."""

    class Forgets(type(puzzle.PUZZLE)):
        def accept_by_formula(self, settings, x, y):
            return super().accept_by_formula(settings, Fraction(0), y)

    asked = named(puzzle).settings({"resolution": 21})
    wrong = Forgets(**vars(puzzle.PUZZLE))
    (whole,) = (cell for cell in wrong.cells(asked) if cell.part == "map")
    assert wrong.run_cell(whole)["differing"] > 0


@pytest.mark.parametrize("payoffs", [{"P": 4}, {"T": 3}, {"S": 1}], ids=str)
def test_payoffs_that_are_no_dilemma_are_refused(payoffs):
    with pytest.raises(SettingError, match="expected T > R > P > S"):
        named(dilemma).settings(payoffs)


def test_taking_turns_is_best_where_a_temptation_is_worth_more_than_two_rewards():
    game = named(dilemma).settings({"T": 9, "δ": 1})
    value, policy = dilemma.plan_together(game, Fraction(0))
    assert (value, set(policy)) == (Fraction(9, 2), {"defect", "cooperate"})


def test_a_control_is_left_out_where_it_could_not_fail():
    for price, controls in ((Fraction(7, 12), 1), (Fraction(1), 0), (Fraction(1, 3), 0)):
        cases = beauty.learning_cases(beauty.Settings(x=price))
        assert sum(bool(case.control) for case in cases) == controls
    for reward, controls in ((Fraction(13, 10), 1), (Fraction(0), 0)):
        assert (
            sum(row.kind == "control" for row in branch_line.PUZZLE.rows(branch_line.Settings(r_2=reward))) == controls
        )


def test_a_value_without_a_closed_form_is_measured_and_not_compared():
    kept = ("cpy", "α=0")
    puzzle = replace(
        branch_line.PUZZLE,
        closed_forms=lambda *asked: {name: branch_line.closed_forms(*asked)[name] for name in kept},
    )
    rows = beside_papers(puzzle.rows(branch_line.Settings()), [])
    compared = {row.case for row in rows if row.kind == "formula" and row.quantity != "lost by the overlap"}
    assert compared == set(kept)


def test_learners_are_compared_only_where_a_tie_is_far_enough_away():
    asked, little = replace(named(fission).settings(), r_s=Fraction(2)), Fraction(1, 1000)
    near = (CLEAR - little, 1, 0), (HALF, CLEAR - little, 1)
    for q, more, clear in (*near, (CLEAR, CLEAR, 2), (HALF, -CLEAR, 2), (HALF, 2, 2)):
        cases = fission.learning_cases(replace(asked, q=q, r=2 + more))
        assert [case.accepts for case in cases] == [more > 0, False]
        assert sum(case.is_clear for case in cases) == clear
    rewards = [Fraction(n, 10) for n in range(61)]
    lives = [branch_line.learning_cases(replace(named(branch_line).settings(), r_2=reward)) for reward in rewards]
    for case in zip(*lives, strict=True):  # it comes to accept once the reward is large enough
        accepts = [one.accepts for one in case]
        assert accepts == sorted(accepts) != [accepts[0]] * 61
        assert [one.is_clear for one in case].count(False) in (2, 3)  # an eighth to both sides
    assert len(lives[0]) == 3


@pytest.mark.parametrize("tempted", ["1/4", "1", "3", "5"])
@pytest.mark.parametrize("off", [Fraction(-1, 1000), 0, Fraction(1, 1000)])
def test_players_are_compared_only_where_payoffs_differ_enough_and_caring_is_far_from_the_turn(tempted, off):
    """Told apart, copies cooperate from α = (T − R) / 4 on; R, P and S are apart by a quarter or just less, too."""
    more = Fraction(tempted) + off
    for low in (Fraction(1), CLEAR, CLEAR + off, 4 - CLEAR, 4 - CLEAR + off):
        game = replace(named(dilemma).settings(), T=4 + more, R=Fraction(4), P=low, S=Fraction(0))
        differ = min(more, 4 - low, low) >= CLEAR
        far = [not caring - CLEAR < more / 4 <= caring + CLEAR for caring in (0, 1)]
        same, selfish, caring, *controls = dilemma.DILEMMA.learning_cases(game)
        assert (same.accepts, selfish.accepts, caring.accepts) == (True, False, more <= 4)
        assert [same.is_clear, selfish.is_clear, caring.is_clear] == [differ, differ and far[0], differ and far[1]]
        assert [case.is_clear for case in controls] == [same.is_clear, selfish.is_clear]
