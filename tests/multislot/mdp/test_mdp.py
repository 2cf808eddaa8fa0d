"""Exact solving of finite decision processes against brute force over policies and against closed forms."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from multislot.errors import NeverEndingError, SettingError
from multislot.mdp.solving import TabularMDP


def process(transitions, rewards, start=None):
    arrays = np.asarray(transitions, dtype=float)
    first = np.eye(arrays.shape[1])[0] if start is None else np.asarray(start, dtype=float)
    return TabularMDP(tuple(csr_array(matrix) for matrix in arrays), np.asarray(rewards, dtype=float), first)


def corridor(length, reward=-1.0):
    """States 0..length, action 0 goes left (or stays at 0), action 1 right; the last state is terminal."""
    transitions = np.zeros((2, length + 1, length + 1))
    for state in range(length):
        transitions[0, state, max(state - 1, 0)] = 1
        transitions[1, state, state + 1] = 1
    return process(transitions, np.full((length + 1, 2), reward))


@st.composite
def random_processes(draw, terminal):
    states, actions = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    weights = generator.integers(0, 4, (actions, states, states)) + np.eye(states)
    if terminal:
        weights[:, :, -1] += 1
    transitions = weights / weights.sum(axis=2, keepdims=True)
    for action in range(1, actions):
        transitions[action, generator.random(states) < 0.2] = 0
    if terminal:
        transitions[:, -1] = 0
    rewards = generator.integers(-5, 0 if terminal else 6, (states, actions)).astype(float)
    return process(transitions, rewards)


def every_policy(mdp):
    choices = [np.flatnonzero(row) if row.any() else [0] for row in mdp.available]
    return [np.array(choice) for choice in product(*choices)]


@given(random_processes(terminal=False), st.sampled_from([0.0, 0.5, 0.9]))
def test_a_discounted_plan_is_the_best_of_all_stationary_policies(mdp, discount):
    best = np.max([mdp.evaluate(policy, discount) for policy in every_policy(mdp)], axis=0)
    np.testing.assert_allclose(mdp.solve(discount).values, best, atol=1e-9)


@given(random_processes(terminal=True))
def test_an_undiscounted_plan_is_the_best_of_all_stationary_policies(mdp):
    best = np.max([mdp.evaluate(policy, 1.0) for policy in every_policy(mdp)], axis=0)
    plan = mdp.solve(1.0)
    np.testing.assert_allclose(plan.values, best, atol=1e-8)
    np.testing.assert_allclose(mdp.evaluate(plan.policy, 1.0), best, atol=1e-8)


def best_by_recursion(mdp, state, discount, left):
    if left == 0 or mdp.terminal[state]:
        return 0.0
    return max(
        mdp.rewards[state, action]
        + discount
        * sum(
            probability * best_by_recursion(mdp, target, discount, left - 1)
            for target, probability in enumerate(mdp.transitions[action].toarray()[state])
            if probability
        )
        for action in np.flatnonzero(mdp.available[state])
    )


@given(random_processes(terminal=True), st.sampled_from([0.7, 1.0]), st.integers(1, 3))
def test_a_finite_horizon_is_backward_induction(mdp, discount, horizon):
    expected = [best_by_recursion(mdp, state, discount, horizon) for state in range(mdp.n_states)]
    plan = mdp.solve(discount, horizon)
    np.testing.assert_allclose(plan.values, expected, atol=1e-12)
    live = np.flatnonzero(~mdp.terminal)
    np.testing.assert_allclose(plan.action_values[live, plan.policy[live]], plan.values[live])


@given(random_processes(terminal=True), st.sampled_from([0.5, 1.0]))
def test_a_randomized_policy_is_worth_what_long_simulation_of_its_chain_says(mdp, discount):
    probabilities = mdp.available / np.maximum(mdp.available.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(
        mdp.evaluate(probabilities, discount), mdp.evaluate(probabilities, discount, horizon=2000), atol=1e-6
    )


def test_a_corridor_is_worth_its_length_exactly_however_long():
    plan = corridor(500).solve(1.0)
    assert plan.values.tolist() == [-float(500 - state) for state in range(501)]
    assert plan.policy[:-1].tolist() == [1] * 500


def test_policy_iteration_and_shortest_paths_agree():
    slippery = corridor(12)
    slippery.rewards[:, 1] = -2.0
    free = corridor(12)
    free.rewards[:, 1] = -2.0
    free.rewards[5, 0] = 0.0  # one free step: the shortest-path search does not apply
    assert free.solve(1.0).values.tolist() == slippery.solve(1.0).values.tolist()


def test_ties_go_to_the_first_action():
    both = process([[[0, 1], [0, 0]], [[0, 1], [0, 0]]], [[-1, -1], [0, 0]])
    assert both.solve(1.0).policy.tolist() == [0, 0]
    assert both.solve(0.9, horizon=3).policy.tolist() == [0, 0]


def test_a_pit_that_nobody_enters_makes_no_tie_elsewhere():
    """In state 1 one may end for nothing, end for 5, or fall into a pit where every step costs 10⁹."""
    onward, pit, end = np.eye(4)[1], np.eye(4)[2], np.zeros(4)
    ways = [[onward, np.eye(4)[3], pit, end], [onward, np.eye(4)[3], pit, end], [onward, pit, pit, end]]
    mdp = process(ways, [[0, 0, 0], [0, 5, 0], [-1e9] * 3, [0] * 3])
    for horizon in (None, 50):
        plan = mdp.solve(0.9999, horizon)
        assert plan.policy[:2].tolist() == [0, 1]
        np.testing.assert_allclose(plan.values[:2], [4.9995, 5], rtol=1e-12)


def test_a_small_gain_at_every_step_adds_up():
    plan = process([[[1]], [[1]]], [[1, 1 + 1e-6]]).solve(1 - 1e-7)
    assert plan.values[0] == pytest.approx(1e7 + 10, rel=1e-8)


def test_what_is_far_away_is_worth_its_discount_however_little():
    mdp = corridor(45, 0.0)
    mdp.rewards[44, 1] = 1
    plan = mdp.solve(0.5)
    assert plan.policy[:45].all()
    np.testing.assert_allclose(plan.values[:45], 0.5 ** np.arange(44, -1, -1), rtol=1e-12)


def test_of_equally_good_actions_one_that_ends_is_taken_where_the_first_never_would():
    idle = process([[[1, 0], [0, 0]], [[0, 1], [0, 0]]], [[0, 3], [0, 0]])
    plan = idle.solve(1.0)
    assert plan.values.tolist() == [3, 0]
    assert plan.policy[0] == 1
    assert idle.evaluate(plan.policy, 1.0).tolist() == [3, 0]


def test_terminal_states_are_worth_nothing_and_available_names_the_rest():
    mdp = process([[[0, 1], [0, 0]], [[0, 0], [0, 0]]], [[-1, 99], [99, 99]])
    assert mdp.terminal.tolist() == [False, True]
    assert mdp.available.tolist() == [[True, False], [False, False]]
    plan = mdp.solve(1.0)
    assert plan.values.tolist() == [-1, 0]
    assert plan.action_values[0].tolist() == [-1, -np.inf]


TRAP = process([[[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [0, 0, 1]]], [[-9, -1], [0, 0], [0, -1]])


def test_a_trap_in_which_steps_cost_is_worth_minus_infinity_and_is_avoided():
    plan = TRAP.solve(1.0)
    assert plan.values.tolist() == [-9, 0, -np.inf]
    assert plan.policy[0] == 0
    assert TRAP.evaluate([1, 0, 1], 1.0).tolist() == [-np.inf, 0, -np.inf]


def test_a_free_trap_and_a_cycle_that_pays_are_refused():
    free = process([matrix.toarray() for matrix in TRAP.transitions], [[-9, -1], [0, 0], [0, 0]])
    with pytest.raises(NeverEndingError, match="state 2 is sure to end"):
        free.solve(1.0)
    pays = process([[[0, 1], [0, 0]], [[1, 0], [0, 0]]], [[-1, 1], [0, 0]])
    with pytest.raises(NeverEndingError, match="without bound from state 0"):
        pays.solve(1.0)
    assert pays.solve(0.5).values[0] == pytest.approx(2.0)


def test_a_policy_that_never_ends_is_worth_the_sign_of_what_it_is_paid():
    loop = process([[[1, 0], [0, 0]]], [[1], [0]])
    assert loop.evaluate([0, 0], 1.0).tolist() == [np.inf, 0]
    idle = process([[[1, 0], [0, 0]]], [[0], [0]])
    assert idle.evaluate([0, 0], 1.0).tolist() == [0, 0]
    even = process([[[0, 1], [0, 1]]] * 3, [[1, 1, 1], [0.1, 0.2, -0.3]])
    assert even.evaluate(np.full((2, 3), 1 / 3), 1.0).tolist() == [1, 0]
    swing = process([[[0, 1], [1, 0]]], [[1], [-1]])
    with pytest.raises(NeverEndingError, match="has no limit"):
        swing.evaluate([0, 0], 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rewards": [[1.0]]}, r"got rewards.shape=\(1, 1\); expected \[S, A\] = \(2, 1\)"),
        ({"start": [0.5, 0.4]}, r"got start.sum\(\)=0.9; expected"),
        ({"start": [1.0]}, r"got rewards.shape=\(2, 1\)"),
        ({"transitions": [[[0.5, 0.4], [0, 0]]]}, r"got transitions\[0\]\[0\].sum\(\)=0.9"),
        ({"transitions": [[[2, -1], [0, 0]]]}, "expected probabilities"),
        ({"transitions": [[[1.0]]]}, r"got transitions\[0\].shape=\(1, 1\)"),
        ({"rewards": [[float("nan")], [0]]}, "expected finite numbers"),
    ],
)
def test_malformed_processes_are_refused_at_the_door(change, message):
    good = {"transitions": [[[0, 1], [0, 0]]], "rewards": [[-1], [0]], "start": [1, 0]} | change
    with pytest.raises(SettingError, match=message):
        TabularMDP(
            tuple(csr_array(np.array(matrix, dtype=float)) for matrix in good["transitions"]),
            np.array(good["rewards"], dtype=float),
            np.array(good["start"], dtype=float),
        )


def test_an_empty_process_is_refused():
    with pytest.raises(SettingError, match="expected at least one state"):
        TabularMDP((), np.zeros((1, 0)), np.ones(1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda mdp: mdp.solve(1.5), "got discount=1.5"),
        (lambda mdp: mdp.solve(float("nan")), "got discount=nan"),
        (lambda mdp: mdp.solve(0.5, horizon=0), "got horizon=0"),
        (lambda mdp: mdp.evaluate([0, 7, 0, 0], 0.5), r"expected actions in 0\.\.1"),
        (lambda mdp: mdp.evaluate([0, 0], 0.5), r"got policy.shape=\(2,\)"),
        (lambda mdp: mdp.evaluate(np.full((4, 2), 0.4), 0.5), "sum to 1"),
        (lambda mdp: TRAP.evaluate([0, 0, 0], 0.5), "only actions that are available"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(SettingError, match=message):
        call(corridor(3))
