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
    gridworld_variations,
    twins,
)
from multislot.bayes.builders import START, cliff_grid
from multislot.bayes.events import why_no_twin
from multislot.bayes.lives import Guarantee
from multislot.engine.world import World
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


NO_TWINS = [
    (0, EVENT, "pays 1 for action 1"),
    (1, Event.of_pairs("waiting", [(0, 0)], 0), "pays 0.3 for action 0"),
    (
        1,
        Event("twice", lambda past, action: any(one == action for one, _ in past)),
        "differs from the world for action 1",
    ),
]


@pytest.mark.parametrize(("twin", "event", "reason"), NO_TWINS, ids=["the truth itself", "another event", "too early"])
def test_a_model_that_is_no_twin_is_refused_before_anybody_lives(twin, event, reason):
    expected = f"a model that equals the world until '{event.name}', and pays 0 from then on; this one {reason}"
    with pytest.raises(SettingError, match=rf"^got twin={twin}; expected {expected} .*; multislot\.bayes\.twins adds"):
        check_guarantee(pessimist(0.95), world(), MENTOR, event, twin=twin)


class Hidden(World):
    """The true world as a world of which no model is known."""

    def __init__(self):
        self.inner = world()
        self.n_observations, self.n_actions = self.inner.n_observations, self.inner.n_actions
        self.start, self.step = self.inner.start, self.inner.step


def test_where_the_truth_is_not_known_a_twin_must_pay_nothing_after_the_event():
    asked = {"mentor": MENTOR, "event": EVENT, "steps": 5, "lives": 5}
    with pytest.raises(SettingError, match="this one pays 1 for action 1"):
        check_guarantee(pessimist(0.95), Hidden(), twin=0, **asked)
    assert check_guarantee(pessimist(0.95), Hidden(), twin=1, **asked).first == 0


def test_a_twin_of_a_large_class_is_found_to_be_one():
    """With events that depend on the state; the control: the twin of another model of the class."""
    grids = {name: cliff_grid(cliffs) for name, cliffs in (("floor", ""), ("cliff", "c"))}
    models = twins(gridworld_variations(grids, START), [(36, 3)])
    event = Event.of_pairs("down", [(36, 3)], START)
    found = [why_no_twin(models.models[twin], models.models[0], event) for twin in (2, 3)]
    assert found[0] == ""
    assert found[1].startswith("differs from the world")


def test_agents_for_which_nothing_is_proven_have_no_bound_of_a_twin():
    """The controls: with a guard, with a pure plan or with a plan by steps the same agent is accepted."""
    mentors = MentorClass([MENTOR])

    def agent(beta=0.95, **settings):
        return PessimisticAgent(CLASS, mentors, beta, discount=0.9, horizon=2, **settings)

    for wrong in (MostLikelyAgent(CLASS, 0.9, 5), agent(beta=lambda step: 0.95), agent(pure=False, guard=False)):
        for bound in (None, 0.1):
            with pytest.raises(SettingError, match=r"^got agent=.*; expected .*: (give bound|make the agent)"):
                checked(wrong, twin=1, bound=bound, lives=1)
    for proven in ({"pure": False}, {"guard": False}, {"exact": False, "pure": False, "guard": False}):
        assert checked(agent(**proven), twin=1, lives=1).first == 0


def test_a_bound_is_needed():
    with pytest.raises(SettingError, match="the index of the twin"):
        checked(MostLikelyAgent(CLASS, discount=0.9, horizon=5))
