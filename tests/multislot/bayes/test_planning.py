"""Values and mixtures' best plans, against recursion over whole histories and the exact planner of kernels."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import (
    ModelClass,
    PartiallyObservableModel,
    best_mixture_plan,
)
from multislot.errors import SettingError, TooLargeError
from tests.multislot.bayes.examples import random_class


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 4))
def test_looking_less_deep_is_an_upper_bound_that_falls_with_depth(seed, count, horizon):
    rng = np.random.default_rng(seed)
    models, weights = random_class(rng, count, rewards=(0.0, 1.0)), rng.dirichlet(np.ones(count))
    values = [best_mixture_plan(models, weights, 0.9, horizon, depth=depth).value for depth in range(1, horizon + 1)]
    assert all(shallow >= deep - 1e-12 for shallow, deep in pairwise(values))
    assert values[-1] == pytest.approx(best_mixture_plan(models, weights, 0.9, horizon).value)


def test_a_mixture_that_is_too_large_is_refused_and_the_remedy_named():
    models = random_class(np.random.default_rng(0), 3, states=5, actions=4, sparse=0.0)
    with pytest.raises(TooLargeError, match="give a smaller depth="):
        best_mixture_plan(models, np.full(3, 1 / 3), 0.9, 30)
    assert 0 < best_mixture_plan(models, np.full(3, 1 / 3), 0.9, 30, depth=2).value < 1


def test_a_depth_needs_tabular_models_and_at_least_one_step():
    models = random_class(np.random.default_rng(0), 2)
    hidden = ModelClass([PartiallyObservableModel(model, np.ones((3, 1))) for model in models.models])
    with pytest.raises(SettingError, match="unless all models are tabular and of one size"):
        best_mixture_plan(hidden, np.full(2, 0.5), 0.9, 3, depth=1)
    with pytest.raises(SettingError, match="got depth=0"):
        best_mixture_plan(models, np.full(2, 0.5), 0.9, 3, depth=0)
