"""Kernels in which two slots are copied into one are refused by every value (Orseau 2014, Def. 3)."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.exact import (
    AIMU,
    Arrival,
    Mixture,
    Plan,
    UniversalKernel,
    action_values,
    decision_tree,
)
from multislot.exact.kernel import CheckedKernel
from multislot.exact.planning import check_copy_sets
from tests.multislot.exact.copies.test_generated import policies
from tests.multislot.exact.oracle import TableKernel
from tests.worlds.futures import EVERY
from tests.worlds.generator import worlds
from tests.worlds.runs import Brute, sure


def then_into_one(first, target=3):
    """Slot 1 has the given outcomes, with what the copies see; then whoever is in slot 1 or 2 goes to one slot."""
    start = [(p, {slot: Arrival(1, seen) for slot, seen in found.items()}) for p, found in first]
    table = {(1, 0, action): start for action in (0, 1)}
    for slot in (1, 2):
        table |= {(slot, 1, action): [(1, {target: Arrival(2, "there", 1)})] for action in (0, 1)}
    table |= {(target, 2, action): [(1, {target: Arrival(2, "there", 1)})] for action in (0, 1)}
    return TableKernel(table)


SAME = then_into_one([(1, {1: "o", 2: "o"})])
TOLD = then_into_one([(1, {1: "left", 2: "right"})])
CHANCE = then_into_one([(Fraction(1, 2), {1: "o"}), (Fraction(1, 2), {2: "o"})])
MESSAGE = "^got a kernel that copies both slot 1 and slot 2 into slot 3 at step 2; expected disjoint copy sets"


def name_of(value):
    """A name that is the same in every process."""
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize("value", ["cpy", "sta", "dyn", *EVERY], ids=name_of)
@pytest.mark.parametrize("kernel", [SAME, TOLD], ids=["see the same", "told apart"])
def test_every_value_refuses_two_slots_in_one(kernel, value):
    with pytest.raises(SettingError, match=MESSAGE):
        action_values(kernel, value, discount=Fraction(1, 2), horizon=3)
    with pytest.raises(SettingError, match=MESSAGE):
        action_values(Mixture([CHANCE, kernel]), value, discount=Fraction(1, 2), horizon=2)


def test_so_do_agents_trees_and_the_endless_future():
    for asked in (
        lambda: AIMU(SAME, "cpy", discount=Fraction(1, 2), last_step=2).plan.values(),
        lambda: decision_tree(Plan(SAME, "cpy", Fraction(1, 2), 2), 1),
        lambda: action_values(SAME, "cpy", discount=Fraction(1, 2)),
    ):
        with pytest.raises(SettingError, match=MESSAGE):
            asked()


@pytest.mark.parametrize("value", ["cpy", "sta", "dyn", *EVERY], ids=name_of)
def test_slots_that_are_never_held_together_may_lead_to_one(value):
    """The control: one agent is in slot 1 or in slot 2, by chance, and goes to slot 3."""
    assert action_values(CHANCE, value, discount=Fraction(1, 2), horizon=3)


def test_a_collision_after_the_last_step_does_not_count():
    assert action_values(SAME, "cpy", discount=1, horizon=1) == {0: 0, 1: 0}
    plan = Plan(SAME, "cpy", Fraction(1, 2), 1)
    assert plan.values() == plan.over(1, 1).values() == {0: 0, 1: 0}
    for discount, last_step in ((1, 2), (Fraction(1, 2), None)):
        with pytest.raises(SettingError, match=MESSAGE):
            plan.over(discount, last_step).values()


def test_agents_with_one_history_act_alike():
    """Slot 1 leaves by action 0 and slot 2 by action 1: a collision only for those who act differently."""
    away, back = Arrival(2, "there"), Arrival(1, "o")
    table = {(1, 0, action): [(1, {1: back, 2: back})] for action in (0, 1)}
    table |= {(1, 1, 0): [(1, {3: away})], (1, 1, 1): [(1, {1: back})]}
    table |= {(2, 1, 0): [(1, {2: back})], (2, 1, 1): [(1, {3: away})]}
    table |= {(3, 2, action): [(1, {4: away})] for action in (0, 1)}
    table |= {(4, 2, action): [(1, {4: away})] for action in (0, 1)}
    check_copy_sets(CheckedKernel(TableKernel(table)), 2)
    with pytest.raises(SettingError, match="slot 3 and slot 4 into slot 4 at step 4"):
        check_copy_sets(CheckedKernel(TableKernel(table)), 4)


def test_agents_that_are_told_apart_may_act_differently():
    """The control: those who see the same do not."""
    ways = {(1, 1, 0): 3, (1, 1, 1): 5, (2, 1, 0): 4, (2, 1, 1): 3}
    told, same = (
        replace(one, table=one.table | {place: [(1, {target: Arrival(2, "there")})] for place, target in ways.items()})
        for one in (TOLD, SAME)
    )
    check_copy_sets(CheckedKernel(same), 2)
    with pytest.raises(SettingError, match=MESSAGE):
        check_copy_sets(CheckedKernel(told), 2)


def collides(kernel, steps):
    """Whether two slots are copied into one in some run: agents with one history act alike, in every way."""
    possible = replace(kernel, table={key: [way for way in ways if way[0]] for key, ways in kernel.table.items()})
    for policy in policies(kernel.actions, steps):
        try:
            Brute([possible], [Fraction(1)], sure(policy.__getitem__), steps).expected(lambda run: 1)
        except AssertionError:  # of two copies in one slot
            return True
    return False


CROWDED = worlds((2, 2), alone=st.just(True)).map(lambda kernel: replace(kernel, start={1: (0, 0), 2: (0, 1)}))
"""Two agents, each of which may move to any slot."""


@given(st.one_of(CROWDED, worlds((2, 2))), st.integers(1, 2))
def test_exactly_the_kernels_whose_joint_law_collides_are_refused(kernel, steps):
    try:
        check_copy_sets(CheckedKernel(kernel), steps)
    except SettingError:
        assert collides(kernel, steps)
    else:
        assert not collides(kernel, steps)


def test_agents_who_scatter_before_they_meet_are_refused():
    rooms, table = range(1, 71), {}
    for slot, action in product((1, 2), (0, 1)):
        table[slot, 0, action] = [(Fraction(1, 70), {slot: Arrival(room, "room")}) for room in rooms]
        table |= {(slot, room, action): [(1, {3: Arrival(0, "hall")})] for room in rooms}
    with pytest.raises(SettingError, match=MESSAGE):
        check_copy_sets(CheckedKernel(TableKernel(table, {1: 0, 2: 0})), 2)


def test_the_universal_world_is_checked_as_far_as_is_quick():
    check_copy_sets(CheckedKernel(UniversalKernel()), 40)
