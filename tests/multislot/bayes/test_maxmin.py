"""Max-min plans against the matrix game over all pure policies, and the bracket around them."""

import os
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from multislot.bayes import HistoryModel, TabularModel, pessimistic_value
from multislot.bayes.maxmin import PURE_LIMIT, RANDOMIZED_LIMIT, least_mixture, standard_output_closed
from multislot.errors import SettingError, TooLargeError
from tests.multislot.bayes.examples import first_decides, random_models, value_of


def contingent_plans(models, states, horizon):
    """Every pure plan as a nested pair (first action, {percept: plan}); ``states`` says where the models are."""
    for action in range(models[0].n_actions):
        if horizon == 1:
            yield action, {}
            continue
        laws = [{} if s is None else m.law(s, action) for m, s in zip(models, states, strict=True)]
        percepts = sorted({percept for law in laws for percept in law})
        arrived = [[p[0] if p in law else None for law in laws] for p in percepts]
        choices = [list(contingent_plans(models, after, horizon - 1)) for after in arrived]
        for plans in product(*choices):
            yield action, dict(zip(percepts, plans, strict=True))


def worth(plan, model, state, discount, horizon):
    if not horizon:
        return 0.0
    action, rest = plan
    return sum(
        chance
        * (
            (1 - discount) * percept[1]
            + (discount * worth(rest[percept], model, percept[0], discount, horizon - 1) if horizon > 1 else 0.0)
        )
        for percept, chance in model.law(state, action).items()
    )


def matrix_game(models, discount, horizon):
    """[plans, models]: the value of every pure plan in every model."""
    plans = contingent_plans(models, [model.start for model in models], horizon)
    return np.array([[worth(plan, m, m.start, discount, horizon) for m in models] for plan in plans])


def best_mix(matrix):
    """The value of a matrix game for its row player, who may mix."""
    rows, columns = matrix.shape
    solution = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -solution.fun


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 4), st.booleans())
def test_a_plan_is_worth_what_it_says_and_a_pure_one_does_not_mix(seed, count, horizon, pure):
    models = random_models(np.random.default_rng(seed), count, rewards=(0.0, 1.0), sparse=0.7)
    try:
        found = pessimistic_value(models, discount=0.9, horizon=horizon, pure=pure)
    except TooLargeError:
        return
    worst = min(value_of(found.policy, model, 0.9, horizon) for model in models)
    assert worst == pytest.approx(found.lower, abs=1e-9)
    if pure:
        assert set(found.first.tolist()) <= {0.0, 1.0}


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 4))
def test_the_stepwise_bracket_holds_every_exact_value(seed, count, horizon):
    models = random_models(np.random.default_rng(seed), count, states=2, rewards=(0.0, 1.0), sparse=0.6)
    bracket = pessimistic_value(models, discount=0.9, horizon=horizon, exact=False)
    mixed, pure = (pessimistic_value(models, discount=0.9, horizon=horizon, pure=pure) for pure in (False, True))
    worst = min(value_of(bracket.policy, model, 0.9, horizon) for model in models)
    single = min((1 - 0.9) * m.as_mdp().solve(discount=0.9, horizon=horizon).values[m.start] for m in models)
    side_by_side = [bracket.lower, worst, pure.lower, mixed.lower, bracket.upper, single]
    assert all(less <= more + 1e-8 for less, more in pairwise(side_by_side))


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 4))
def test_the_least_mixture_is_the_value_of_the_game_between_actions_and_models(seed, count, actions):
    payoffs = np.random.default_rng(seed).integers(0, 4, (count, actions)) / 4
    assert least_mixture(payoffs) == pytest.approx(best_mix(payoffs.T), abs=1e-9)
    assert least_mixture(payoffs) <= payoffs.max(axis=1).min()


def test_a_mixture_bounds_what_no_single_model_does():
    """Any one model promises 1; half of each of the two that fear one door promises a half, and that is exact."""
    paid = 1 - 0.9**5
    models = first_decides((1, 1), (0, 1), (1, 0))
    assert min(m.as_mdp().solve(discount=0.9, horizon=5).values[0] for m in models) == pytest.approx(paid / (1 - 0.9))
    bracket = pessimistic_value(models, discount=0.9, horizon=5, exact=False)
    assert bracket.upper == pytest.approx(0.5 * paid)
    assert bracket.upper == pytest.approx(pessimistic_value(models, discount=0.9, horizon=5).lower)


def test_the_upper_side_is_worked_out_only_where_it_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr("multislot.bayes.maxmin.least_mixture", lambda payoffs: asked.append(payoffs) or 1.0)
    bracket = pessimistic_value(first_decides((1, 0), (0, 1)), discount=0.9, horizon=3, exact=False)
    assert not asked
    assert (bracket.upper, bracket.upper, len(asked)) == (1.0, 1.0, 1)


@pytest.mark.parametrize("pure", [False, True])
def test_many_actions_that_lead_to_the_same_place_for_long_make_no_large_numbers(pure):
    transition, paid = np.ones((1, 4, 1)), np.array([[0.25, 0.0, 0.5, 1.0]])
    models = [TabularModel(transition, paid), TabularModel(transition, paid)]
    found = pessimistic_value(models, discount=0.9, horizon=60, pure=pure)
    assert found.lower == pytest.approx(1 - 0.9**60)


def test_models_that_start_in_different_states_are_planned_from_there():
    transition = np.eye(2)[:, None, :].repeat(2, axis=1)
    reward = [[1.0, 0.0], [0.25, 0.5]]
    models = [TabularModel(transition, reward, start) for start in (0, 1)]
    for options in ({"pure": True}, {"exact": False}):
        found = pessimistic_value(models, discount=0.0, horizon=1, **options)
        assert found.lower == pytest.approx(0.25)


@pytest.mark.parametrize(("pure", "limit"), [(False, RANDOMIZED_LIMIT), (True, PURE_LIMIT)])
def test_a_program_that_is_too_large_is_refused_and_the_bound_named(pure, limit):
    models = random_models(np.random.default_rng(0), 4, states=4, actions=3, sparse=0.0)
    with pytest.raises(TooLargeError, match=rf"more than {limit} variables after \d steps; use exact=False"):
        pessimistic_value(models, discount=0.9, horizon=20, pure=pure)
    assert pessimistic_value(models, discount=0.9, horizon=20, exact=False).lower > 0


def test_a_history_that_the_plan_cannot_meet_is_refused():
    found = pessimistic_value(first_decides((1, 0), (0, 1)), discount=0.9, horizon=2)
    with pytest.raises(SettingError, match="too long or impossible"):
        found.policy(((0, (2, 0.5)),))
    bound = pessimistic_value(first_decides((1, 0), (0, 1)), discount=0.9, horizon=1, exact=False)
    with pytest.raises(SettingError, match="too long or impossible"):
        bound.policy(((0, (1, 1.0)),))


def test_what_the_solver_writes_is_kept_from_the_output(capfd):
    print("before")
    with standard_output_closed():
        os.write(1, b"a forgotten line\n")
    print("after")
    assert capfd.readouterr().out == "before\nafter\n"


@pytest.mark.parametrize("pure", [False, True])
def test_the_whole_future_lies_in_a_bracket_as_wide_as_was_asked(pure):
    """Beside a closed form: after the first action the model is known, and pays its best from then on."""
    here = np.ones((1, 2, 1))
    models = [TabularModel(here, [[1.0, 0.25]]), TabularModel(here, [[0.2, 0.6]])]
    for discount, error in ((0.5, 1e-6), (0.9, 1e-3), (0.0, 0.1)):
        whole = pessimistic_value(models, discount, None, pure=pure, error=error)
        payoffs = [[1.0, (1 - discount) * 0.25 + discount], [(1 - discount) * 0.2 + discount * 0.6, 0.6]]
        closed = max(map(min, zip(*payoffs, strict=True))) if pure else least_mixture(np.array(payoffs))
        assert whole.lower - 1e-9 <= closed <= whole.upper + 1e-9
        assert whole.upper - whole.lower == pytest.approx(whole.truncation, abs=1e-9)
        assert whole.truncation == pytest.approx(discount**whole.horizon * 0.8)
        assert whole.truncation <= error or not discount
        assert whole.horizon == 1 or discount ** (whole.horizon - 1) * 0.8 > error
    cut = pessimistic_value(models, 0.9, 2, pure=pure)
    assert (cut.horizon, cut.truncation, cut.upper) == (2, 0.0, cut.lower)
    assert cut.lower < pessimistic_value(models, 0.9, None, pure=pure, error=1e-3).lower


def test_the_whole_future_needs_bounded_rewards():
    unbounded = HistoryModel(lambda history, action: {(0, 1.0): 1.0}, 2)
    with pytest.raises(SettingError, match="tabular models"):
        pessimistic_value([unbounded], 0.5, None)
    with pytest.raises(SettingError, match="error"):
        pessimistic_value([TabularModel(np.ones((1, 1, 1)), [[0.5]])], 0.5, None, error=0)
    with pytest.raises(TooLargeError, match="give a larger error= or a smaller discount"):
        pessimistic_value([TabularModel(np.ones((1, 2, 1)), [[0, 1]])], 0.999999, None, exact=False)
