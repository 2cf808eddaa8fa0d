"""Other designs: appendix B's equality, baselines, and the published table of the kitchens."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import considerate
from considerate.craftworld import task
from considerate.criteria import OTHERS
from considerate.exact.comparators import (
    BASELINES,
    DESIGNS,
    REACH_DISCOUNT,
    WAIT,
    add_waiting,
    attainable_utility_rewards,
    compare_designs,
    future_task_rewards,
    own_future_values,
    reachability,
    reachability_rewards,
    solve_by_reachability,
    solve_by_rewards,
)
from considerate.exact.problem import Problem, augmented
from multislot.errors import SettingError, UnknownNameError
from tests.considerate.craftworld.test_partner import little
from tests.considerate.random_tasks import random_tasks


def own_future(chosen):
    """The future task as a value function of states, for the criteria."""
    values = own_future_values(chosen)
    known = {chosen.graph.state(index): int(value) for index, value in enumerate(values)}
    return {OTHERS: known}


def considerate_rewards(chosen, criterion, strength):
    reward = augmented(chosen, criterion, strength, futures=own_future(chosen))
    return Problem(chosen, reward).process().rewards


@pytest.mark.parametrize(("criterion", "baseline"), [("value", {}), ("neg", {"baseline": "start"})])
@given(
    chosen=random_tasks() | st.sampled_from(["box", "garden", "kitchen-cookie"]).map(task), strength=st.integers(0, 6)
)
def test_appendix_b_the_undiscounted_future_task_reward_is_equation_1_and_from_the_start_equation_3(
    criterion, baseline, chosen, strength
):
    live = ~chosen.graph.terminal
    krakovna = future_task_rewards(chosen, strength, **baseline)
    np.testing.assert_allclose(krakovna[live], considerate_rewards(chosen, criterion, strength)[live])


def test_harm_is_against_what_would_have_been_had_nobody_acted():
    found = {one.design: one.harm for one in compare_designs(task("garden"), 10)}
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
    solution = solve_by_rewards(chosen, reachability_rewards(chosen, 10, reachability(chosen), "start"))
    assert solution.end_state.things["fridge"] == "closed"


SHARED = add_waiting(task("shared-key"))


@pytest.fixture(scope="module")
def reach():
    return reachability(SHARED)


@pytest.fixture(scope="module")
def rivals(reach):
    """Behaviors that no optimum for relative reachability may be worse than."""
    exact = [considerate.solve(SHARED, "sim", alpha) for alpha in (0, 0.5, 2)]
    return [*exact, *(solve_by_reachability(SHARED, 100, reach, baseline) for baseline in BASELINES)]


def test_where_both_act_at_the_same_time_harm_is_against_the_other_alone():
    assert SHARED.value_functions()["agent_2"](SHARED.start) == -25
    designs = {one.design: one for one in compare_designs(task("shared-key"), 10)}
    assert set(designs) == set(DESIGNS)
    found = {design: (*one.behavior.returns.values(), one.harm["agent_2"]) for design, one in designs.items()}
    assert found["plain"] == (-24, -123, 98)
    assert found["considerate"] == (-33, -25, 0)
    # It keeps the key for itself: it waits until the other has left, and then makes its box at the first place.
    assert found["future task"][1:] == (-25, 0)
    assert found["future task"][0] < found["considerate"][0]


def test_whatever_weighs_nothing_is_plain():
    plain, *others = compare_designs(little(), 0)
    assert {one.behavior.returns["agent_1"] for one in others} == {plain.behavior.returns["agent_1"]}


def test_the_future_task_is_ones_own_task_once_more_while_the_other_goes_on():
    values = own_future_values(SHARED)
    assert values[SHARED.graph.starts[0]] == -24
    gone = [index for index, end in SHARED.end_states.items() if end.things["key"] == "held"]
    assert {values[index] for index in gone} == {-100}
    done = [index for index, end in SHARED.end_states.items() if end.things["key"] == (7, 7)]
    # The key lies at the far place at best: there and back again.
    assert max(values[done]) < -24


def test_a_future_task_that_is_impossible_is_worth_what_the_file_says():
    alone = replace(task("kitchen-salad"), others=(), own_future=None)
    assert own_future_values(alone).min() == -51


def penalties(states, reach, baseline, chosen=SHARED):
    """What relative reachability takes from a walk through these states, written out."""
    idle = chosen.graph.targets[:, chosen.graph.actions.index(WAIT)]
    compared, total = states[0], 0.0
    for before, after in itertools.pairwise(states):
        compared = {"start": states[0], "inaction": idle[compared], "stepwise": idle[before]}[baseline]
        total += np.maximum(reach[compared] - reach[after], 0).mean()
    return total


@pytest.mark.parametrize("baseline", BASELINES)
def test_no_other_behavior_is_better_by_relative_reachability(baseline, reach, rivals):
    index = {SHARED.graph.state(number): number for number in range(SHARED.graph.n_states)}

    def worth(solution, strength):
        return float(solution.returns["agent_1"]) - strength * penalties(
            [index[state] for state in solution.trajectory], reach, baseline
        )

    for strength in (20, 300):
        best = solve_by_reachability(SHARED, strength, reach, baseline)
        assert all(worth(best, strength) >= worth(rival, strength) - 1e-9 for rival in [*rivals, best])


@pytest.mark.parametrize("strength", [1, 20, 300])
def test_the_best_against_inaction_so_far_is_that_of_all_pairs_of_states(strength):
    """A pair: where one is, and where one would be had one done nothing."""
    chosen = add_waiting(little())
    graph, reach = chosen.graph, reachability(chosen)
    onward = graph.targets[:, graph.actions.index(WAIT)]
    idle = [int(graph.starts[0])]
    while onward[idle[-1]] not in idle:
        idle.append(int(onward[idle[-1]]))

    def rewards(place):
        lost = np.maximum(reach[onward[idle[place]]] - reach, 0).mean(axis=1)
        return -graph.costs - strength * lost[graph.targets]

    worth = np.where(graph.terminal, 0.0, -np.inf)
    for _ in range(graph.n_states):  # from where nothing changes any more
        worth = np.where(graph.terminal, 0.0, (rewards(-1) + worth[graph.targets]).max(axis=1))
    for place in reversed(range(len(idle))):
        worth = np.where(graph.terminal, 0.0, (rewards(place) + worth[graph.targets]).max(axis=1))
    found = solve_by_reachability(chosen, strength, reach, "inaction")
    index = {graph.state(number): number for number in range(graph.n_states)}
    taken = penalties([index[state] for state in found.trajectory], reach, "inaction", chosen)
    assert float(found.returns["agent_1"]) - strength * taken == pytest.approx(worth[graph.starts[0]])


def test_doing_nothing_is_compared_with_where_others_go_on(reach):
    # A step that does nothing changes nothing that could be attained, though the other moves.
    rewards = attainable_utility_rewards(SHARED, 5, reach)
    wait = SHARED.graph.actions.index(WAIT)
    np.testing.assert_array_equal(rewards[:, wait], -SHARED.graph.costs[:, wait])


def test_what_the_designs_cannot_do(reach):
    with pytest.raises(SettingError, match="in task 'shared-key' another acts while one waits; give"):
        reachability_rewards(task("shared-key"), 1, reach, "stepwise")
    with pytest.raises(SettingError, match="where another acts too; use solve_by_reachability"):
        reachability_rewards(SHARED, 1, reach, "inaction")
    with pytest.raises(UnknownNameError, match="did you mean 'stepwise'"):
        reachability_rewards(task("garden"), 1, reachability(task("garden")), "stepwse")


def test_what_is_attainable_is_the_best_discounted_return_of_a_task_that_pays_once():
    chosen = task("garden")
    reach = reachability(chosen)
    graph, goals = chosen.graph, reach == 1
    # One on being there, which ends it; else γᵣ times the best that a step leads to.
    going = ~graph.terminal[:, None] & ~goals
    ahead = reach[graph.targets].max(axis=1)
    assert np.allclose(reach[going], REACH_DISCOUNT * ahead[going])
