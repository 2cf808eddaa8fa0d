import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import Agent, Slots
from multislot.errors import CopyCollisionError, EmptySourceError, SettingError


class Named(Agent):
    def __init__(self, name):
        self.name, self.log = name, []


@st.composite
def copy_sets(draw):
    """Draw disjoint copy sets from the occupied slots 1..4 into slots 1..6."""
    owner = draw(st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=6, max_size=6))
    return {i: tuple(slot for slot, source in enumerate(owner, 1) if source == i) for i in range(1, 5)}


@given(copies=copy_sets())
def test_copies_happen_in_parallel(copies):
    slots = Slots({slot: Named(f"agent {slot}") for slot in range(1, 5)})
    slots.copy(copies)
    assert {slot: agent.name for slot, agent in slots.items()} == {
        target: f"agent {source}" for source, targets in copies.items() for target in targets
    }


@given(copies=copy_sets())
def test_no_two_slots_share_an_agent_after_copying(copies):
    slots = Slots({slot: Named(str(slot)) for slot in range(1, 5)})
    slots.copy(copies)
    assert len({id(agent) for agent in slots.values()}) == len(slots)
    assert len({id(agent.log) for agent in slots.values()}) == len(slots)


def test_an_agent_that_stays_is_itself_and_its_copies_are_others():
    agent = Named("original")
    slots = Slots({2: agent})
    slots.copy({2: (1, 2, 3)})
    assert slots[2] is agent
    assert slots[1] is not agent


def test_staying_is_not_implicit_and_an_agent_moves_as_itself():
    agent = Named("mover")
    slots = Slots({1: agent})
    for source, target in ((1, 5), (5, 2**63 - 1)):  # the largest slot
        slots.copy({source: (target,)})
        assert dict(slots) == {target: agent}


def test_delete_and_spawn():
    slots = Slots({1: Named("a"), 2: Named("b")})
    assert slots.delete(1).name == "a"
    fresh = Named("c")
    assert slots.spawn(fresh) == 1
    assert slots[1] is fresh
    assert slots.spawn(Named("d"), 9) == 9


def test_simulated_agents_have_slots_but_take_no_part():
    slots = Slots({1: Named("a")})
    twin = Named("twin")
    assert slots.spawn(twin, simulated=True) == 2
    assert (dict(slots.simulated), list(slots), slots.births) == ({2: twin}, [1], [(2, 0)])
    assert slots.spawn(Named("next")) == 3


def test_bad_deletes_and_spawns_say_what_to_do():
    agent = Named("a")
    slots = Slots({1: agent})
    with pytest.raises(EmptySourceError, match="slot 2: there is no agent to delete; delete from occupied slots only"):
        slots.delete(2)
    with pytest.raises(CopyCollisionError, match="the slot is occupied, a fresh agent cannot enter; empty it first"):
        slots.spawn(Named("b"), 1)
    with pytest.raises(SettingError, match=r"it is in slot 1 too: give slot 2 a copy\(\)"):
        slots.spawn(agent, 2)
    with pytest.raises(SettingError, match=r"it is in slot 1 too: give slot 2 a copy\(\)"):
        Slots({1: agent, 2: agent})
