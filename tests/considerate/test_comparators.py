"""Other designs: appendix B's equality, baselines, and the published table of the kitchens."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from considerate.comparators import (
    BASELINES,
    attainable_utility_rewards,
    by_rewards,
    compare,
    future_task_rewards,
    own_future_values,
    reachability,
    reachability_rewards,
)
from considerate.craftworld import task
from considerate.solve import Problem, augmented
from multislot.errors import SettingError, UnknownNameError
from tests.considerate.random_tasks import random_tasks


def own_future(chosen):
    """The future task as a value function of states, for the criteria."""
    values = own_future_values(chosen)
    known = {chosen.graph.state(index): int(value) for index, value in enumerate(values)}
    return {"the agent itself, later": known}


def considerate_rewards(chosen, criterion, strength):
    reward = augmented(chosen, criterion, strength, futures=own_future(chosen))
    return Problem(chosen, reward).process().rewards


@settings(deadline=None, max_examples=25)
@given(random_tasks(), st.integers(0, 6))
def test_appendix_b_the_future_task_reward_is_equation_1_where_nothing_is_discounted(chosen, strength):
    live = ~chosen.graph.terminal
    krakovna = future_task_rewards(chosen, strength)
    np.testing.assert_allclose(krakovna[live], considerate_rewards(chosen, "value", strength)[live])


@settings(deadline=None, max_examples=25)
@given(random_tasks(), st.integers(0, 6))
def test_appendix_b_with_a_starting_state_baseline_it_is_equation_3(chosen, strength):
    live = ~chosen.graph.terminal
    krakovna = future_task_rewards(chosen, strength, baseline="start")
    np.testing.assert_allclose(krakovna[live], considerate_rewards(chosen, "neg", strength)[live])


def test_appendix_b_the_two_differ_where_the_future_is_discounted():
    chosen = task("kitchen-salad")
    discounted = future_task_rewards(chosen, 1, discount=0.9)
    assert (discounted[~chosen.graph.terminal] != considerate_rewards(chosen, "value", 1)[~chosen.graph.terminal]).any()
    np.testing.assert_allclose(
        discounted - future_task_rewards(chosen, 0),
        0.1
        * own_future_values(chosen)[chosen.graph.targets]
        * np.where(chosen.graph.terminal[chosen.graph.targets], 10, 1),
    )


RELEASED = {
    "salad": {"plain": (0, 43), "future task": (1, 0), "considerate": (1, 0)},
    "peanut": {"plain": (0, 43), "future task": (1, 43), "considerate": (2, 0)},
    "salt": {"plain": (0, 43), "future task": (1, 1), "considerate": (1, 0)},
    "cookie": {"plain": (0, 0), "future task": (1, -2), "considerate": (1, -2)},
}


@pytest.mark.parametrize("dish", RELEASED)
def test_the_kitchens_as_released(dish):
    best = (-8, -10 if dish == "cookie" else -8)
    found = {one.design: tuple(one.outcome.returns.values()) for one in compare(task(f"kitchen-{dish}"))}
    extra = {design: tuple(b - r for b, r in zip(best, found[design], strict=True)) for design in RELEASED[dish]}
    assert extra == RELEASED[dish]


def test_harm_is_against_what_would_have_been_had_nobody_acted():
    found = {one.design: one.harm for one in compare(task("garden"), 10)}
    assert found["plain"] == {"agent_2": 20, "agent_3": 0}
    assert found["considerate"] == {"agent_2": 0, "agent_3": 4}
    assert found["attainable utility"] == {"agent_2": 20, "agent_3": 0}
    assert set(found) >= {f"relative reachability, {baseline} baseline" for baseline in BASELINES}


def test_reachability_is_a_power_of_the_number_of_steps_and_goes_on_after_the_end():
    chosen = task("kitchen-salad")
    reach = reachability(chosen)
    assert ((reach == 0) | (reach > 0.5)).all()
    assert (reach.max(axis=1) <= 1).all()
    open_end, closed_end = (
        next(i for i, end in chosen.end_states.items() if end.things["fridge"] == state) for state in ("open", "closed")
    )
    assert (reach[open_end] > 0).sum() < (reach[closed_end] > 0).sum()


def test_penalties_are_never_gains_and_vanish_with_their_weight():
    chosen = task("kitchen-salt")
    reach = reachability(chosen)
    for baseline in BASELINES:
        assert (reachability_rewards(chosen, 2, reach, baseline) <= -chosen.graph.costs + 1e-12).all()
        np.testing.assert_array_equal(reachability_rewards(chosen, 0, reach, baseline), -chosen.graph.costs)
    assert (attainable_utility_rewards(chosen, 2, reach) <= -chosen.graph.costs + 1e-12).all()
    np.testing.assert_array_equal(
        reachability_rewards(chosen, 1, reach, "start"), reachability_rewards(chosen, 1, reach, "inaction")
    )


def test_a_strong_penalty_keeps_what_can_be_reached():
    chosen = task("kitchen-salad")
    solution = by_rewards(chosen, reachability_rewards(chosen, 10, reachability(chosen), "start"))
    assert solution.end_state.things["fridge"] == "closed"


def test_what_the_designs_cannot_do():
    with pytest.raises(SettingError, match="these designs need a world that waits"):
        compare(task("shared-key"))
    with pytest.raises(UnknownNameError, match="did you mean 'stepwise'"):
        reachability_rewards(task("garden"), 1, reachability(task("garden")), "stepwse")
