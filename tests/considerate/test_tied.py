"""Cheapest ways on little graphs with weights of any sign, against every way and every circle written out."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from considerate.exact.paths.network import NegativeCycleError, Network
from considerate.exact.paths.tied import TiedPaths

ACTIONS = 2
HUGE = 10**400


@st.composite
def networks(draw, lowest=-1):
    """Up to five states, the last of which is the end, with two steps from each other one; weights may be huge."""
    size = draw(st.integers(2, 5))
    targets = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=2, max_size=2), min_size=size, max_size=size))
    weights = draw(st.lists(st.lists(st.integers(lowest, 3), min_size=2, max_size=2), min_size=size, max_size=size))
    whole = draw(st.sampled_from([np.array(weights, dtype=float), np.array(weights, dtype=object) * HUGE]))
    live = np.repeat((np.arange(size) < size - 1)[:, None], ACTIONS, axis=1)
    return Network(np.array(targets), whole, live)


def ways(network, state, seen=()):
    """Every way from a state that comes to no state twice, as steps; circles are those that end where they begin."""
    yield ()
    for action in range(ACTIONS):
        target = int(network.targets[state, action])
        if network.open[state, action] and target not in (*seen, state):
            for onward in ways(network, target, (*seen, state)):
                yield ((state, action), *onward)


def circles(network):
    """Every circle that comes to no state twice, from each of its states."""
    for start in range(network.n_states):
        for way in ways(network, start):
            last = int(network.targets[way[-1]]) if way else start
            for action in range(ACTIONS):
                if network.open[last, action] and network.targets[last, action] == start:
                    yield (*way, (last, action))


def weight(network, way):
    return sum(network.weights[step] for step in way)


def end_of(network, way):
    return int(network.targets[way[-1]]) if way else 0


def pays(network):
    return any(weight(network, circle) < 0 for circle in circles(network))


@given(networks())
def test_distances_are_those_of_the_cheapest_way_and_circles_that_pay_are_found(network):
    if pays(network):
        with pytest.raises(NegativeCycleError) as found:
            network.distances_from(0)
        assert network.weights[found.value.state, found.value.action] < 0
        return
    cheapest = np.full(network.n_states, np.inf, dtype=object)
    for way in ways(network, 0):
        cheapest[end_of(network, way)] = min(cheapest[end_of(network, way)], weight(network, way))
    np.testing.assert_array_equal(network.distances_from(0), cheapest)
    assert network.distances_to(np.array([network.n_states - 1]))[0] == cheapest[-1]


@given(networks())
def test_steps_on_circles_that_cost_nothing_are_told(network):
    if pays(network):
        return
    distances = network.distances_from(0)
    free = {step for circle in circles(network) if weight(network, circle) == 0 for step in circle}
    expected = {step for step in free if distances[step[0]] != np.inf}
    found = network.on_cycles(network.steps_from(distances))
    assert {(int(state), int(action)) for state, action in np.argwhere(found)} == expected


@given(networks(lowest=0))
def test_a_way_that_is_followed_is_cheapest_and_never_comes_back(network):
    end = network.n_states - 1
    found = network.paths_to(np.array([end]))
    if found.left[0] == np.inf:
        return
    states, actions = found.follow(0)
    steps = list(zip(states, actions, strict=False))
    assert states[-1] == end
    assert len(set(states)) == len(states)
    assert all(network.targets[step] == after for step, (_, after) in zip(steps, pairwise(states), strict=True))
    assert weight(network, steps) == found.left[0]


@given(networks(), st.lists(st.integers(0, 2), min_size=20, max_size=20))
def test_ties_are_all_counts_that_cheapest_ways_come_with(network, numbers):
    """Where circles cost nothing and change a count: of ways whose steps on those lead away from the start."""
    end = network.n_states - 1
    if pays(network) or network.distances_from(0)[end] == np.inf:
        return
    counts = np.array(numbers[: 2 * network.n_states], dtype=float).reshape(-1, 2)
    worse = counts[::-1, ::-1]
    least = network.distances_from(0)
    every = [way for way in ways(network, 0) if weight(network, way) == least[end_of(network, way)]]
    cheapest = [way for way in every if end_of(network, way) == end]
    steps_away = {
        state: min((len(way) for way in every if end_of(network, way) == state), default=0) for state in range(end)
    }
    tied = TiedPaths(network, 0, [end], (counts,), worse)
    changing = any(counts[tied.on_cycles]) or any(worse[tied.on_cycles])

    def looked_at(way):
        """Whether each of its steps on a circle leads away from the start."""
        circling = [step for step in way if tied.on_cycles[step]]
        return all(steps_away[int(network.targets[step])] > steps_away[step[0]] for step in circling)

    expected = {}
    for way in (way for way in cheapest if looked_at(way) or not changing):
        key = (sum(counts[step] for step in way),)
        expected[key] = min(expected.get(key, np.inf), sum(worse[step] for step in way))
    assert tied.totals[end] == expected
    for key in tied.totals[end]:
        states, actions = tied.follow(end, key)
        steps = tuple(zip(states, actions, strict=False))
        assert steps in cheapest
        assert (sum(counts[step] for step in steps),) == key
