"""The dynamic and the fixed view, the AEC conversion, and the view with one agent."""

import copy as copying
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import Agent
from multislot.errors import (
    ActionError,
    EmptySlotActionError,
    EmptySourceError,
    SettingError,
    UnknownNameError,
)
from multislot.zoo import DynamicView, FixedView
from tests.multislot.bustle import Bustle, Script, turn

seeds = st.integers(0, 10_000)


def act_by_parity(observations, agents):
    return {agent: int(observations[agent]) % 2 for agent in agents}


def played(environment, seed, steps=100):
    """Play the dynamic view, each agent by its last observation alone; return every answer."""
    observations, infos = environment.reset(seed=seed)
    answers = [(observations, infos)]
    while environment.agents and len(answers) <= steps:
        answers.append(environment.step(act_by_parity(observations, environment.agents)))
        observations = answers[-1][0]
    return answers


def all_zero(environment):
    return dict.fromkeys(environment.agents, 0)


def test_a_slot_in_its_own_copy_set_keeps_its_occupant_and_copies_are_born():
    environment = DynamicView(Script(turn({1: [1, 3]}), turn({1: [2, 1], 3: [3]})))
    observations, infos = environment.reset(seed=0)
    assert observations == {"copy_0": 0}
    assert infos["copy_0"].pop("action_mask").tolist() == [1, 1]
    assert infos["copy_0"] == {
        "slot": 1,
        "parent": None,
        "birth_step": 0,
        "deleted": False,
        "ended": False,
        "bootstrap": True,
        "means": "λ",
    }
    observations, rewards, terminations, truncations, infos = environment.step({"copy_0": 0})
    for column in (observations, rewards, terminations, truncations, infos):
        assert list(column) == ["copy_0", "copy_1"] == environment.agents
    assert rewards == {"copy_0": 1.0, "copy_1": 3.0}
    assert infos["copy_1"]["slot"] == 3
    assert infos["copy_1"]["parent"] == "copy_0"
    assert infos["copy_1"]["birth_step"] == 1
    *_, infos = environment.step(all_zero(environment))
    assert {name: info["slot"] for name, info in infos.items()} == {"copy_0": 1, "copy_1": 3, "copy_2": 2}
    assert infos["copy_2"]["parent"] == "copy_0"
    assert infos["copy_1"]["birth_step"] == 1


def test_a_copy_that_ends_at_its_birth_is_in_the_trace_only():
    environment = DynamicView(Script(turn({1: [1, 2]}, ended=[2]), turn({1: [1, 2]})))
    environment.reset(seed=0)
    assert list(environment.step({"copy_0": 0})[0]) == ["copy_0"]
    assert environment.trace.observations[0] == {1: 1, 2: 2}
    assert list(environment.step({"copy_0": 0})[0]) == ["copy_0", "copy_1"]


def test_an_episode_is_truncated_rather_than_show_more_agents_than_it_may():
    environment = DynamicView(Script(turn({1: [1, 2]}), turn({1: [1, 3], 2: [2, 4]})), max_agents=3)
    assert environment.possible_agents == ["copy_0", "copy_1", "copy_2"]
    environment.reset(seed=0)
    environment.step({"copy_0": 0})
    observations, _, _, truncations, _ = environment.step(all_zero(environment))
    assert list(observations) == ["copy_0", "copy_1"]
    assert truncations == {"copy_0": True, "copy_1": True}
    with pytest.raises(SettingError, match="got max_agents=1; expected at least 2"):
        DynamicView(Script(turn({1: [1], 2: [2]}), start=(1, 2)), max_agents=1).reset()


@given(seed=seeds, spawning=st.booleans())
def test_every_birth_and_death_is_told_once(seed, spawning):
    answers = played(DynamicView(Bustle(spawning), max_cycles=25, max_agents=100), seed)
    born, gone = set(answers[0][0]), set()
    acting = born.copy()
    for observations, rewards, terminations, truncations, infos in answers[1:]:
        new = observations.keys() - acting
        assert observations.keys() == acting | new
        assert observations.keys() == rewards.keys() == terminations.keys() == truncations.keys() == infos.keys()
        assert not observations.keys() & gone
        assert new == {f"copy_{number}" for number in range(len(born), len(born) + len(new))}
        assert all(infos[name]["parent"] in acting | {None} for name in new)
        born |= new
        gone |= {name for name in observations if terminations[name] or truncations[name]}
        acting = observations.keys() - gone
        assert not (any(truncations.values()) and new)
        present = [infos[name]["slot"] for name in acting]
        assert len(set(present)) == len(present)


def test_a_world_copies_itself_when_its_environment_is_copied():
    class Counted(Script):
        copies = 0

        def copy(self):
            Counted.copies += 1
            return super().copy()

    environment = DynamicView(Counted(turn({1: [1]})))
    environment.reset(seed=0)
    copying.deepcopy(environment)
    assert Counted.copies == 1


def test_reset_without_a_seed_goes_on_from_the_last_one():
    def starts(environment):
        environment.reset(seed=5)
        results = []
        for _ in range(3):
            environment.reset()
            results.append(str(environment.step(all_zero(environment))))
        return results

    first, second = starts(DynamicView(Bustle())), starts(DynamicView(Bustle()))
    assert first == second
    assert len(set(first)) > 1


def test_the_observation_of_an_absent_agent_is_an_error_that_names_the_fixed_view():
    environment = DynamicView(Script(turn({1: [1, 2]})))
    observations, _ = environment.reset(seed=0)
    with pytest.raises(
        UnknownNameError, match=r"got agent 'copy_1', which is absent .* \['copy_0'\], .*view=\"fixed\""
    ):
        observations["copy_1"]
    observations, *_ = environment.step({"copy_0": 0})
    assert (observations.get("copy_2"), list(observations)) == (None, ["copy_0", "copy_1"])
    with pytest.raises(KeyError, match="copy_2"):
        observations["copy_2"]
    assert pickle.loads(pickle.dumps(observations)) == copying.copy(observations) == observations


def test_actions_are_those_of_the_living():
    environment = DynamicView(Script(turn({1: [1, 2]}), turn({1: [1]})))
    environment.reset(seed=0)
    environment.step({"copy_0": np.int32(1)})
    with pytest.raises(EmptySlotActionError, match="step 2, slot 2: got no action for copy_1"):
        environment.step({"copy_0": 0})
    environment.step(all_zero(environment))
    with pytest.raises(EmptySlotActionError, match=r'step .: got an action for copy_1; .*view="fixed"'):
        environment.step({"copy_0": 0, "copy_1": 0})
    for action in (2, -1, 0.5, None):
        with pytest.raises(ActionError, match=r"^step 3, slot 1: .* return an int from 0 to 1"):
            environment.step({"copy_0": action})


def test_a_world_that_breaks_the_protocol_is_refused_and_nobody_moves():
    environment = DynamicView(Script(turn({2: [2]}), turn({1: [1]})))
    environment.reset(seed=0)
    with pytest.raises(EmptySourceError, match="step 1, slot"):
        environment.step({"copy_0": 0})
    assert environment.agents == ["copy_0"]
    assert environment.stage.episode.now == 0
    assert list(environment.step({"copy_0": 0})[0]) == ["copy_0"]


def test_a_later_life_has_a_name_of_its_own_and_names_that_it_would_have_are_refused():
    world = Script(turn({1: [2]}), turn({2: [1, 2]}))
    world.agent_names = ("a", "b")
    environment = DynamicView(world)
    environment.reset(seed=0)
    environment.step({"a": 0})
    environment.step({"b": 0})
    assert sorted(environment.agents) == ["a_2", "b"]
    world = Script(turn({1: [1]}))
    world.agent_names = ("a", "a_2")
    with pytest.raises(SettingError, match=r"got agent_names=.*; expected names that differ, even with _2"):
        DynamicView(world)


def test_a_world_without_agents_or_a_start_is_refused():
    with pytest.raises(SettingError, match="the world starts with no occupied slot"):
        DynamicView(Script(turn({1: [1]}), start=())).reset(seed=0)
    with pytest.raises(SettingError, match=r"call reset\(\) first"):
        _ = DynamicView(Bustle()).trace


def test_worlds_are_given_empty_slots_before_every_start():
    class Simulating(Script):
        def receive(self, slots):
            slots.spawn(Agent(), 9, simulated=True)
            self.received = slots

    world = Simulating(turn({1: [1]}))
    environment = DynamicView(world)
    environment.reset(seed=0)
    first = world.received
    environment.reset(seed=0)
    assert world.received is not first
    environment.step({"copy_0": 0})
    world.received.spawn(Agent(), 8, simulated=True)
    assert environment.trace.simulated == ((9, 0), (8, 1))


def test_what_the_percept_adds_and_means_is_in_the_infos():
    _, infos = DynamicView(Bustle()).reset(seed=0)
    assert infos["copy_0"]["means"] == "sight 0"
    environment = DynamicView(Bustle())
    environment.reset(seed=0)
    infos = environment.step(all_zero(environment))[4]
    assert all("lucky" in info for info in infos.values() if not info["deleted"])


class Telling(Bustle):
    """Names every slot, and those who are affected."""

    affected = ("a neighbour",)

    def situation(self, slot):
        return f"in slot {slot}"


@given(seeds)
def test_what_is_true_where_an_agent_is_can_be_asked_until_the_episode_ends(seed):
    dynamic, fixed = DynamicView(Telling()), FixedView(Telling(), slots=64)
    assert dynamic.affected_agents == fixed.affected_agents == ("a neighbour",)
    homes = {}
    for _, *_, infos in played(dynamic, seed, steps=30):
        homes |= {agent: info["slot"] for agent, info in infos.items()}
    for agent in dynamic.possible_agents:
        expected = f"in slot {homes[agent]}" if agent in homes else None
        assert dynamic.situation(agent) == expected
    fixed.reset(seed=seed)
    assert fixed.situation("slot_7") == "in slot 7"


def test_most_worlds_say_no_more_than_their_observations():
    view = DynamicView(Bustle())
    view.reset(seed=0)
    assert view.situation("copy_0") is None
    assert view.affected_agents == ()
    with pytest.raises(UnknownNameError, match="unknown agent 'copy_99'"):
        view.situation("copy_99")
