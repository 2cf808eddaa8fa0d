"""Equations 1–8 of Alizadeh Alamdari et al. 2021, against the formulas written out again."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import considerate
from considerate.criteria import (
    CRITERIA,
    Criterion,
    Minimum,
    Simultaneous,
    ValuedOptions,
    Worst,
    augment,
    get_criterion,
)
from considerate.distributions import Distribution, Option, Table
from considerate.futures import Trajectory
from multislot.errors import SettingError, UnknownNameError

STATES = range(3)
END, START = 2, 0
rationals = st.fractions(min_value=-20, max_value=20, max_denominator=12)
tables = st.lists(rationals, min_size=3, max_size=3).map(tuple)


@st.composite
def distributions(draw, items=tables):
    """A list of (probability, item) with rational probabilities, some perhaps 0."""
    weights = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
    return [(Fraction(weight, sum(weights)), draw(items)) for weight in weights]


def given_to_library(pairs):
    return Distribution(tuple(Table(table) for _, table in pairs), tuple(probability for probability, _ in pairs))


def augmented(criterion, caring, futures, discount=1):
    return augment(criterion, acting="me", caring=caring, futures=futures, discount=discount)


@given(distributions(), rationals, rationals, st.fractions(0, 1))
def test_equations_one_to_three(pairs, alpha, own, discount):
    written_out = {
        "value": sum(p * v[END] for p, v in pairs),
        "worst": min(v[END] for p, v in pairs if p > 0),
        "neg": sum(p * min(v[END], v[START]) for p, v in pairs),
    }
    for name, term in written_out.items():
        reward = augmented(name, alpha, given_to_library(pairs), discount)
        assert reward(own, 1, "go", END, terminal=True, start=START) == own + discount * alpha * term
        assert reward(own, 1, "go", END, terminal=False, start=START) == own


@given(st.lists(st.tuples(rationals, distributions()), min_size=1, max_size=3), rationals, st.fractions(0, 1))
def test_equations_four_and_five(agents, own, discount):
    caring = {index: alpha for index, (alpha, _) in enumerate(agents)}
    futures = {index: given_to_library(pairs) for index, (_, pairs) in enumerate(agents)}
    weighted = [alpha * sum(p * v[END] for p, v in pairs) for alpha, pairs in agents]
    for name, term in {"per_agent": sum(weighted), "min": min(weighted)}.items():
        reward = augmented(name, caring, futures, discount)
        assert reward(own, 1, "go", END, terminal=True, start=START) == own + discount * term


@given(distributions(rationals), distributions(rationals), rationals, rationals, rationals)
def test_equation_six_pays_every_step_without_discount(one, two, alpha_one, alpha_two, own):
    def functions(pairs):
        return [(p, lambda state, action, next_state, r=r: r * (next_state - state)) for p, r in pairs]

    futures = {"one": functions(one), "two": functions(two)}
    reward = augmented("sim", {"one": alpha_one, "two": alpha_two}, futures, Fraction(1, 2))
    paid = sum(alpha * p * r * 2 for alpha, pairs in ((alpha_one, one), (alpha_two, two)) for p, r in pairs)
    for terminal in (False, True):
        assert reward(own, 0, "go", 2, terminal=terminal, start=START) == own + paid
    assert reward.term(END, START) == 0


@given(distributions(st.tuples(st.sets(st.sampled_from(STATES)), tables)), rationals, rationals, st.fractions(0, 1))
def test_equations_seven_and_eight_and_where_gamma_stands(pairs, alpha, own, discount):
    items = tuple(Option(initiation, value=Table(values)) for _, (initiation, values) in pairs)
    options = Distribution(items, tuple(p for p, _ in pairs))
    can_start = sum(p * (END in initiation) for p, (initiation, _) in pairs)
    worth = sum(p * v[END] for p, (initiation, v) in pairs if END in initiation)
    seven, eight = (augmented(name, alpha, options, discount) for name in ("options", "valued_options"))
    assert seven(own, 1, "go", END, terminal=True, start=START) == own + discount * alpha * can_start
    assert eight(own, 1, "go", END, terminal=True, start=START) == own + alpha * worth


def test_agents_can_be_ranked_apart_from_being_cared_for():
    futures = {"b": lambda state: -1, "c": lambda state: -100}
    assert augmented(Minimum(ranked=("b",)), {"b": 2, "c": 1}, futures).term(END, START) == -2
    assert augmented(Minimum(), {"b": 2, "c": 1}, futures).term(END, START) == -100


def test_small_integers_of_numpy_do_not_overflow():
    hundred = np.int8(100)
    reward = augmented("per_agent", {"me": hundred, "you": hundred}, {"you": lambda state: 100})
    assert reward(hundred, START, 0, END, terminal=True, start=START) == 20_000
    assert Trajectory("abc", np.array([100, 100], np.int8)).returns(1) == [200, 100, 0]


@dataclass(frozen=True)
class NashWelfare(Criterion):
    """The product of the expected futures."""

    def term(self, others, end, start):
        return math.prod(others.expected(agent, end) ** others.caring[agent] for agent in others.agents)


@dataclass(frozen=True)
class InequalityAverse(Criterion):
    """The sum of expected futures, less `aversion` times the distance of the best off from the worst off."""

    aversion: Fraction = Fraction(1, 2)

    def term(self, others, end, start):
        values = [others.caring[agent] * others.expected(agent, end) for agent in others.agents]
        return sum(values) - self.aversion * (max(values) - min(values))


def test_a_new_criterion_takes_ten_lines():
    futures = {"b": {END: 2}, "c": [(Fraction(1, 4), {END: 4}), (Fraction(3, 4), {END: 8})]}
    assert augmented(NashWelfare(), {"b": 3, "c": 1}, futures).term(END, START) == 8 * 7
    assert augmented(InequalityAverse(), 1, futures, Fraction(1, 2)).term(END, START) == Fraction(9 - Fraction(5, 2), 2)
    assert augmented(InequalityAverse(Fraction(0)), 1, futures).term(END, START) == 9
    with pytest.raises(SettingError, match="expected a function of states"):
        augmented(NashWelfare(), 1, {"b": Option({END})})


def test_criteria_are_found_by_name_class_or_instance():
    assert [type(get_criterion(name)) for name in CRITERIA] == list(CRITERIA.values())
    assert get_criterion(Worst) == get_criterion("worst") == Worst()
    assert list(CRITERIA) == ["value", "worst", "neg", "per_agent", "min", "sim", "options", "valued_options"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criterion": "wrost"}, "unknown criterion 'wrost'; did you mean 'worst'"),
        ({"criterion": 3}, "got criterion=3; expected a Criterion, or one of value, worst, neg,"),
        ({"discount": -0.5}, r"got discount=-0\.5; expected a finite number, at least 0 and at most 1"),
        ({"caring": {"yuo": 1}}, "unknown agent 'yuo'; did you mean 'you'"),
        ({"caring": {"you": math.nan}}, r"got caring\['you'\]=nan; expected a finite number"),
        ({"caring": "lots"}, "got caring='lots'; expected a finite number"),
        (
            {"caring": {"you": 1, "they": 2}},
            r"got caring=\{you: 1, they: 2\}; expected one coefficient for all others;",
        ),
        ({"caring": {"me": 1}}, r"got caring=\{'me': 1\}; expected at least one agent with a future; give"),
        ({"criterion": "options"}, r"got futures\['you'\]=<built-in function abs>; expected an Option"),
        ({"criterion": "valued_options", "futures": {"you": Option({1})}}, "expected an Option with a value function"),
        ({"criterion": Minimum(ranked=("them",))}, "unknown agent to be ranked 'them'"),
        ({"criterion": Minimum(ranked=())}, r"got ranked=\(\); expected a tuple of at least one agent; leave"),
        ({"criterion": Minimum(ranked="you")}, "got ranked='you'; expected a tuple of at least one agent"),
        ({"futures": {"you": 3}}, "got future=3; expected a Distribution, a function, an Option, a table"),
        (
            {"futures": {"you": [(Fraction(1, 2), abs)]}},
            r"got probabilities=\(Fraction\(1, 2\),\); expected a sum of 1; their sum is",
        ),
    ],
)
def test_errors_at_the_door(arguments, message):
    fine = {"criterion": "value", "caring": 1, "futures": {"you": abs, "they": abs}}
    with pytest.raises((SettingError, UnknownNameError), match=message):
        augmented(**{**fine, **arguments})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, 1j])
def test_a_value_that_is_no_finite_number_is_refused(value):
    for name in ("value", "worst", "neg", "per_agent", "min"):
        with pytest.raises(SettingError, match="for \\(2,\\); expected a finite number"):
            augmented(name, 1, lambda state: value).term(END, START)
    with pytest.raises(SettingError, match="expected a finite number"):
        augmented(Simultaneous, 1, lambda state, action, next_state: value).step_term(0, 0, 1)
    with pytest.raises(SettingError, match="expected a finite number"):
        augmented(ValuedOptions, 1, Option({END}, value=lambda state: value)).term(END, START)


def test_an_own_reward_that_is_not_finite_is_refused():
    with pytest.raises(SettingError, match="got own_reward=nan; expected a finite number"):
        augmented("value", 1, abs)(math.nan, START, 0, END, terminal=False, start=START)


@pytest.mark.parametrize("given", [math.nan, math.inf, None, "much", 1j])
def test_a_criterion_of_ones_own_that_gives_no_finite_number_is_named(given):
    class Careless(Criterion):
        def term(self, others, end, start):
            return given

    class CarelessAtEveryStep(Careless):
        every_step = True

        def step_term(self, others, state, action, next_state):
            return given

    said = re.escape(f"gave {given!r}")
    with pytest.raises(SettingError, match=f"Careless.term {said} for the end state 2; expected a finite number"):
        augmented(Careless, 1, abs).term(END, START)
    always = augmented(CarelessAtEveryStep, 1, lambda state, action, next_state: 0)
    with pytest.raises(SettingError, match=f"CarelessAtEveryStep.step_term {said} for the step from 0 to 2 by 'go'"):
        always.step_term(0, "go", 2)
    for criterion in (Careless, CarelessAtEveryStep):
        with pytest.raises(SettingError, match=said):
            considerate.solve(considerate.craftworld.task("kitchen-salad"), criterion, 1)


def test_an_option_that_is_closed_counts_nothing_which_is_more_than_a_loss():
    # Equation 8 as printed: where values are negative, it pays to close the option; where they are not, never.
    for value in (-3, 3):
        reward = augmented("valued_options", 1, Option({0}, value=lambda state, value=value: value))
        opened, closed = reward.term(0, START), reward.term(1, START)
        assert (opened, closed) == (value, 0)
    box = considerate.craftworld.task("box")
    taken = [considerate.solve(box, name, 10).end_state.things["key"] for name in ("options", "valued_options")]
    assert taken[0] != taken[1] == "held"
