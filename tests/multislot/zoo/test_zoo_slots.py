"""The fixed view, the view with one agent, and what all views do before they start."""

import numpy as np
import pytest

from multislot.errors import EmptySlotActionError, SettingError
from multislot.exact import KernelWorld, stay
from multislot.zoo import DynamicView, FixedView, SingleView
from tests.multislot.bustle import Bustle, Script, turn
from tests.multislot.zoo.test_zoo_views import all_zero


def test_fixed_view_flags_who_is_there():
    environment = FixedView(Script(turn({1: [1, 2]}), turn({2: [2]}), turn({2: [2]}, ended=[2])), 3)
    observations, infos = environment.reset(seed=0)
    assert environment.agents == environment.possible_agents == ["slot_1", "slot_2", "slot_3"]
    assert observations["slot_1"].tolist() == [1, 1, 0, 0, 0, 0]
    assert observations["slot_2"].tolist() == [0, 1, 0, 0, 0, 0]
    assert observations["slot_1"].dtype == np.float32
    observations, rewards, terminations, truncations, infos = environment.step(all_zero(environment))
    assert observations["slot_2"].tolist() == [1, 0, 0, 1, 0, 0]
    assert rewards == {"slot_1": 1.0, "slot_2": 2.0, "slot_3": 0.0}
    assert (infos["slot_2"]["has_parent"], infos["slot_2"]["parent"], infos["slot_2"]["birth_step"]) == (True, 1, 1)
    assert not infos["slot_3"]["occupied"]
    observations, _, terminations, truncations, infos = environment.step(all_zero(environment))
    assert observations["slot_1"].tolist() == [0, 1, 0, 0, 0, 0]
    assert infos["slot_1"]["deleted"]
    assert not any([*terminations.values(), *truncations.values()])
    observations, rewards, terminations, _, infos = environment.step(all_zero(environment))
    assert observations["slot_2"].tolist() == [0, 0, 0, 1, 0, 0]
    assert rewards["slot_2"] == 2.0
    assert infos["slot_2"]["ended"]
    assert all(terminations.values())
    assert environment.agents == []


def test_fixed_view_is_truncated_where_a_copy_goes_beyond_its_slots():
    environment = FixedView(Script(turn({1: [1, 3]})), 2)
    environment.reset(seed=0)
    _, _, terminations, truncations, _ = environment.step(all_zero(environment))
    assert truncations == {"slot_1": True, "slot_2": True}
    assert not any(terminations.values())
    with pytest.raises(SettingError, match="got slots=2; expected at least 3, where the world starts"):
        FixedView(Script(turn({3: [3]}), start=(3,)), 2).reset()


def test_fixed_view_ignores_what_empty_slots_do_but_wants_to_be_told():
    environment = FixedView(Script(turn({1: [1]})), 2)
    environment.reset(seed=0)
    environment.step({"slot_1": 0, "slot_2": 77})
    with pytest.raises(EmptySlotActionError, match="got no action for slot_2"):
        environment.step({"slot_1": 0})


def test_single_view_plays_a_mono_slot_world():
    environment = SingleView(KernelWorld(stay(r_s=2)), max_cycles=2)
    observation, info = environment.reset(seed=0)
    assert (observation, info["means"]) == (0, "λ")
    assert environment.step(np.int64(0)) == (1, 2.0, False, False, {"means": "home"})
    assert environment.step(0)[2:4] == (False, True)
    assert environment.trace.rewards[1] == {1: 2.0}


def test_single_view_ends_with_its_agent_and_refuses_company():
    ended = SingleView(Script(turn({1: [1]}, ended=[1])))
    ended.reset(seed=0)
    assert ended.step(0)[:4] == (1, 1.0, True, False)
    with pytest.raises(SettingError, match="the episode is over"):
        ended.step(0)
    deleted = SingleView(Script(turn({1: [1]}), turn({})))
    deleted.reset(seed=0)
    deleted.step(0)
    assert deleted.step(0)[:4] == (1, 0.0, True, False)
    with pytest.raises(SettingError, match=r"the world starts with agents in slots \[1, 2\]"):
        SingleView(Bustle()).reset(seed=0)


@pytest.mark.parametrize(
    "environment", [DynamicView(Bustle()), FixedView(Bustle(), 3), SingleView(Script(turn({1: [1]})))]
)
def test_there_is_no_step_before_the_first_reset_and_no_reset_without_a_seed(environment):
    for actions in ({}, {"copy_0": 0}, 0):
        with pytest.raises(SettingError, match=r"the environment has not started; call reset\(\) first"):
            environment.step(actions)
    for seed in (-1, 2**64, 1.5, "x", True):
        with pytest.raises(SettingError, match=f"got seed={seed!r}; expected a whole number, at least 0 and at most 2"):
            environment.reset(seed=seed)
    environment.reset(seed=np.int64(3))
