"""Models and mentors of a user's own are checked wherever they are asked; so is what is too large."""

import numpy as np
import pytest

from multislot.bayes import (
    HistoryMentor,
    MentorClass,
    ModelClass,
    TabularMentor,
    TabularModel,
    best_mixture_plan,
    mentor_value,
    pessimistic_value,
)
from multislot.errors import SettingError, TooLargeError


class Own:
    """A model, or a mentor, of a user's own."""

    n_actions = 2

    def __init__(self, answer):
        self.answer = answer

    def begin(self):
        return "here"

    def law(self, summary, action):
        return self.answer

    def probabilities(self, summary):
        return self.answer

    def choose(self, summary, chance):
        return 0

    def after(self, summary, action, percept):
        return "here"


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ({(0, 0.5): 0.7}, r"got sum of the probabilities Own\.law\('here', 0\)=0\.7; expected 1"),
        ({(0, 0.5): 1.5, (1, 0.5): -0.5}, "expected a finite number, at least 0"),
        ({(0, 1.5): 1.0}, r"got percept Own\.law\('here', 0\)=\(0, 1\.5\); expected a reward in \[0, 1\]"),
        ({0: 1.0}, r"got percept=0; expected a pair \(observation, reward\) of numbers"),
        ([1.0], r"got law Own\.law\('here', 0\)=\[1\.0\]; expected a mapping \(observation, reward\) → probability"),
    ],
)
def test_the_law_of_a_model_of_ones_own_is_checked_wherever_it_is_asked_for(law, message):
    models, mentor = ModelClass([Own(law)]), TabularMentor([0], n_actions=2)
    for asks in (
        lambda: pessimistic_value(models, discount=0.5, horizon=2),
        lambda: best_mixture_plan(models, [1.0], 0.5, 2),
        lambda: models.posterior().observe(0, (0, 0.5)),
        lambda: models.posterior().observe(0, (None, 0.5)),
        lambda: mentor_value(models.models[0], "here", mentor, 0, 0.5, 2),
    ):
        with pytest.raises(SettingError, match=message):
            asks()


def test_what_a_mentor_model_of_ones_own_does_is_checked_wherever_it_is_asked_for():
    coin = TabularModel(np.ones((1, 2, 1)), [[0.5, 0.5]])
    mentors = MentorClass([Own([0.5, 0.4])])
    with pytest.raises(SettingError, match=r"got policy\[0\]=\[0\.5, 0\.4\]; expected probabilities that sum to 1"):
        mentors.posterior().observe(0, (0, 0.5), by_mentor=True)
    with pytest.raises(SettingError, match="expected probabilities that sum to 1"):
        mentor_value(coin, 0, mentors.mentors[0], "here", 0.5, 2)
    assert mentor_value(coin, 0, Own([0.25, 0.75]), "here", 0.5, 2) == pytest.approx(0.5 * 0.75)


def test_valuing_a_mentor_that_is_no_table_has_stated_limits(monkeypatch):
    model = TabularModel(np.ones((1, 2, 1)), [[0.5, 0.5]])
    assert mentor_value(model, 0, Own([0.5, 0.5]), "here", 0.5, 3000) == pytest.approx(0.5)
    coin = TabularModel(np.ones((1, 1, 1)), [[[0.5, 0.5]]], reward_values=[0, 1])
    monkeypatch.setattr("multislot.bayes.planning.VALUING_LIMIT", 5)
    with pytest.raises(TooLargeError, match="over 5 situations; use a shorter horizon"):
        mentor_value(coin, 0, HistoryMentor(lambda history: [1.0], 1), (), 0.5, 10)
