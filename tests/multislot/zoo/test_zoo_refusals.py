"""What the views refuse, and what may be done after a refusal."""

import re
from fractions import Fraction

import pytest

from multislot.errors import EmptySlotActionError, SettingError, UnknownNameError
from multislot.exact import KernelWorld, copy
from multislot.zoo import DynamicView, FixedView, SingleView

COPYING = 1
"""The action of the world `copy` that copies the agent."""


@pytest.fixture(params=[DynamicView, lambda world: FixedView(world, 2)], ids=["dynamic", "fixed"])
def view(request):
    started = request.param(KernelWorld(copy()))
    started.reset(seed=1)
    return started


@pytest.mark.parametrize("wrong", [1, None, (1, 2), "copy_7", Fraction(1, 2)])
def test_an_action_for_a_name_of_any_kind_is_refused_by_name(view, wrong):
    first, name = view.agents[0], wrong if isinstance(wrong, str) else repr(wrong)
    with pytest.raises(EmptySlotActionError, match=f"^step 1, slot 1: got no action for {first}; give one for each of"):
        view.step({wrong: 0})
    with pytest.raises(EmptySlotActionError, match=f"^step 1: got an action for {re.escape(name)}; give one for each"):
        view.step({**dict.fromkeys(view.agents, 0), wrong: 0, 9: 0})
    view.step(dict.fromkeys(view.agents, 0))  # nothing has happened before


@pytest.mark.parametrize("method", ["action_space", "observation_space", "situation"])
@pytest.mark.parametrize("name", [[], {}, None, 1, "copy_-1"])
def test_a_name_of_any_kind_is_looked_up(view, method, name):
    with pytest.raises(UnknownNameError):
        getattr(view, method)(name)


def test_after_an_episode_only_an_empty_step_is_answered(view):
    view.agents = []
    assert view.step({}) == ({}, {}, {}, {}, {})
    with pytest.raises(SettingError, match="the episode is over"):
        view.step({"copy_0": 0, "slot_1": 0})


def test_a_single_view_cannot_go_on_after_a_refused_copy():
    view = SingleView(KernelWorld(copy()))
    view.reset(seed=1)
    with pytest.raises(SettingError, match="the agent was copied or moved to slot 2; use DynamicView"):
        view.step(COPYING)
    with pytest.raises(SettingError, match=r"the episode is over; call reset\(\)"):
        view.step(0)
    view.reset(seed=1)
    view.step(0)
