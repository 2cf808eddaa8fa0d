"""What is of the wrong kind altogether is refused at the door, in words."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from multislot.bayes import MentorClass, ModelClass, MostLikelyAgent, TabularMentor, TabularModel
from multislot.errors import SettingError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda good: TabularModel(np.ones((1, 1, 1)), [[0.5]], start=0.5), "start is 0.5"),
        (lambda good: TabularMentor([[1.0]], start=0.5), "start is 0.5"),
        (lambda good: TabularModel([[[1.0], [1.0, 0.0]]], [[0.5]]), "transition is no dense array"),
        (lambda good: TabularModel(np.ones((1, 1, 1)), csr_array([[0.5]])), "reward is no dense array"),
        (lambda good: ModelClass(good), "expected a list of them"),
        (lambda good: MentorClass(TabularMentor([[1.0]])), "expected a list of them"),
        (lambda good: MostLikelyAgent(ModelClass([good]), 0.8, 2.5), "horizon is 2.5"),
        (lambda good: MostLikelyAgent(ModelClass([good]), "a", 2), "discount is a"),
        (lambda good: ModelClass([good]).posterior().top_set("x"), "beta is x"),
    ],
)
def test_what_is_of_the_wrong_kind_is_named(make, message):
    with pytest.raises(SettingError, match=message):
        make(TabularModel(np.ones((1, 1, 1)), [[0.5]]))
