"""What every composed environment is: picklable, and a world of the engine."""

import pickle

import pytest

from extenv.composing.compose import fold, handicap
from extenv.world import AsWorld
from multislot.agents.tabular import QLearner
from tests.extenv.composing.composing import CARTPOLE, trace
from tests.extenv.games import Crowd, MatchingBits


def cartpole(by="IgnoreRewards", **settings):
    return handicap("CartPole-v1", by, encoder=CARTPOLE, **settings)


@pytest.mark.parametrize("make", [cartpole, lambda: fold(MatchingBits)])
def test_what_is_composed_can_be_sent_to_another_process(make):
    environment = make()
    trace(environment, QLearner, steps=10)
    sent = pickle.loads(pickle.dumps(environment))
    assert [environment.step(turn % 2) for turn in range(20)] == [sent.step(turn % 2) for turn in range(20)]


@pytest.mark.parametrize("make", [cartpole, lambda: fold(Crowd)])
def test_what_is_composed_is_a_world_of_the_engine_with_its_copies_in_slots(make):
    world = AsWorld(make(), QLearner)
    lived = world.run(50, seed=1)
    turns = trace(make(), QLearner, steps=50)
    assert list(lived.agent_history(1)) == [(action, seen) for _, action, _, seen in turns]
    assert list(lived.reward_history(1)) == [paid for *_, paid, _ in turns]
    assert world.slots.simulated
