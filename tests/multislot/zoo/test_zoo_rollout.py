"""A policy outside the environment is copied when its agent is, exactly as `run` would copy it."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import EndlessStream, Percept, Turn, World, run
from multislot.agents import ConstantAgent, QLearner
from multislot.engine.stream import WORLD_FOUNDER
from multislot.engine.trace import COLUMNS
from multislot.errors import NoAgentError, SettingError
from multislot.zoo import DynamicView, FixedView, make, rollout
from tests.multislot.bustle import Bustle, Script, turn


class Diary:
    """Records what it learns."""

    def __init__(self):
        self.entries = []

    def act(self, observation):
        return 0

    def learn(self, observation, action, reward, next_observation):
        self.entries.append((observation, action, reward, next_observation))


class LastDiary(Diary):
    def learn_last(self, observation, action, reward):
        self.entries.append((observation, action, reward, "end"))


@given(seed=st.integers(0, 10_000))
def test_learners_outside_live_as_they_would_inside(seed):
    def learner(slot):
        return QLearner(4, 2, EndlessStream(seed, slot))

    environment = DynamicView(Bustle(), max_agents=1000, max_cycles=15)
    outside = rollout(environment, {"copy_0": learner(1), "copy_1": learner(2)}, seed=seed)
    inside = run(Bustle(), {1: learner(1), 2: learner(2)}, 15, seed)
    for name in COLUMNS:
        assert np.array_equal(getattr(environment.trace, name), getattr(inside, name)), name
    assert outside.steps == inside.steps


@pytest.mark.parametrize("policy", [Diary, LastDiary])
def test_the_deleted_learn_nothing_and_the_ended_learn_their_last(policy):
    world = Script(turn({1: [1, 2, 3]}), turn({1: [1], 2: [2]}, ended=[2]))
    told = rollout(DynamicView(world, max_cycles=2), {"copy_0": policy()}, seed=0)
    assert len(told.policies["copy_2"].entries) == 1
    assert told.policies["copy_1"].entries[-1] == (2, 0, 2.0, "end" if policy is LastDiary else 2)


def test_the_fixed_view_is_followed_through_swaps_and_ends():
    world = Script(turn({1: [1, 2]}), turn({1: [2], 2: [1]}), turn({1: [1], 2: [2]}, ended=[1]))
    view, taken = FixedView(world, 3, max_cycles=4), []
    step = view.step
    view.step = lambda actions: taken.append(actions) or step(actions)
    told = rollout(view, {"slot_1": LastDiary()}, seed=0, steps=3)
    assert [actions["slot_3"] for actions in taken] == [0, 0, 0]  # nobody acts there

    def rewards(name):
        return [entry[2] for entry in told.policies[name].entries]

    assert rewards("slot_1") == [2.0, 1.0, 1.0]
    assert rewards("slot_2") == [1.0, 2.0, 2.0]
    assert told.policies["slot_1"].entries[-1][-1] == "end"
    assert told.parents == {"slot_1": "slot_2", "slot_2": "slot_1"}
    assert "slot_3" not in told.policies


def test_a_fresh_agent_in_the_slot_of_a_dead_one_does_not_get_its_policy():
    respawning = turn({1: []}, spawned=[1])
    given = {"slot_1": LastDiary()}
    with pytest.raises(NoAgentError, match=r"step 1, slot 1: slot_1 has no parent and no policy.*\(given: none left\)"):
        rollout(FixedView(Script(respawning), 1), given, steps=2)
    assert list(given) == ["slot_1"]
    made = []
    rollout(FixedView(Script(respawning), 1), lambda name: made.append(name) or Diary(), steps=2)
    assert made == ["slot_1"] * 3


def test_functions_and_makers_of_policies_will_do():
    seen = []

    def policy(observation):
        seen.append(observation)
        return 1

    told = rollout(
        DynamicView(Script(turn({1: [1]}, spawned=[2]), turn({1: [1], 2: [2]}))), lambda name: policy, steps=2
    )
    assert told.parents == {"copy_0": None, "copy_1": None}
    assert seen == [0, 1, 2]
    assert all(type(observation) is int for observation in seen)


def test_one_who_was_put_in_needs_a_policy():
    with pytest.raises(
        NoAgentError, match=r"step 1, slot 2: copy_1 has no parent and no policy; give one \(given: copy_2\)"
    ):
        rollout(DynamicView(Script(turn({1: [1]}, spawned=[2]))), {"copy_0": Diary(), "copy_2": Diary()}, steps=2)
    for steps in (0, 2.5, True):
        with pytest.raises(SettingError, match=f"got steps={steps}; expected a whole number, at least 1"):
            rollout(DynamicView(Bustle()), {}, steps=steps)


@pytest.mark.parametrize(
    ("policies", "told"),
    [
        (None, "got policies=None; expected a mapping"),
        (lambda observation: 1, "got policy of copy_0=1; expected an object with act; .* or give {'copy_0': function}"),
        ({"copy_0": QLearner}, r"this is a class: give an instance, QLearner\(…\)"),
    ],
)
def test_what_is_no_policy_is_refused_with_what_to_give(policies, told):
    with pytest.raises(SettingError, match=told):
        rollout(DynamicView(Bustle()), policies)


def test_an_environment_that_does_not_say_who_was_born_is_refused():
    game = SimpleNamespace(reset=lambda seed: ({"player": 0}, {"player": {}}), step=None)
    for environment in (game, make("aec", "multislot/copy-v1")):
        with pytest.raises(SettingError, match="expected a view of a World: its infos give each agent's birth"):
            rollout(environment, {"player": Diary()})


def test_a_copy_that_ends_where_it_arrives_teaches_nobody():
    diary = LastDiary()
    told = rollout(FixedView(Script(turn({1: [1, 2]}, ended=[2]), turn({1: [1]})), 2), {"slot_1": diary}, steps=2)
    assert [reward for _, _, reward, _ in diary.entries] == [1.0, 1.0]
    assert told.returns == {"slot_1": 2.0, "slot_2": 2.0}
    assert list(told.policies) == ["slot_1"]


class Lucky(World):
    """Draws luck for each agent in the order in which it gets the actions; the agent of slot 1 goes away and back."""

    n_observations, n_actions = 2, 1

    def start(self, seed):
        self.stream, self.drawn, self.now = EndlessStream(seed, WORLD_FOUNDER), 0, 0
        return {1: Percept(0), 2: Percept(0)}

    def step(self, actions):
        self.now += 1
        moves = {1: {1: (3,), 2: (2,)}, 2: {3: (1,), 2: (2,)}}.get(self.now, {slot: (slot,) for slot in actions})
        percepts = {}
        for slot in actions:
            (target,), self.drawn = moves[slot], self.drawn + 1
            percepts[target] = Percept(1, self.stream.at(self.drawn))
        return Turn(moves, percepts)


def test_a_world_gets_actions_in_the_order_of_slots_however_agents_moved():
    agent = ConstantAgent(2, 1, EndlessStream(1, 1))
    trace = run(Lucky(), {1: agent, 2: agent.copy()}, steps=4, seed=1)
    env = DynamicView(Lucky(), max_cycles=4)
    rollout(env, lambda name: agent.copy(), seed=1)
    assert env.trace.rewards == trace.rewards
