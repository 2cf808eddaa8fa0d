"""What is of the wrong kind altogether is refused at the door, in words; so is what is too large."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from multislot.bayes import (
    HistoryMentor,
    MentorClass,
    ModelClass,
    MostLikelyAgent,
    ScriptedMentor,
    TabularMentor,
    TabularModel,
)
from multislot.bayes.planning import LONGEST_VALUING, mentor_value
from multislot.errors import SettingError, TooLargeError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda good: TabularModel(np.ones((1, 1, 1)), [[0.5]], start=0.5), "start is 0.5"),
        (lambda good: TabularModel(np.ones((1, 1, 1)), [[0.5]], start=[1.0]), "use PartiallyObservableModel"),
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


def test_valuing_a_mentor_that_is_no_table_has_stated_limits(monkeypatch):
    model, script = TabularModel(np.ones((1, 1, 1)), [[0.5]]), ScriptedMentor([0], 1)
    assert mentor_value(model, 0, script, 0, 0.5, LONGEST_VALUING) == pytest.approx(0.5)
    with pytest.raises(TooLargeError, match="for 150 steps at most, got 151"):
        mentor_value(model, 0, script, 0, 0.5, LONGEST_VALUING + 1)
    coin = TabularModel(np.ones((1, 1, 1)), [[[0.5, 0.5]]], reward_values=[0, 1])
    monkeypatch.setattr("multislot.bayes.planning.VALUING_LIMIT", 5)
    with pytest.raises(TooLargeError, match="over 5 situations; use a shorter horizon"):
        mentor_value(coin, 0, HistoryMentor(lambda history: [1.0], 1), (), 0.5, 10)
