"""World-models: the laws they give, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from multislot.bayes import Event, PartiallyObservableModel, TabularModel
from multislot.errors import SettingError
from tests.multislot.bayes.examples import random_models

TRANSITION = np.array([[[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]])
REWARD = np.array([[0.1, 0.2], [0.3, 0.1]])


def test_a_law_is_the_product_of_transition_and_reward():
    chances = np.array([[[0.25, 0.75], [1.0, 0.0]]] * 2)
    model = TabularModel(TRANSITION, chances, start=1, reward_values=[0.0, 1.0])
    assert model.begin() == 1
    assert model.law(0, 0) == {(0, 0.0): 0.125, (0, 1.0): 0.375, (1, 0.0): 0.125, (1, 1.0): 0.375}
    assert model.law(1, 1) == {(1, 0.0): 1.0}
    assert model.rewards.tolist() == [[0.75, 0.0], [0.75, 0.0]]


@pytest.mark.parametrize(
    "form",
    [csr_array(TRANSITION.reshape(4, 2)), TRANSITION.tolist()],
    ids=["rows", "lists"],
)
def test_every_form_of_transition_says_the_same(form):
    dense, other = TabularModel(TRANSITION, REWARD), TabularModel(form, REWARD)
    assert (dense.rows.toarray() == other.rows.toarray()).all()
    assert (other.n_states, other.n_actions) == (2, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transition": TRANSITION * [[[0.5, 1.0]]]}, r"got sum of transition\[0, 0\]=0\.75; expected 1"),
        (
            {"transition": TRANSITION + np.array([[[0.1, -0.1]]])},
            r"got transition\[1, 0, 1\]=-0\.1; expected at least 0",
        ),
        ({"transition": TRANSITION[:, :, :1]}, r"got transition\.shape=\(2, 2, 1\); expected \[S, A, S\]"),
        ({"transition": csr_array(TRANSITION.reshape(4, 2)[:3])}, r"expected \[S, A, S\]"),
        ({"transition": TRANSITION * np.nan}, r"got transition\[0, 0, 0\]=nan; expected at least 0"),
        ({"reward": REWARD * 5}, r"got reward\[1, 0\]=1\.5; expected a number in \[0, 1\]"),
        (
            {"reward": REWARD[:1]},
            r"got reward\.shape=\(1, 2\); expected \[S, A\] = \(2, 2\), or \[S, A, R\] with reward_values",
        ),
        (
            {"reward_values": [0.1, 0.2]},
            r"got reward\.shape and reward_values\.shape=\(\(2, 2\), \(2,\)\); expected \[S, A, R\] and \[R\]",
        ),
        ({"reward": np.ones((2, 2, 2)), "reward_values": [0, 1]}, r"got sum of reward\[0, 0\]=2\.0; expected 1"),
        (
            {"reward": np.ones((2, 2, 1)), "reward_values": [-0.5]},
            r"got reward_values\[0\]=-0\.5; expected a number in \[0, 1\]",
        ),
        (
            {"reward": np.ones((2, 2, 2)) / 2, "reward_values": [0.5, 0.5]},
            r"got reward_values=\[0\.5, 0\.5\]; expected rewards that differ",
        ),
        ({"start": 2}, r"got start=2; expected one of 0\.\.1"),
    ],
)
def test_what_is_no_model_is_refused_naming_the_entry(change, message):
    with pytest.raises(SettingError, match=message):
        TabularModel(**{"transition": TRANSITION, "reward": REWARD, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"emission": [[1.0, 0.0], [0.5, 0.4]]}, r"got sum of emission\[1\]=0\.9; expected 1"),
        ({"emission": [[1.0]]}, r"got emission\.shape=\(1, 1\); expected \[S, O\] with S = 2"),
        ({"start": [1.0]}, r"got start\.shape=\(1,\); expected \[S\] = \(2,\)"),
        ({"start": [1.0, 1.0]}, r"got sum of start\[0\]=2\.0; expected 1"),
    ],
)
def test_a_wrong_emission_is_refused_naming_the_entry(change, message):
    with pytest.raises(SettingError, match=message):
        PartiallyObservableModel(**{"hidden": TabularModel(TRANSITION, REWARD), "emission": np.eye(2), **change})


@given(st.integers(0, 10_000), st.integers(1, 3))
def test_hidden_states_are_summed_out_as_over_all_their_paths(seed, steps):
    rng = np.random.default_rng(seed)
    hidden = random_models(rng, 1, rewards=(0.0, 1.0))[0]
    emission, start = rng.dirichlet(np.ones(2), 3), rng.dirichlet(np.ones(3))
    model = PartiallyObservableModel(hidden, emission, start)
    summary, expected, found = model.begin(), start, 1.0
    for _ in range(steps):
        action = int(rng.integers(2))
        law = model.law(summary, action)
        assert sum(law.values()) == pytest.approx(1)
        percept = list(law)[int(rng.integers(len(law)))]
        joint = np.zeros(3)
        for state in range(3):
            for (arrived, reward), chance in hidden.law(state, action).items():
                joint[arrived] += expected[state] * chance * (reward == percept[1]) * emission[arrived, percept[0]]
        expected, found, summary = joint, found * law[percept], model.after(summary, action, percept)
    assert found == pytest.approx(expected.sum())
    assert summary == pytest.approx(expected / expected.sum(), abs=1e-9)


def test_a_hidden_state_that_became_unlikely_may_become_likely_again():
    """A coin is one of two; the second one turns out to be it after 14 signs for the first and 30 for the second."""
    hidden = TabularModel(np.eye(2)[:, None], np.full((2, 1), 0.5))
    model = PartiallyObservableModel(hidden, [[0.9, 0.1], [0.1, 0.9]], [0.5, 0.5])
    summary = model.begin()
    for sign in [0] * 14 + [1] * 30:
        summary = model.after(summary, 0, (sign, 0.5))
    assert summary == pytest.approx((1 / (1 + 9**16), 1 / (1 + 9**-16)), rel=1e-9)


def test_an_event_of_an_episode_is_the_one_that_begins_with_its_observation():
    plain = Event("plain", lambda history, action: False)
    begun = Event("begun", lambda history, action: False, lambda first: Event(str(first), lambda *_: True))
    assert (plain.at(None), plain.at(3), begun.at(None), begun.at(3).name) == (plain, plain, begun, "3")
