"""Model classes: posteriors against the product of probabilities, top sets, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import HistoryModel, ModelClass, PartiallyObservableModel, TabularModel, top_set
from multislot.bayes.models import draw
from multislot.bayes.posterior import UnexplainedError
from multislot.bayes.top_sets import order_by_weight
from multislot.errors import SettingError
from tests.multislot.bayes.examples import first_decides, random_history, random_models


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_models_of_any_kind_learn_what_the_tables_learn(seed, steps):
    rng = np.random.default_rng(seed)
    models = random_models(rng, 3)
    hidden = [PartiallyObservableModel(model, np.eye(model.n_states)) for model in models]

    def told(model):
        def law(history, action):
            return model.law(history[-1][1][0] if history else model.start, action)

        return HistoryModel(law, model.n_actions)

    history = random_history(rng, models[0], steps)
    expected = ModelClass(models).posterior(history).weights
    assert ModelClass(hidden).posterior(history).weights == pytest.approx(expected)
    assert ModelClass([told(model) for model in models]).posterior(history).weights == pytest.approx(expected)


def test_ten_thousand_unlikely_steps_do_not_underflow():
    fair = TabularModel(np.ones((1, 1, 1)), [[[0.5, 0.5]]], reward_values=[0, 1])
    bent = TabularModel(np.ones((1, 1, 1)), [[[0.501, 0.499]]], reward_values=[0, 1])
    posterior = ModelClass([fair, bent]).posterior()
    for step in range(10_000):
        posterior.observe(0, (0, float(step % 2)))
    odds = 5_000 * np.log(0.501 * 0.499 / 0.25)
    assert posterior.log_weights[1] - posterior.log_weights[0] == pytest.approx(odds)


def test_a_history_that_no_model_allows_is_an_error_that_says_at_which_step():
    posterior = ModelClass(first_decides((1, 0), (0, 1))).posterior()
    posterior.observe(0, (1, 1.0))
    before = posterior.weights.copy()
    with pytest.raises(UnexplainedError, match=r"step 2, action 0: every model .* observation 1 with reward 0.0 prob"):
        posterior.observe(0, (1, 0.0))
    assert (posterior.weights == before).all()
    assert posterior.steps == 1
    for impossible in ((7, 1.0), (1, 0.123)):
        with pytest.raises(UnexplainedError):
            posterior.observe(0, impossible)


@pytest.mark.parametrize(
    ("weights", "beta", "expected"),
    [
        ([0.25, 0.25, 0.25, 0.25], 0.0, (0,)),
        ([0.25, 0.25, 0.25, 0.25], 0.5, (0, 1, 2)),
        ([0.2, 0.5, 0.3], 0.0, (1,)),
        ([0.2, 0.5, 0.3], 0.5, (1, 2)),
        ([0.2, 0.5, 0.3], 0.8, (1, 2, 0)),
        ([0.1] * 10, 0.3, (0, 1, 2, 3)),
        ([0.1, 0.7, 0.2], 0.8, (1, 2)),
        ([0.5, 0.0, 0.5], 1 - 2**-53, (0, 2)),
    ],
)
def test_the_top_set_is_the_most_likely_models_of_more_than_beta(weights, beta, expected):
    with np.errstate(divide="ignore"):
        assert top_set(np.log(weights), np.array(weights), beta) == expected


def test_ties_up_to_rounding_go_to_the_lower_index():
    weights = np.array([0.5, 0.5 + 5e-14])
    assert top_set(np.log(weights), weights, 0.0) == (0,)


@pytest.mark.parametrize("beta", [-0.1, 1.0, float("nan")])
def test_beta_outside_its_domain_is_refused(beta):
    with pytest.raises(SettingError, match="expected a finite number, at least 0 and below 1"):
        top_set(np.zeros(1), np.ones(1), beta)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"models": []}, r"got models=\(\); expected at least one"),
        ({"prior": [1.0]}, r"got prior.shape=\(1,\); expected \(2,\), one number for each of the models"),
        ({"prior": [1.0, 0.0]}, r"got prior\[1\]=0\.0; expected more than 0; leave out what is impossible"),
        ({"prior": [0.5, 0.6]}, r"got prior=\[0\.5, 0\.6\]; expected numbers that sum to 1"),
        ({"names": ["one"]}, r"got names=\('one',\); expected 2, one for each model"),
        (
            {"models": first_decides((1, 0), (1, 0, 1))},
            r"got models with n_actions=\[2, 3\]; expected the same number of actions in each",
        ),
    ],
)
def test_what_is_no_class_is_refused(arguments, message):
    with pytest.raises(SettingError, match=message):
        ModelClass(**{"models": first_decides((1, 0), (0, 1)), **arguments})


@given(
    st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=6).filter(any), st.floats(0, 1, exclude_max=True)
)
def test_what_is_impossible_is_never_drawn(weights, chance):
    assert weights[draw(np.array(weights) / sum(weights), chance)] > 0


def test_a_number_close_to_1_draws_the_last_index_though_the_sum_is_a_little_less():
    assert draw(np.array([0.5, 0.5 - 1e-9]), 1 - 1e-12) == 1


@pytest.mark.parametrize(
    "weights", [[np.nan] * 3, [0.5, np.nan], [1.5, -0.5], [0.5, 0.25], [0.5, 0.6], [np.inf, 0.0], [0.0]]
)
def test_what_is_not_a_distribution_is_not_drawn_from(weights):
    with pytest.raises(SettingError, match="expected numbers of at least 0 that sum to 1"):
        draw(np.array(weights), 0.3)


def test_equal_weights_are_ties_wherever_they_lie():
    """One last bit apart, on both sides of a number that rounding to nine digits would tear apart."""
    for count in range(1, 40):
        half = -(count + 0.5) * 1e-9
        logs = np.array([np.nextafter(half, -1), np.nextafter(half, 0), 0.0, -np.inf, -1.0, -np.inf])
        assert order_by_weight(logs).tolist() == [2, 0, 1, 4, 3, 5]
