"""What is of the wrong kind altogether is refused at the door, in words; so is what is too large."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from multislot.bayes import (
    HistoryMentor,
    MentorAgent,
    MentorClass,
    MentoredWorld,
    ModelClass,
    MostLikelyAgent,
    PessimisticAgent,
    ScriptedMentor,
    TabularMentor,
    TabularModel,
    ThompsonAgent,
    best_mixture_plan,
    mentor_value,
    pessimistic_value,
)
from multislot.bayes.planning import LONGEST_VALUING
from multislot.bayes.zoo import GymnasiumWorld
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
        (lambda good: MentoredWorld(good), "got the inner world .*, expected an object of class World"),
        (lambda good: MentorAgent(TabularMentor([[1.0]]), 3), "got the code 3, expected an object of class TurnCode"),
        (lambda good: GymnasiumWorld(good), "got the environment .*, expected an object of class Env"),
        (lambda good: TabularMentor.from_stable_baselines(good, [0]), "which has no policy, predict"),
        (lambda good: ModelClass([good, 3]), "model 1 is 3, which has no n_actions, begin, law, after"),
        (lambda good: MentorClass([good]), "which has no probabilities, choose"),
        (lambda good: MostLikelyAgent([good], 0.8, 2), "expected an object of class ModelClass"),
        (
            lambda good: PessimisticAgent(ModelClass([good]), [], 0.5, 0.8, 2),
            r"got the mentors \[\], expected an object of class Mentor",
        ),
        (lambda good: ThompsonAgent(ModelClass([good]), 0.8, 2, period=1.5), "got period=1.5"),
        (lambda good: best_mixture_plan(ModelClass([good]), [0.5, 0.5], 0.8, 2), "expected 1 numbers"),
        (lambda good: ModelClass([good]).posterior().observe(0, 3), "got the percept 3, expected a pair"),
        (lambda good: TabularMentor([[1.0]]).choose(2, 0.5), r"state is 2, the mentor knows 0\.\.0"),
        (lambda good: MostLikelyAgent(ModelClass([good]), 0.8, 2.5), "horizon is 2.5"),
        (lambda good: MostLikelyAgent(ModelClass([good]), "a", 2), "discount is a"),
        (lambda good: ModelClass([good]).posterior().top_set("x"), "beta is x"),
    ],
)
def test_what_is_of_the_wrong_kind_is_named(make, message):
    with pytest.raises(SettingError, match=message):
        make(TabularModel(np.ones((1, 1, 1)), [[0.5]]))


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
        ({(0, 0.5): 0.7}, r"Own.law\('here', 0\): the probabilities sum to 0.7, expected 1"),
        ({(0, 0.5): 1.5, (1, 0.5): -0.5}, r"the probability of \(1, 0.5\) is -0.5"),
        ({(0, 1.5): 1.0}, r"the reward of \(0, 1.5\) is outside \[0, 1\]"),
        ({0: 1.0}, "got the percept 0, expected a pair"),
        ([1.0], r"got \[1.0\], expected a mapping"),
    ],
)
def test_the_law_of_a_model_of_ones_own_is_checked_wherever_it_is_asked_for(law, message):
    models, script = ModelClass([Own(law)]), ScriptedMentor([0], 2)
    for asks in (
        lambda: pessimistic_value(models, discount=0.5, horizon=2),
        lambda: best_mixture_plan(models, [1.0], 0.5, 2),
        lambda: models.posterior().observe(0, (0, 0.5)),
        lambda: models.posterior().observe_reward(0, 0.5),
        lambda: mentor_value(models.models[0], "here", script, 0, 0.5, 2),
    ):
        with pytest.raises(SettingError, match=message):
            asks()


def test_what_a_mentor_model_of_ones_own_does_is_checked_wherever_it_is_asked_for():
    coin = TabularModel(np.ones((1, 2, 1)), [[0.5, 0.5]])
    mentors = MentorClass([Own([0.5, 0.4])])
    with pytest.raises(SettingError, match=r"policy\[0\] is \[0.5, 0.4\], expected probabilities that sum to 1"):
        mentors.posterior().observe(0, (0, 0.5), by_mentor=True)
    with pytest.raises(SettingError, match="expected probabilities that sum to 1"):
        mentor_value(coin, 0, mentors.mentors[0], "here", 0.5, 2)
    assert mentor_value(coin, 0, Own([0.25, 0.75]), "here", 0.5, 2) == pytest.approx(0.5 * 0.75)


def test_valuing_a_mentor_that_is_no_table_has_stated_limits(monkeypatch):
    model, script = TabularModel(np.ones((1, 1, 1)), [[0.5]]), ScriptedMentor([0], 1)
    assert mentor_value(model, 0, script, 0, 0.5, LONGEST_VALUING) == pytest.approx(0.5)
    with pytest.raises(TooLargeError, match="for 150 steps at most, got 151"):
        mentor_value(model, 0, script, 0, 0.5, LONGEST_VALUING + 1)
    coin = TabularModel(np.ones((1, 1, 1)), [[[0.5, 0.5]]], reward_values=[0, 1])
    monkeypatch.setattr("multislot.bayes.planning.VALUING_LIMIT", 5)
    with pytest.raises(TooLargeError, match="over 5 situations; use a shorter horizon"):
        mentor_value(coin, 0, HistoryMentor(lambda history: [1.0], 1), (), 0.5, 10)
