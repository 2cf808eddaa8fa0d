"""Arguments of the wrong kind are refused with a clear message; so is what is too large."""

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
from multislot.bayes.zoo import GymnasiumWorld
from multislot.errors import SettingError, TooLargeError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda good: TabularModel(np.ones((1, 1, 1)), [[0.5]], start=0.5), r"got start=0\.5; expected one of 0\.\.0"),
        (lambda good: TabularModel(np.ones((1, 1, 1)), [[0.5]], start=[1.0]), "use PartiallyObservableModel"),
        (lambda good: TabularMentor([[1.0]], start=0.5), r"got start=0\.5; expected one of 0\.\.0"),
        (
            lambda good: TabularModel([[[1.0], [1.0, 0.0]]], [[0.5]]),
            "got transition=.*; expected a dense array of numbers",
        ),
        (
            lambda good: TabularModel(np.ones((1, 1, 1)), csr_array([[0.5]])),
            r"got reward=<Compressed Sparse Row sparse array of dtype 'float64'\
\	with 1 stored elements and s",
        ),
        (lambda good: ModelClass(good), "expected a list of (world|mentor)-models"),
        (lambda good: MentorClass(TabularMentor([[1.0]])), "expected a list of (world|mentor)-models"),
        (lambda good: MentoredWorld(good), "got inner=.*; expected an instance of World"),
        (lambda good: MentorAgent(TabularMentor([[1.0]]), 3), "got code=3; expected an instance of TurnCode"),
        (lambda good: GymnasiumWorld(good), "got environment=.*; expected an instance of Env"),
        (
            lambda good: TabularMentor.from_stable_baselines(good, [0]),
            "got algorithm=.*; expected an object with policy, predict, action_space",
        ),
        (
            lambda good: ModelClass([good, 3]),
            r"got models\[1\]=3; expected an object with n_actions, begin, law, after",
        ),
        (
            lambda good: MentorClass([good]),
            r"got mentors\[0\]=.*; expected an object with n_actions, begin, probabilities, choose, after",
        ),
        (lambda good: MostLikelyAgent([good], 0.8, 2), r"got models=\[.*\]; expected an instance of ModelClass"),
        (
            lambda good: PessimisticAgent(ModelClass([good]), [], 0.5, 0.8, 2),
            r"got mentors=\[\]; expected an instance of MentorClass",
        ),
        (lambda good: ThompsonAgent(ModelClass([good]), 0.8, 2, period=1.5), "got period=1.5"),
        (lambda good: best_mixture_plan(ModelClass([good]), [0.5, 0.5], 0.8, 2), "expected 1 numbers"),
        (
            lambda good: ModelClass([good]).posterior().observe(0, 3),
            r"got percept=3; expected a pair \(observation, reward\) of numbers",
        ),
        (
            lambda good: TabularMentor([[1.0]]).choose(2, 0.5),
            r"got state=2; expected one of 0\.\.0, which the mentor knows",
        ),
        (
            lambda good: MostLikelyAgent(ModelClass([good]), 0.8, 2.5),
            r"got horizon=2\.5; expected a whole number, at least 1",
        ),
        (
            lambda good: MostLikelyAgent(ModelClass([good]), "a", 2),
            "got discount='a'; expected a finite number, at least 0 and below 1",
        ),
        (
            lambda good: ModelClass([good]).posterior().top_set("x"),
            "got beta='x'; expected a finite number, at least 0 and below 1",
        ),
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
        ({(0, 0.5): 0.7}, r"got sum of the probabilities Own\.law\('here', 0\)=0\.7; expected 1"),
        ({(0, 0.5): 1.5, (1, 0.5): -0.5}, "expected a finite number, at least 0"),
        ({(0, 1.5): 1.0}, r"got percept Own\.law\('here', 0\)=\(0, 1\.5\); expected a reward in \[0, 1\]"),
        ({0: 1.0}, r"got percept=0; expected a pair \(observation, reward\) of numbers"),
        ([1.0], r"got law Own\.law\('here', 0\)=\[1\.0\]; expected a mapping \(observation, reward\) → probability"),
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
    with pytest.raises(SettingError, match=r"got policy\[0\]=\[0\.5, 0\.4\]; expected probabilities that sum to 1"):
        mentors.posterior().observe(0, (0, 0.5), by_mentor=True)
    with pytest.raises(SettingError, match="expected probabilities that sum to 1"):
        mentor_value(coin, 0, mentors.mentors[0], "here", 0.5, 2)
    assert mentor_value(coin, 0, Own([0.25, 0.75]), "here", 0.5, 2) == pytest.approx(0.5 * 0.75)


def test_valuing_a_mentor_that_is_no_table_has_stated_limits(monkeypatch):
    model, script = TabularModel(np.ones((1, 1, 1)), [[0.5]]), ScriptedMentor([0], 1)
    assert mentor_value(model, 0, script, 0, 0.5, 3000) == pytest.approx(0.5)
    coin = TabularModel(np.ones((1, 1, 1)), [[[0.5, 0.5]]], reward_values=[0, 1])
    monkeypatch.setattr("multislot.bayes.planning.VALUING_LIMIT", 5)
    with pytest.raises(TooLargeError, match="over 5 situations; use a shorter horizon"):
        mentor_value(coin, 0, HistoryMentor(lambda history: [1.0], 1), (), 0.5, 10)
