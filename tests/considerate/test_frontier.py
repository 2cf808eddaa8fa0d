"""All coefficients at once: thresholds as fractions, agreement with single solutions, and monotonicity."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import considerate
from considerate.craftworld import task
from considerate.frontier import frontier
from considerate.solve import Problem, augmented
from multislot.errors import SettingError
from tests.considerate.random_tasks import random_tasks


def returns(pieces):
    return [tuple(piece.outcome.returns.values()) for piece in pieces]


def test_table_1_with_its_thresholds_as_fractions():
    found = frontier(task("shared-key"), "sim")
    assert returns(found.pieces) == [(-24, -123), (-25, -33), (-33, -25)]
    assert found.thresholds == (Fraction(1, 90), Fraction(1))


def test_figure_1b():
    found = frontier(task("box"))
    assert returns(found.pieces) == [(-20, -1000), (-20, -24), (-21, -20), (-25, -16), (-37, -14)]
    assert found.thresholds == (0, Fraction(1, 4), 1, 6)
    assert [sum(found.at(alpha).returns.values()) for alpha in (0, 0.25, 0.26, 6, 6.01)] == [-1020, -44, -41, -41, -51]


def test_the_owner_of_the_garden_alone():
    found = frontier(task("garden"), "per_agent", vary=("agent_2",), caring={"agent_2": 1, "agent_3": 1})
    assert returns(found.pieces) == [(-6, -40, -6), (-10, -20, -6), (-62, 0, -10)]
    assert found.thresholds == (Fraction(1, 5), Fraction(14, 5))


def test_thresholds_of_a_solution_are_in_its_own_coefficient():
    assert considerate.solve(task("box"), "value", 3).thresholds == (0, Fraction(1, 4), 1, 6)
    assert considerate.solve(task("shared-key"), "sim", 3).thresholds == (Fraction(1, 90), 1)


@settings(deadline=None, max_examples=20)
@given(
    random_tasks(),
    st.sampled_from(["value", "worst", "neg", "per_agent", "min"]),
    st.fractions(0, 9, max_denominator=3),
)
def test_the_frontier_is_what_single_solutions_say(chosen, criterion, alpha):
    at = frontier(chosen, criterion).at(alpha)
    solution = considerate.solve(chosen, criterion, alpha)
    assert solution.own_return + solution.term == next(iter(at.returns.values())) + alpha * at.term


@settings(deadline=None, max_examples=10)
@given(random_tasks(), st.fractions(0, 9, max_denominator=3))
def test_the_frontier_by_solving_is_that_of_the_end_states(chosen, alpha):
    """A reward function that is not known to pay only at the end is solved for at crossings."""
    values = chosen.value_functions()
    futures = {
        agent: lambda before, _, after, value=value: value(after) if after.things["ended"] else 0
        for agent, value in values.items()
    }
    by_solving, by_ends = frontier(chosen, "sim", futures=futures), frontier(chosen, "sim")
    assert by_solving.thresholds == by_ends.thresholds == frontier(chosen, "per_agent").thresholds
    assert by_solving.at(alpha).own_return == by_ends.at(alpha).own_return


def test_options_are_taken_at_the_end_in_equation_6_too():
    assert frontier(task("mail-room"), "sim").thresholds == (Fraction(1, 2), 5)


@settings(deadline=None, max_examples=30)
@given(
    random_tasks(),
    st.sampled_from(["value", "worst", "neg", "per_agent", "min", "options"]),
    st.lists(st.fractions(0, 9, max_denominator=5), min_size=2, max_size=5),
    st.randoms(use_true_random=False),
)
def test_as_alpha_grows_the_own_return_never_rises_and_the_term_never_falls(chosen, criterion, alphas, random):
    """For any choice among optimal outcomes, ties included; the term is that of coefficients 1."""
    unit = augmented(chosen, criterion, 1)
    picked = []
    for alpha in sorted(set(alphas)):
        outcomes = Problem(chosen, augmented(chosen, criterion, alpha)).outcomes()
        worth = [next(iter(o.returns.values())) + o.term for o in outcomes]
        best = random.choice([o for o, w in zip(outcomes, worth, strict=True) if w == max(worth)])
        picked.append((next(iter(best.returns.values())), unit.term(best.end_state, chosen.start)))
    owns, terms = zip(*picked, strict=True)
    assert list(owns) == sorted(owns, reverse=True)
    assert list(terms) == sorted(terms)


def test_an_individual_under_a_sum_may_fall_as_alpha_grows():
    found = frontier(task("doll"), "value")
    of_agent_6 = [piece.outcome.returns["agent_6"] for piece in found.pieces]
    assert of_agent_6 == [-1, -4]


def test_what_a_frontier_refuses():
    found = frontier(task("box"))
    with pytest.raises(SettingError, match="coefficients from 0 on"):
        found.at(-1)
    with pytest.raises(SettingError, match="α₁ is 0; a frontier needs it above 0"):
        frontier(task("box"), caring={"agent_1": 0, "agent_2": 1})
    with pytest.raises(SettingError, match="not linear in these coefficients"):
        frontier(task("doll"), "min", vary=("agent_2",), caring={"agent_2": 1, "agent_6": 1})
