"""The environments that the papers only describe: who wins, what the copies are taught, and what they share."""

from functools import partial

import pytest

from extenv import reality_check, run
from extenv.catalogue.thought_experiments import LateCryingBaby
from extenv.measuring.running import stored_streams
from multislot.agents import ConstantAgent, NaiveLearner, QLearner, SimpleLearner
from multislot.errors import SettingError
from tests.extenv.composing.composing import Diary

pytestmark = pytest.mark.compiled


class Sly(ConstantAgent):
    """Takes guarded treasures only."""

    def act(self, observation):
        return 1 - observation


def test_taking_guarded_treasures_only_wins():
    assert run("GuardedTreasures", Sly, steps=4000).mean_reward == pytest.approx(0.75, abs=0.03)
    for learner in (QLearner, SimpleLearner, NaiveLearner):
        assert run("GuardedTreasures", learner, steps=4000).mean_reward < 0.4


@pytest.mark.parametrize("factory", [ConstantAgent, SimpleLearner, QLearner, reality_check(QLearner)])
def test_without_turns_before_the_late_baby_is_the_crying_one(factory):
    assert run(LateCryingBaby(0), factory, steps=300, seed=2) == run("CryingBaby", factory, steps=300, seed=2)


def test_before_the_baby_arrives_there_is_nobody_to_feed_or_to_teach():
    class Crying(Diary):
        lessons = []  # noqa: RUF012

        def act(self, observation):
            return 1

    environment, lessons = LateCryingBaby(3), Crying.lessons
    first = environment.begin(Crying, *stored_streams(1))
    turns = [environment.step(action) for action in (1, 0, 1)]
    assert (first, turns, lessons) == (2, [(1.0, 2), (-1.0, 2), (1.0, 0)], [])
    assert environment.step(1) == (-1.0, 1)
    assert lessons == [(0, 1, 1.0, 1)]


def test_steps_before_are_a_whole_number():
    with pytest.raises(SettingError, match=r"got steps_before=0.5; expected a whole number, at least 0"):
        LateCryingBaby(0.5)


@pytest.mark.parametrize("learner", [QLearner, NaiveLearner])
@pytest.mark.parametrize("opposite", [False, True])
def test_who_learns_from_any_past_is_free_to_earn(learner, opposite):
    assert run("PunishRealityCheck", learner, steps=3000, opposite=opposite).mean_reward > 0.7


@pytest.mark.parametrize("frozen", [reality_check(QLearner), partial(ConstantAgent, action=1)])
def test_who_freezes_is_punished_and_an_agent_that_never_moves_looks_alike(frozen):
    assert run("PunishRealityCheck", frozen, steps=3000).mean_reward == pytest.approx(-0.6, abs=0.05)
