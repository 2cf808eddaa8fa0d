"""The guarantee in one call: kept by the pessimist, broken by who does not defer, and undecided with few lives."""

import pytest

from multislot.bayes import (
    Event,
    MentorClass,
    ModelClass,
    ModelWorld,
    MostLikelyAgent,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
    check_guarantee,
    twins,
)
from multislot.bayes.lives import Guarantee
from multislot.errors import SettingError

TEMPTING = 1
BASE = ModelClass([TabularModel([[[1.0], [1.0]]], reward=[[0.3, 1.0]])])
CLASS = twins(BASE, [(0, TEMPTING)])
EVENT = Event.of_pairs("the tempting action", [(0, TEMPTING)], 0)
MENTOR = TabularMentor([0, 0], n_actions=2)


def world():
    return ModelWorld(CLASS.models[0], n_inner=2)


def checked(agent, **settings):
    return check_guarantee(agent, world(), MENTOR, EVENT, steps=10, **settings)


def pessimist(beta):
    return PessimisticAgent(CLASS, MentorClass([MENTOR]), beta, discount=0.9, horizon=5, exact=False)


def test_the_pessimist_keeps_it_and_the_bound_is_that_of_the_twin():
    kept = checked(pessimist(0.95), twin=1, lives=60)
    assert (kept.first, kept.verdict, kept.lives_to_decide) == (0, "holds", 60)
    assert kept.bound == pytest.approx(0.05 / 0.5)
    assert "0 of 60 lives" in str(kept)


def test_an_agent_that_does_not_defer_breaks_it():
    broken = checked(MostLikelyAgent(CLASS, discount=0.9, horizon=5), bound=0.1, lives=20)
    assert (broken.first, broken.verdict) == (20, "broken")


def test_few_lives_do_not_decide_and_it_says_how_many_would():
    few = checked(pessimist(0.95), twin=1, lives=10)
    assert few.verdict == "undecided"
    assert 30 <= few.lives_to_decide <= 37
    assert checked(pessimist(0.95), twin=1, lives=few.lives_to_decide).verdict == "holds"
    assert f"about {few.lives_to_decide} lives would decide" in str(few)
    assert "more than" in str(Guarantee("e", 0.0, 10, 0, (0.0, 0.3), "undecided", None))


def test_a_bound_is_needed():
    with pytest.raises(SettingError, match="the index of the twin"):
        checked(MostLikelyAgent(CLASS, discount=0.9, horizon=5))
