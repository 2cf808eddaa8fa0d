"""What every composed environment is: copied and pickled in the middle of a run, and a world of the engine."""

import pickle

import pytest

from extenv.composing.compose import fold
from extenv.environment import ExtendedEnvironment
from extenv.world import AsWorld
from multislot.agents.tabular import QLearner
from tests.extenv.composing.composing import cartpole, trace
from tests.extenv.games import Crowd, MatchingBits


@pytest.mark.parametrize("duplicate", [ExtendedEnvironment.copy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize(
    "make",
    [
        *(cartpole, lambda: cartpole("TemptingButton")),
        *(lambda: fold(MatchingBits), lambda: fold(lambda: MatchingBits(length=7))),
    ],
)
def test_a_copy_or_pickle_made_in_the_middle_of_a_run_has_the_same_future(make, duplicate):
    environment = make()
    trace(environment, QLearner, steps=30)
    other = duplicate(environment)
    actions = [0, 1, 1, 0] * 10
    assert [environment.step(action) for action in actions] == [other.step(action) for action in actions]


@pytest.mark.parametrize("make", [cartpole, lambda: fold(Crowd)])
def test_what_is_composed_is_a_world_of_the_engine_with_its_copies_in_slots(make):
    world = AsWorld(make(), QLearner)
    lived = world.run(50, seed=1)
    turns = trace(make(), QLearner, steps=50)
    assert list(lived.agent_history(1)) == [(action, seen) for _, action, _, seen in turns]
    assert list(lived.reward_history(1)) == [paid for *_, paid, _ in turns]
    assert world.slots.simulated
