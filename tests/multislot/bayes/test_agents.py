"""The pessimistic agent and the standard ones: what they decide, record, save and resume."""

import numpy as np
import pytest

from multislot import run
from multislot.bayes import (
    BayesAgent,
    HistoryModel,
    MentorAgent,
    MentorClass,
    MentoredWorld,
    ModelClass,
    ModelWorld,
    MostLikelyAgent,
    PartiallyObservableModel,
    PessimisticAgent,
    TabularMentor,
)
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError, TooLargeError
from tests.multislot.bayes.examples import drawn, random_class, random_mentors

HORIZON = 6


def small_class(seed=0, count=5):
    return random_class(np.random.default_rng(seed), count, rewards=(0.25, 0.75), sparse=0.2)


def pessimist(models, mentors, beta=0.8, **options):
    settings = {"discount": 0.8, "horizon": HORIZON, "exact": False, "stream": EndlessStream(4, 1), **options}
    return PessimisticAgent(models, mentors, beta, **settings)


def live(agent, truth, mentor, steps, seed=0, first=0):
    """Lets an agent live in a model with a mentor; the random numbers of step t are the same whenever it comes."""
    stream = EndlessStream(seed, 0)
    for step in range(first, first + steps):
        state = agent.done[-1].percept[0] if agent.done else truth.start
        decision = agent.decide()
        by_mentor = decision.action is None
        action = mentor.choose(state, stream.at(2 * step)) if by_mentor else decision.action
        agent.observe(action, drawn(truth.law(state, action), stream.at(2 * step + 1)), by_mentor)
    return agent


@pytest.fixture
def setting():
    models = small_class()
    return models, random_mentors(np.random.default_rng(1), 3)


def test_agents_that_share_a_class_share_no_plans_of_other_settings(setting):
    models, mentors = setting
    exact = {"exact": True, "horizon": 2}
    many = [{}, {"horizon": 2}, {"discount": 0.5}, exact, {**exact, "pure": False}]

    def decided(make):
        pessimists = [pessimist(make(), mentors, **options) for options in many]
        others = [BayesAgent(make(), *options) for options in ((0.8, 3), (0.5, 3), (0.8, 2), (0.8, 3, 1))]
        others += [MostLikelyAgent(make(), discount, HORIZON) for discount in (0.5, 0.8)]
        return [agent.decide() for agent in (*pessimists, *others)]

    assert decided(lambda: models) == decided(small_class)


def test_resuming_needs_a_fresh_agent_with_the_same_settings(setting, tmp_path):
    models, mentors = setting
    agent = live(pessimist(models, mentors), models.models[0], mentors.mentors[0], 2)
    agent.save(tmp_path / "life.json")
    with pytest.raises(SettingError, match="has already lived 2 steps"):
        agent.resume(tmp_path / "life.json")
    with pytest.raises(SettingError, match="other settings: beta"):
        pessimist(models, mentors, beta=0.5).resume(tmp_path / "life.json")


def test_the_premises_of_another_life_are_refused(setting, tmp_path):
    models, mentors = setting
    life = tmp_path / "life.json"
    agent = live(pessimist(models, mentors, lambda step: 0.5), models.models[0], mentors.mentors[0], 5)
    agent.save(life)
    permuted = ModelClass([*models.models[1:], models.models[0]])
    otherwise = "at step 1 this agent decides otherwise"
    others = [
        ("other settings: stream;", pessimist(models, mentors, lambda step: 0.5, stream=EndlessStream(5, 1))),
        (otherwise, pessimist(permuted, mentors, lambda step: 0.5)),
        (otherwise, pessimist(models, random_mentors(np.random.default_rng(2), 3), lambda step: 0.5)),
        (otherwise, pessimist(models, mentors, lambda step: 0.9)),
    ]
    for message, other in others:
        with pytest.raises(SettingError, match=message):
            other.resume(life)
        assert (other.done, other.posterior.steps) == ([], 0)


def test_a_life_is_saved_whole_and_what_is_no_life_is_refused(setting, tmp_path):
    models, mentors = setting
    life = tmp_path / "life.json"
    agent = pessimist(models, mentors)
    observation, reward = next(iter(models.models[0].law(0, 1)))
    agent.observe(np.int64(1), (np.int64(observation), np.float64(reward)), np.bool_(True))
    agent.save(life)
    assert [path.name for path in tmp_path.iterdir()] == ["life.json"]
    whole = life.read_text()
    for text in (whole[:-9], "[]", "{}", "[" * 10**5, "\0", "9" * 5000, whole.replace('"format": 4', '"format": 3')):
        life.write_text(text)
        with pytest.raises(SettingError, match=r"life\.json holds no saved life"):
            pessimist(models, mentors).resume(life)
    with pytest.raises(SettingError, match="nowhere holds no saved life"):
        pessimist(models, mentors).resume(tmp_path / "nowhere")


def test_a_copy_decides_the_same_and_learns_apart(setting):
    models, mentors = setting
    agent = live(pessimist(models, mentors), models.models[0], mentors.mentors[0], 5)
    copied = agent.copy()
    assert copied.decide() == agent.decide()
    live(copied, models.models[0], mentors.mentors[0], 5, first=5)
    assert (len(agent.done), len(copied.done)) == (5, 10)
    live(agent, models.models[0], mentors.mentors[0], 5, first=5)
    assert agent.record == copied.record


def test_beta_may_be_a_schedule(setting):
    models, mentors = setting
    agent = live(
        pessimist(models, mentors, beta=lambda step: 0.9 / (1 + step)), models.models[0], mentors.mentors[0], 3
    )
    assert agent.columns()["beta"] == [0.9, 0.45, 0.3]
    assert agent.columns()["step"] == [0, 1, 2]


def test_models_of_any_kind_will_do():
    models = small_class(count=3)
    hidden = ModelClass([PartiallyObservableModel(model, np.eye(3)) for model in models.models])
    mentors = random_mentors(np.random.default_rng(0), 2)
    options = {"exact": True, "horizon": 2, "beta": 0.5}
    seen, unseen = pessimist(models, mentors, **options), pessimist(hidden, mentors, n_inner=3, **options)
    live(seen, models.models[0], mentors.mentors[0], 8)
    live(unseen, models.models[0], mentors.mentors[0], 8)
    assert seen.columns()["action"] == unseen.columns()["action"]
    assert seen.columns()["value"] == pytest.approx(unseen.columns()["value"])
    with pytest.raises(SettingError, match="unless all models are tabular and of one size"):
        pessimist(hidden, mentors, exact=False)


def test_models_that_are_no_tables_do_not_tell_how_many_observations_there_are():
    """An agent that guesses their number misreads the world, and believes a wrong model."""
    tables = small_class(count=3)
    truth = PartiallyObservableModel(tables.models[0], np.eye(3))
    models = ModelClass([truth, *(PartiallyObservableModel(model, np.eye(3)) for model in tables.models[1:])])
    world = MentoredWorld(ModelWorld(truth, 3))
    for kind in (BayesAgent, MostLikelyAgent):
        agent = kind(models, 0.5, 2)
        assert agent.decide().action is not None
        with pytest.raises(SettingError, match=r"got n_inner=None; expected the world's number of observations"):
            run(
                world, {1: agent, 2: MentorAgent(random_mentors(np.random.default_rng(0), 1).mentors[0], world.code)}, 3
            )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beta": 1.0}, r"got beta=1\.0; expected a finite number, at least 0 and below 1"),
        ({"noise": 0.0}, r"got noise=0\.0; expected a finite number, above 0"),
        ({"discount": 1.0}, r"got discount=1\.0; expected a finite number, at least 0 and below 1"),
        ({"horizon": 0}, "got horizon=0; expected a whole number, at least 1"),
        (
            {"mentors": MentorClass([TabularMentor([[1.0]])])},
            r"got mentors\.n_actions=1; expected 2, as many as the models have",
        ),
        (
            {"mentors": MentorClass([TabularMentor([[0.5, 0.5]])])},
            r"got mentors\[0\]\.n_states=1; expected 3, as the models have",
        ),
        (
            {"mentors": MentorClass([TabularMentor([0, 0, 0], 2, 2)])},
            r"got mentors\[0\]\.start=2; expected one of \[0\], where the models start",
        ),
    ],
)
def test_bad_settings_are_named(setting, change, message):
    models, mentors = setting
    with pytest.raises(SettingError, match=message):
        pessimist(**{"models": models, "mentors": mentors, **change})


def test_the_remedy_for_a_plan_that_is_too_large_is_one_that_can_be_followed():
    models = random_class(np.random.default_rng(0), 2, states=4, actions=3, sparse=0.0)
    told = HistoryModel(lambda history, action: models.models[0].law(history[-1][1][0] if history else 0, action), 3)
    mixed = ModelClass([*models.models, told], [0.45, 0.45, 0.1])  # the top set is tabular, the class is not
    mentors = random_mentors(np.random.default_rng(0), 1, 4, 3)
    options = {"exact": True, "horizon": 9, "n_inner": 4}
    for agent in (pessimist(mixed, mentors, beta=0.5, **options), BayesAgent(mixed, 0.8, 9, n_inner=4)):
        with pytest.raises(TooLargeError, match=r"\d steps; use a shorter horizon$"):
            agent.decide()
    with pytest.raises(TooLargeError, match=r"use exact=False, the step-wise lower bound, or a shorter horizon$"):
        pessimist(models, mentors, beta=0.5, exact=True, horizon=9).decide()


@pytest.mark.parametrize("action", [2, -1, 0.5])
def test_an_action_that_is_none_teaches_nothing(setting, action):
    models, mentors = setting
    percept = next(iter(models.models[0].law(0, 0)))
    for learner in (pessimist(models, mentors), models.posterior(), models.models[0]):
        tell = learner.law if learner is models.models[0] else learner.observe
        before = (0, action) if learner is models.models[0] else (action, percept)
        with pytest.raises(SettingError, match=r"expected one of 0\.\.1"):
            tell(*before)
    with pytest.raises(SettingError, match=r"expected one of 0\.\.1"):
        mentors.posterior().observe(action, percept, by_mentor=True)
    with pytest.raises(SettingError, match=r"got state=3; expected one of 0\.\.2"):
        models.models[0].law(3, 0)
