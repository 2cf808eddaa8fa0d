"""All coefficients at once: thresholds as fractions, agreement with single solutions, and monotonicity."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import considerate
from considerate.craftworld import parse_task, task
from considerate.criteria import PerAgentValue
from considerate.exact.frontiers import frontier
from considerate.exact.problem import Problem, augmented
from multislot.errors import NeverEndingError, SettingError, UnknownNameError
from tests.considerate.random_tasks import random_tasks
from tests.considerate.test_exactly import as_task


def returns(pieces):
    return [tuple(piece.behavior.returns.values()) for piece in pieces]


def test_table_1_with_its_thresholds_as_fractions():
    found = frontier(task("shared-key"), "sim")
    assert returns(found.pieces) == [(-24, -123), (-25, -33), (-33, -25)]
    assert found.thresholds == (Fraction(1, 90), Fraction(1))


def test_figure_1b():
    found = frontier(task("box"))
    assert returns(found.pieces) == [(-20, -1000), (-20, -24), (-21, -20), (-25, -16), (-37, -14)]
    assert found.thresholds == (0, Fraction(1, 4), 1, 6)
    assert [sum(found.at(alpha).returns.values()) for alpha in (0, 0.25, 0.26, 6, 6.01)] == [-1020, -44, -41, -41, -51]


def test_thresholds_of_a_solution_are_in_its_own_coefficient():
    assert considerate.solve(task("box"), "value", 3).thresholds == (0, Fraction(1, 4), 1, 6)
    assert considerate.solve(task("shared-key"), "sim", {"agent_1": 2, "agent_2": 3}).thresholds == (Fraction(1, 45), 2)
    assert considerate.solve(task("box"), "value", 3, futures={"agent_2": lambda state: 0}).thresholds == ()


def test_options_are_taken_at_the_end_in_equation_6_too():
    assert frontier(task("mail-room"), "sim").thresholds == (Fraction(1, 2), 5)


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
        outcomes = Problem(chosen, augmented(chosen, criterion, alpha)).behaviors()
        worth = [next(iter(o.returns.values())) + o.term for o in outcomes]
        best = random.choice([o for o, w in zip(outcomes, worth, strict=True) if w == max(worth)])
        picked.append((next(iter(best.returns.values())), unit.term(best.end_state, chosen.start)))
    owns, terms = zip(*picked, strict=True)
    assert list(owns) == sorted(owns, reverse=True)
    assert list(terms) == sorted(terms)


def test_an_individual_under_a_sum_may_fall_as_alpha_grows():
    found = frontier(task("doll"), "value")
    of_agent_6 = [piece.behavior.returns["agent_6"] for piece in found.pieces]
    assert of_agent_6 == [-1, -4]


def test_what_a_frontier_refuses():
    found = frontier(task("box"))
    with pytest.raises(SettingError, match="got coefficient=-1; expected a number, at least 0"):
        found.at(-1)
    with pytest.raises(SettingError, match="caring\\['agent_1'\\]=0; expected a finite number, above 0"):
        frontier(task("box"), caring={"agent_1": 0, "agent_2": 1})
    with pytest.raises(SettingError, match="not linear in these coefficients"):
        frontier(task("doll"), "min", vary=("agent_2",), caring={"agent_2": 1, "agent_6": 1})


def corridor(coin, lever=1, leaving=1):
    """A lever is pulled once, and a coin on the way to it is taken and put back: that may be free, or pay."""
    costs = {"usual": 1, "leaving": leaving, "lever": lever, "take": coin, "put": coin}
    return as_task((["XXXXXX", "XSCLDX", "XXXXXX"], costs))


def test_a_frontier_is_refused_where_never_ending_comes_to_be_optimal():
    """To and fro over the coin pays 1 and costs 1: nothing, after a worth of 1. Ending is worth −1 and ever less."""
    worse = {"you": lambda state: -1}
    assert frontier(corridor(0), futures=worse).thresholds == ()
    with pytest.raises(
        NeverEndingError, match="never ending is optimal for some coefficients from 0 on: it is worth 1;"
    ):
        frontier(corridor(-1), futures=worse)
    with pytest.raises(NeverEndingError, match="some coefficients from 0 on"):
        frontier(corridor(-1))
    with pytest.raises(NeverEndingError, match=r"'right' at .* gains 2 and is part of a cycle"):
        frontier(corridor(-2))


GIFT = """
name = "gift"
step_cost = 0
map = '''
XXXXX
XS.DX
XXXXX

S start
D door
'''
facts = {{ bell = false, vase = true }}
handover = {{ public = ["bell", "vase"] }}
acting = {{ name = "me", start = "start", follows = ["leave"] }}
others = [
    {{ name = "a", kind = "owner", fact = "bell", loss = 2 }},
    {{ name = "b", kind = "owner", fact = "vase", loss = {loss} }},
]
rules = {{ leave = [{{ at = "door", cost = {cost}, ends = true }}] }}
"""


def test_those_who_do_not_vary_count_in_what_ending_is_worth():
    """Walking is free; leaving costs 1, or pays 1, and then b gains 10, or loses 10."""
    worth_leaving, worth_staying = (parse_task(GIFT.format(cost=cost, loss=-10 * cost)) for cost in (1, -1))
    (piece,) = frontier(worth_leaving, "per_agent", vary=("a",), caring={"b": 1}).pieces
    assert piece.behavior.returns == {"me": -1, "a": 0, "b": 10}
    with pytest.raises(NeverEndingError, match="some coefficients from 0 on: it is worth 0"):
        frontier(worth_staying, "per_agent", vary=("a",), caring={"b": 1})


def test_a_cycle_of_cost_0_may_be_worth_less_than_every_end():
    """Leaving gains more than the way costs; the lever costs 4 and is worth 10 to the other."""
    found = frontier(corridor(-1, lever=4, leaving=-5), futures={"you": lambda state: 10 * bool(state.things["lever"])})
    (threshold,) = found.thresholds
    before, after = found.at(0), found.at(threshold + 1)
    assert (before.term, after.term, before.own_return - after.own_return) == (0, 10, 4)
    assert before.own_return == after.own_return + threshold * after.term > 0


def test_beyond_every_threshold_is_found_exactly():
    """Thresholds of any size: one step of the own return against a millionth of a millionth of another's."""
    tiny = Fraction(1, 10**12)

    def believed(before, action, after):
        return tiny if before.things["lever"] is None and after.things["lever"] else 0

    found = frontier(corridor(1), "sim", futures={"you": believed})
    assert found.thresholds == (10**12,)
    assert frontier(corridor(1), "sim", futures={"you": lambda before, action, after: 0}).thresholds == ()


def test_beyond_every_threshold_never_ending_may_be_optimal():
    def believed(before, action, after):
        return -1 if after.things["ended"] else 0

    with pytest.raises(NeverEndingError, match="never ending"):
        frontier(corridor(-1), "sim", futures={"you": believed})
    with pytest.raises(
        NeverEndingError, match=r"never ending pays without bound: 'use' at \(1, 1\) with \{\} gains 1 and is"
    ):
        frontier(corridor(1), "sim", futures={"you": lambda before, action, after: int(action == "use")})


class InFloats(PerAgentValue):
    """Equation 4, worked out in floats: a criterion as users write it."""

    def term(self, others, end, start):
        return float(super().term(others, end, start))


@pytest.mark.parametrize("third", [1, 2, 5])
def test_a_criterion_that_computes_in_floats_has_thresholds_as_they_would_be_written(third):
    for name in ("box", "doll", "garden"):
        chosen = task(name)
        caring = dict.fromkeys(chosen.agents[1:], Fraction(third, 3))
        exact, found = (frontier(chosen, criterion, caring=caring) for criterion in ("per_agent", InFloats()))
        assert found.thresholds == exact.thresholds
        for factor in exact.thresholds:
            solution = considerate.solve(chosen, InFloats(), {agent: factor * alpha for agent, alpha in caring.items()})
            assert solution.returns == found.at(factor).returns
            assert solution.ties


def test_an_agent_that_does_not_vary_keeps_its_coefficient_at_every_step():
    """Reward functions of two agents, one of whom has a fixed coefficient."""
    futures = {"agent_2": lambda s, a, n: -(n.cell[0] == 1), "agent_3": lambda s, a, n: -(n.cell[0] == 3)}
    chosen = task("garden")
    found = frontier(chosen, "sim", vary=("agent_2",), caring={"agent_2": 1, "agent_3": 2}, futures=futures)
    points = (Fraction(0), *found.thresholds, found.thresholds[-1] + 1)
    worth = [
        considerate.solve(chosen, "sim", {"agent_2": alpha, "agent_3": 2}, futures=futures).objective
        for alpha in points
    ]
    for (less, more), (before, after) in zip(pairwise(points), pairwise(worth), strict=True):
        assert after - before == (more - less) * found.at(more).term


def test_a_frontier_is_a_table_and_a_picture():
    found = frontier(task("box"))
    table = found.table()
    assert list(table.columns) == ["from", "up_to", "agent_1", "agent_2", "total", "term"]
    assert list(table["from"]) == [0, *found.thresholds]
    assert list(table["up_to"])[:-1] == list(found.thresholds)
    assert table["up_to"].iloc[-1] is None
    assert list(table["agent_2"]) == [-1000, -24, -20, -16, -14]
    (axes,) = found.plot().axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1/4", "1", "6"]
    assert "logarithmic" in axes.get_ylabel()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["agent_1", "agent_2"]


def test_who_varies_is_known():
    with pytest.raises(UnknownNameError, match="unknown agent 'agent_9'"):
        frontier(task("garden"), "per_agent", vary=("agent_9",), caring={"agent_3": 1})
