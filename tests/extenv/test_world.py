"""Extended environments under the engine: the same bits as the compiled loop, copies in slots, worlds that copy."""

import pytest

import multislot
from extenv import BATTERY, AsWorld, run
from multislot.agents import QLearner
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError

STEPS = 40


def test_run_of_the_engine_takes_it_with_the_same_streams():
    world = AsWorld("AfterImages", QLearner)
    trace = multislot.run(world, {1: QLearner}, STEPS, 5)
    assert sum(trace.reward_history(1)) == run("AfterImages", QLearner, steps=STEPS, seed=5).total_reward
    world = AsWorld("AfterImages", QLearner, streams=EndlessStream)  # its streams are equal, but other objects
    assert multislot.run(world, {1: QLearner}, 5, streams=EndlessStream).steps == 5


def test_different_streams_are_refused_with_the_remedy():
    with pytest.raises(SettingError, match=r"reads another stream.*give multislot\.run and AsWorld the same streams="):
        multislot.run(AsWorld("AfterImages", QLearner), {1: QLearner}, STEPS, 5, streams=EndlessStream)


@pytest.mark.parametrize("name", ["IgnoreRewards", "LimitedMemory", "CryingBaby"])
def test_a_copy_of_the_world_taken_in_the_middle_has_the_same_future(name):
    world = AsWorld(name, QLearner)
    world.start(7)
    actions = [0, 1, 1, 0, 1, 0, 0]
    for action in actions:
        world.step({1: action})
    copied = world.copy()
    futures = [[w.step({1: action}).percepts[1] for action in actions * 3] for w in (copied, world)]
    assert futures[0] == futures[1]


def test_names_may_be_a_list():
    world = AsWorld("IgnoreRewards", QLearner)
    world.environment.action_names = ["left", "right"]
    assert world.copy().describe_action(1) == "right"


def test_observations_and_actions_keep_their_meaning():
    button = AsWorld("TemptingButton", QLearner)
    assert [button.describe(0), button.describe(1), button.describe_action(0)] == ["button", "no button", "push"]
    assert AsWorld("IgnoreRewards", QLearner).describe(0) == "0"
    for name in BATTERY:
        world = AsWorld(name, QLearner)
        environment = world.environment
        assert len(environment.observation_names) in (0, world.n_observations)
        assert len(environment.action_names) in (0, world.n_actions)
