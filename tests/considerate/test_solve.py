"""Exact solutions: the paper's table and figures as data, brute force over end states, and what is refused."""

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import considerate
from considerate.craftworld import Visitor, parse_task, task
from considerate.criteria import CRITERIA
from considerate.exact.comparators import compare_designs
from considerate.exact.problem import Problem, augmented
from multislot.errors import NeverEndingError, SettingError, UnknownNameError
from tests.considerate.craftworld.test_tasks import load_text
from tests.considerate.random_tasks import random_tasks


def test_floats_stand_for_the_decimals_that_they_print_as():
    assert (
        considerate.solve(task("box"), "value", 0.25).ties
        == considerate.solve(task("box"), "value", Fraction(1, 4)).ties
    )
    assert considerate.solve(task("mail-room"), "options", 2.5).ties != ()


coefficients = st.fractions(Fraction(1, 4), 5, max_denominator=4)
CRITERIA_ON_VALUES = [name for name in CRITERIA if name not in ("options", "valued_options")]


@given(random_tasks(), st.sampled_from(list(CRITERIA)), st.fractions(0, 5, max_denominator=4))
def test_exact_solutions_are_optimal_policies_of_the_augmented_process(chosen, criterion, alpha):
    problem = Problem(chosen, augmented(chosen, criterion, alpha))
    solution = considerate.solve(chosen, criterion, alpha)
    best = problem.process().solve(1.0).values[problem.start]
    assert float(solution.objective) == pytest.approx(best)
    assert solution.objective == solution.own_return + solution.term


@given(random_tasks(), st.sampled_from(CRITERIA_ON_VALUES), st.fractions(0, 5, max_denominator=4))
def test_ties_are_all_outcomes_that_are_as_good(chosen, criterion, alpha):
    problem = Problem(chosen, augmented(chosen, criterion if criterion != "sim" else "per_agent", alpha))
    outcomes = problem.behaviors()
    worth = [next(iter(o.returns.values())) + o.term for o in outcomes]
    best = {tuple(o.returns.values()) for o, w in zip(outcomes, worth, strict=True) if w == max(worth)}
    solution = considerate.solve(chosen, criterion if criterion != "sim" else "per_agent", alpha)
    named = {tuple(o.returns.values()) for o in solution.ties} | {tuple(solution.returns.values())}
    assert named == best
    assert all(solution.term <= other.term for other in solution.ties)


def test_coefficients_by_agent_leave_others_out():
    solution = considerate.solve(task("doll"), "per_agent", {"agent_6": 100})
    assert solution.returns["agent_6"] == -1
    with pytest.raises(UnknownNameError, match="did you mean 'agent_6'"):
        considerate.solve(task("doll"), "per_agent", {"agent_66": 1})


def test_discounting_is_planning_in_the_augmented_process():
    solution = considerate.solve(task("kitchen-salad"), "value", 1, discount=0.9)
    assert tuple(solution.returns.values()) == (-9, -8)
    careless = considerate.solve(task("kitchen-salad"), "value", 0, discount=0.9)
    assert careless.own_return == -8


def test_values_in_floats_are_added_as_they_are():
    solution = considerate.solve(task("kitchen-salad"), "value", 1, futures={"agent_2": lambda state: 0.1})
    assert (solution.term, solution.objective) == (0.1, -8 + 0.1)


# Proposition 1 and its limits


@pytest.mark.parametrize("criterion", CRITERIA_ON_VALUES)
def test_without_a_reward_of_its_own_an_agent_would_rather_never_end(criterion):
    with pytest.raises(NeverEndingError, match="never ending is optimal; give α₁ above 0"):
        considerate.solve(task("box"), criterion, {"agent_1": 0, "agent_2": 1})


def test_where_ending_is_worth_something_an_agent_without_a_reward_of_its_own_ends():
    caring = {"agent_1": 0} | {f"agent_{letter}": 1 for letter in "ABCDE"}
    solution = considerate.solve(task("mail-room"), "options", caring)
    assert solution.end_state.things["key"] == (3, 1)


def test_paying_for_every_step_is_refused():
    with pytest.raises(NeverEndingError, match="got α₁=-1, below 0, where every step costs: never ending pays without"):
        considerate.solve(task("box"), "value", {"agent_1": -1, "agent_2": 1})


def test_ill_will_that_pays_for_every_step_of_anothers_pain_is_refused():
    with pytest.raises(NeverEndingError, match="never ending"):
        considerate.solve(task("shared-key"), "sim", -2)


def test_a_task_without_an_end_is_refused():
    walled = load_text("garden").replace("XFXXX.X", "XFXXXXX").replace("needs = { fence = true }", "")
    with pytest.raises(NeverEndingError, match="'garden' cannot be finished"):
        considerate.solve(parse_task(walled), "value", 1)


def test_steps_that_cost_nothing_are_solved_where_ending_is_best_and_refused_where_it_is_not():
    """Building the fence over and over for nothing is a way never to end."""
    text = load_text("garden").replace("cost = 50", "cost = 0").replace("needs = { fence = false }", "")
    idle = parse_task(text)
    believed = {"agent_2": lambda state: -1000}
    with pytest.raises(NeverEndingError, match="never ending is optimal: it is worth -3 from the start"):
        considerate.solve(idle, "value", 1, futures=believed)
    assert considerate.solve(idle, "value", 1, futures={"agent_2": lambda state: 10}).own_return == -6


def test_an_agent_at_the_same_time_has_no_option():
    with pytest.raises(
        SettingError, match="in task 'shared-key' 'agent_2' acts at the same time: use the criterion 'sim'"
    ):
        considerate.solve(task("shared-key"), "options", 1)


# The acting agent's own future (equations 4–6 range over it as well; appendix B.2)


@given(random_tasks(), st.sampled_from(["per_agent", "min", "sim"]), coefficients, coefficients)
def test_the_own_future_counts_where_caring_names_the_acting_agent(chosen, criterion, own, other):
    """As if somebody else did the same again, and were cared for as much as one's own reward."""
    again = Visitor(replace(chosen.others[0].walker, name="again"), -30)
    alone = replace(chosen, own_future=replace(again, walker=replace(again.walker, name="agent_1")))
    beside = replace(chosen, others=(*chosen.others, again))
    found = considerate.solve(alone, criterion, {"agent_1": own, "agent_2": other})
    expected = considerate.solve(beside, criterion, {"agent_1": own, "agent_2": other, "again": own})
    assert found.objective == expected.objective
    assert list(found.returns) == list(chosen.agents)
    without = considerate.solve(alone, criterion, {"agent_2": other / own})
    assert without.objective * own == considerate.solve(chosen, criterion, {"agent_1": own, "agent_2": other}).objective


def test_a_known_own_future_does_not_vary_with_the_coefficient_of_others():
    salt = considerate.frontier(task("kitchen-salt"), "per_agent", caring={"agent_1": 1, "agent_2": 1})
    assert [tuple(piece.behavior.returns.values()) for piece in salt.pieces] == [(-9, -9), (-9, -8)]
    assert salt.thresholds == (0,)
    garden = task("garden")
    garden = replace(garden, own_future=Visitor(garden.acting, -1000))
    found = considerate.solve(garden, "per_agent", {"agent_1": 2, "agent_2": 3, "agent_3": 3})
    unit = considerate.frontier(garden, "per_agent", caring={"agent_1": 2, "agent_2": 1, "agent_3": 1})
    assert found.thresholds == unit.thresholds != ()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: considerate.frontier("doll"), "got task='doll'; expected an instance of Task; give a task, such as"),
        (lambda: considerate.frontier(task("doll")).at("x"), "got coefficient='x'; expected a number, at least 0"),
        (
            lambda: considerate.solve(task("doll"), futures={"agent_22": abs}),
            "unknown agent with a future 'agent_22'; did you mean 'agent_2'",
        ),
        (lambda: compare_designs("box"), "got task='box'; expected an instance of Task; give a task, such as"),
        (lambda: compare_designs(task("garden"), -1), "got strength=-1; expected a finite number, at least 0"),
    ],
)
def test_errors_at_the_door(ask, message):
    with pytest.raises((SettingError, UnknownNameError), match=message):
        ask()


@pytest.mark.parametrize(
    ("name", "criterion"), [("garden", "per_agent"), ("mail-room", "options"), ("shared-key", "sim")]
)
def test_a_solution_survives_pickling_so_that_it_can_come_from_another_process(name, criterion):
    solution = considerate.solve(task(name), criterion, 1)
    again = pickle.loads(pickle.dumps(solution))
    assert (again.returns, again.ties, again.trajectory) == (solution.returns, solution.ties, solution.trajectory)
    assert again.thresholds == solution.thresholds
