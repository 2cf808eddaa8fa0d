"""A walk as arrays against a search that applies the rules one event at a time."""

from collections import deque
from functools import partial

import numpy as np
import pytest
from hypothesis import given

from considerate.craftworld import State, Things, task
from considerate.craftworld import arrays as arrays_module
from considerate.craftworld.arrays import ENDED, Walker, explore
from considerate.craftworld.grid import MOVES
from considerate.craftworld.rules import ENTERING, Change
from multislot.errors import TooLargeError
from tests.considerate.craftworld.test_partner import little
from tests.considerate.random_tasks import random_tasks


def one_step(grid, walker, state, action, partner):
    cell, things = state
    event = action
    if action in MOVES:
        x, y = cell[0] + MOVES[action][0], cell[1] + MOVES[action][1]
        free = (x, y) in grid.free and not any(b.closed(things, (x, y)) for b in walker.barriers)
        event, cell = (ENTERING, (x, y)) if free else ("bump", cell)
    cost = 1.0
    for rule in walker.changes:
        if rule.happens(event, things, cell):
            cost = 1.0 if rule.cost is None else float(rule.cost)
            things = rule.after(things, cell)
            things = things.put({ENDED: True}) if rule.ends else things
            break
    return State(cell, things if partner is None else partner.step(things)[0]), cost


def search(chosen):
    """Every state with where each action leads and what it costs, one event at a time."""
    found, queue = {}, deque([chosen.start])
    while queue:
        state = queue.popleft()
        if state in found:
            continue
        found[state] = {}
        if not state.things[ENDED]:
            for action in chosen.graph.actions:
                target, cost = one_step(chosen.grid, chosen.acting, state, action, chosen.partner)
                found[state][action] = (target, cost)
                queue.append(target)
    return found


def as_dictionary(graph):
    return {
        graph.state(s): {
            name: (graph.state(graph.targets[s, a]), graph.costs[s, a])
            for a, name in enumerate(graph.actions)
            if not graph.terminal[s]
        }
        for s in range(graph.n_states)
    }


TASKS = {name: partial(task, name) for name in ("box", "garden", "doll", "mail-room", "kitchen-salt")}


@pytest.mark.parametrize("make", [*TASKS.values(), little], ids=[*TASKS, "little shared key"])
def test_the_arrays_of_a_task_are_what_the_rules_say(make):
    chosen = make()
    assert as_dictionary(chosen.graph) == search(chosen)


@given(random_tasks())
def test_the_arrays_of_random_tasks_are_what_the_rules_say(chosen):
    assert as_dictionary(chosen.graph) == search(chosen)


def test_no_end_is_nowhere_near():
    graph = task("box").graph
    assert np.isinf(graph.walks.distances_to(np.array([], dtype=int))).all()


def test_a_search_that_grows_without_bound_is_refused(monkeypatch):
    class Counting(Change):
        def after(self, things, cell):
            return Things.of({"count": (things["count"] or 0) + 1})

    grid = task("garden").grid
    endless = Walker("agent", (1, 5), (Counting(frozenset([(2, 5)])),))
    monkeypatch.setattr(arrays_module, "MOST_STATES", 10_000)
    with pytest.raises(TooLargeError, match="more than 10,000 states"):
        explore(grid, endless, [Things()])


def test_facts_that_are_false_or_none_are_absent():
    things = Things.of({"key": (3, 1), "box": False, "wood": None, "hammer": True})
    assert list(things) == ["hammer", "key"]
    assert things["box"] is None
    assert things.put({"key": None}) == Things.of({"hammer": True})
    assert repr(things) == "{hammer, key: (3, 1)}"
