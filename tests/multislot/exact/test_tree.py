"""The tree of a decision: printed, as a graph, drawn."""

import pickle
from fractions import Fraction

import pytest

from multislot.errors import SettingError
from multislot.exact import DynamicSlotCentered, Plan, decision_tree
from tests.multislot.exact.examples import BlindFork

PLAN = Plan(BlindFork(), DynamicSlotCentered(), Fraction(1, 2), 3)

PRINTED = """\
slots {1: 1}  *left 0, right 0
├─*left → dark: slots {1: 1/2, 2: 1/2}  left 1, *right 1.5
│ ├─left → dark: slots {1: 1/2, 2: 1/2}  left 0.5, *right 1
│ └─*right → dark: slots {1: 1/2, 2: 1/2}  left 0.5, *right 1
└─right → dark: slots {1: 1/2, 2: 1/2}  left 1, *right 1.5
  ├─left → dark: slots {1: 1/2, 2: 1/2}  left 0.5, *right 1
  └─*right → dark: slots {1: 1/2, 2: 1/2}  left 0.5, *right 1"""


def test_it_prints_choices_with_a_star():
    assert str(decision_tree(PLAN, 2)) == PRINTED


def test_it_may_start_later():
    tree = decision_tree(PLAN, 0, (("right", "dark"),))
    assert str(tree) == "slots {1: 1/2, 2: 1/2}  left 1, *right 1.5"
    assert (tree.best, tree.branches) == ("right", {})


def test_long_numbers_are_shortened():
    tree = decision_tree(Plan(BlindFork(), "cpy", Fraction(999, 1000), 3), 0)
    assert str(tree) == "slots {1: 1}  *left 1.997, right 1.997"
    assert str(decision_tree(Plan(BlindFork(), "cpy", 0.5, 3), 0)) == "slots {1: 1}  *left 0.75, right 0.75"


def test_depths_are_checked():
    with pytest.raises(SettingError, match="got depth=-1; expected a whole number, at least 0"):
        decision_tree(PLAN, -1)
    with pytest.raises(SettingError, match=r"got len\(history\)=4; expected at most 3"):
        decision_tree(PLAN, 0, (("left", "dark"),) * 4)
    assert decision_tree(PLAN, 4) == decision_tree(PLAN, 3)


def test_a_plan_is_pickled_by_what_it_plans():
    again = pickle.loads(pickle.dumps(PLAN))
    assert again.values() == PLAN.values()
    assert again.policy((("left", "dark"),)) == "right"
