"""Craft-World in PettingZoo: conformance, who is there when, and that episodes pay what the exact solutions say."""

import pettingzoo
import pytest

import considerate
from considerate.craftworld import TASKS, task
from considerate.craftworld.worlds import FOLLOW, SequentialWorld, SimultaneousWorld
from multislot import run
from multislot.errors import SettingError
from multislot.testing import check_world
from tests.conformance import CHECKS, VIEWS, conform

SEQUENTIAL = [name for name in TASKS if name != "shared-key"]


def test_every_task_is_registered_both_ways():
    expected = {f"considerate/{name}-v0" for name in TASKS}
    assert expected <= set(pettingzoo.parallel_registry)
    assert expected <= set(pettingzoo.aec_registry)


@pytest.mark.parametrize("name", ["considerate/kitchen-salad-v0", "considerate/shared-key-v0"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance(check, name, view):
    conform(check, name, view)


@pytest.mark.full
@pytest.mark.parametrize("name", [f"considerate/{name}-v0" for name in TASKS])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance_of_every_task(check, name, view):
    conform(check, name, view)


@pytest.mark.parametrize("make", [lambda: SequentialWorld("garden"), SimultaneousWorld], ids=["garden", "shared-key"])
def test_the_engine_accepts_the_worlds(make):
    check_world(make, starts_empty=False)


def play(name, plan):
    """Plays the acting agent's plan, then each visitor's cheapest walk; returns by name, and who was there."""
    environment = pettingzoo.make("parallel", f"considerate/{name}-v0", view="dynamic")
    _, infos = environment.reset(seed=0)
    world = SequentialWorld(name)
    plans, returns, present = {"agent_1": list(plan)}, {}, []
    while environment.agents:
        present.append(sorted(environment.agents))
        actions = {}
        for agent in environment.agents:
            who = infos[agent]["agent"]
            if who not in plans:
                visits = world.task.visits(world.task.other(who))
                walk = visits.walk(infos[agent]["state"].things)
                plans[who] = list(walk[1]) if walk else ["up"]
            actions[agent] = world.actions.index(plans[who].pop(0))
        _, rewards, _, _, infos = environment.step(actions)
        for agent, reward in rewards.items():
            who = infos[agent]["agent"]
            returns[who] = returns.get(who, 0) + reward
    return returns, present


@pytest.mark.parametrize("name", SEQUENTIAL)
@pytest.mark.parametrize("alpha", [0, 1])
def test_an_episode_pays_what_the_exact_solution_says(name, alpha):
    solution = considerate.solve(task(name), "value", alpha)
    returns, present = play(name, solution.actions)
    walkers = SequentialWorld(name).names
    assert returns == {who: solution.returns[who] for who in walkers}
    acting = len(solution.actions)
    assert present[:acting] == [["copy_0"]] * acting
    assert all("copy_0" not in names for names in present[acting:])


def second_follows(plan):
    world = SimultaneousWorld()
    environment = pettingzoo.make("parallel", "considerate/shared-key-v0", view="dynamic")
    environment.reset(seed=0)
    plan, totals = list(plan), {}
    while environment.agents:
        chosen = {"copy_0": plan[0] if plan else FOLLOW, "copy_1": FOLLOW}
        plan = plan[1:]
        actions = {agent: world.actions.index(chosen[agent]) for agent in environment.agents}
        _, rewards, *_ = environment.step(actions)
        for agent, reward in rewards.items():
            totals[agent] = totals.get(agent, 0) + reward
    return totals


@pytest.mark.parametrize(("alpha", "returns"), [(0, (-24, -123)), (0.5, (-25, -33)), (2, (-33, -25))])
def test_table_1_is_what_two_agents_are_paid_in_pettingzoo(alpha, returns):
    plan = considerate.solve(task("shared-key"), "sim", alpha).actions
    assert second_follows(plan) == {"copy_0": returns[0], "copy_1": returns[1]}


def test_the_acting_slot_is_emptied_and_others_filled():
    class Planned:
        def __init__(self, plan):
            self.plan = plan

        def __call__(self, history):
            return self.plan[min(len(history), len(self.plan) - 1)]

    from multislot.history import HistoryAgent

    world = SequentialWorld("kitchen-cookie")
    first = considerate.solve(world.task, "value", 1)
    walk = world.visits[0].walk(world.task.left(first.end_state))
    agents = {
        slot: HistoryAgent(Planned([world.actions.index(name) for name in names]))
        for slot, names in enumerate((first.actions, walk[1]), 1)
    }
    trace = run(world, agents, steps=50, seed=0)
    assert float(trace.reward.sum()) == sum(first.returns.values())


@pytest.mark.parametrize("name", ["garden", "shared-key"])
def test_pictures_are_of_the_map(name):
    pytest.importorskip("matplotlib")
    texts, shapes = [], []
    for mode in ("ansi", "rgb_array"):
        environment = pettingzoo.make("parallel", f"considerate/{name}-v0", view="dynamic", render_mode=mode)
        environment.reset(seed=0)
        environment.step(dict.fromkeys(environment.agents, 0 if name == "garden" else 1))
        shown = environment.render()
        texts.append(shown) if mode == "ansi" else shapes.append(shown.shape)
    assert "X@" in texts[0]
    assert shapes == [(420, 420, 3) if name == "garden" else (600, 600, 3)]


def test_observations_and_actions_have_meanings():
    world = SequentialWorld("garden")
    seen = world.start(0)[1].observation
    assert world.describe(seen) == "agent_1 at (1, 5), {}"
    assert world.describe_action(0) == "up"
    both = SimultaneousWorld()
    assert both.describe(both.start(0)[2].observation) == "at (1, 1) with nothing, key: (3, 1)"
    assert both.describe(0) == "λ"
    assert both.describe_action(both.n_actions - 1) == FOLLOW


def test_the_wrong_kind_of_task_is_refused():
    with pytest.raises(SettingError, match="use SimultaneousWorld"):
        SequentialWorld("shared-key")
    with pytest.raises(SettingError, match="use SequentialWorld"):
        SimultaneousWorld("box")
