"""Craft-World in PettingZoo: conformance, who is there when, and that episodes pay what the exact solutions say."""

import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

import considerate
from considerate.craftworld import TASKS, parse_task, task
from considerate.craftworld.worlds import BYSTANDERS, FOLLOW, SimultaneousWorld, task_world
from considerate.zoo import register_task
from considerate.zoo.tasks import TaskEnv
from considerate.zoo.vectors import TaskVector
from multislot.errors import SettingError, UnknownNameError
from multislot.testing import check_world
from tests.conformance import CHECKS, VIEWS, conform
from tests.considerate.craftworld.test_tasks import load_text

QUICK = {"kitchen-salad", "shared-key"}
SEQUENTIAL = [name for name in TASKS if task(name).partner is None]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in TASKS]
)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance(check, name, view):
    conform(check, f"considerate/{name}-v2", view)


@pytest.mark.parametrize(
    "make", [lambda: task_world("garden"), lambda: task_world("shared-key")], ids=["garden", "shared-key"]
)
def test_the_engine_accepts_the_worlds(make):
    check_world(make, starts_empty=False)


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_in_gymnasium_as_the_acting_agent_learns_it(name):
    env = gymnasium.make(f"considerate/{name}-v2", criterion="sim", caring=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that rendering is not checked, as no mode was chosen
        check_env(env.unwrapped)
    solution = considerate.solve(task(name), "sim", 3)
    actions = [env.unwrapped.graph.actions.index(action) for action in solution.actions]
    vector = gymnasium.make_vec(f"considerate/{name}-v2", num_envs=2, criterion="sim", caring=3)
    env.reset(seed=0)
    vector.reset(seed=0)
    alone = [env.step(action) for action in actions]
    together = [vector.step(np.full(2, action)) for action in actions]
    assert alone[-1][2]
    assert together[-1][2].all()
    for total in (sum(step[1] for step in alone), sum(step[1][0] for step in together)):
        assert total == pytest.approx(float(solution.objective))


def play(name, plan):
    """Plays the acting agent's plan, then each visitor's cheapest walk; everyone's returns, and who was there."""
    environment = pettingzoo.make("parallel", f"considerate/{name}-v2", view="dynamic")
    _, infos = environment.reset(seed=0)
    world = task_world(name)
    plans, returns, present, told = {world.agent_names[0]: list(plan)}, {}, [], {}
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
            told = infos[agent][BYSTANDERS]
    return returns | told, present


@pytest.mark.parametrize("name", SEQUENTIAL)
@pytest.mark.parametrize("alpha", [0, 1, 10])
def test_an_episode_pays_and_tells_what_the_exact_solution_says(name, alpha):
    solution = considerate.solve(task(name), "value", alpha)
    returns, present = play(name, solution.actions)
    assert returns == solution.returns
    acting = len(solution.actions)
    first = task(name).acting.name
    assert present[:acting] == [[first]] * acting
    assert all(first not in names for names in present[acting:])


MUD = """
name = "mud-{start}-{facts}-{count}"
map = '''
XXXXXX
XSM.EX
X...BX
XXXXXX

S  front
M  mud
E  exit
B  back
'''

[acting]
name = "you"
start = "{start}"
follows = ["walk"]

[[others]]
name = "cleaner"
kind = "owner"
fact = "dirty"
loss = 20
walkers = {names}

[[others]]
name = "porter"
kind = "owner"
fact = "open"
loss = 3
walkers = {names}

[[rules.walk]]
at = "mud"
sets = {{ dirty = true }}

[[rules.walk]]
at = "exit"
ends = true

[handover]
public = {public}
changes = [{{ needs = {{}}, sets = {{ open = true }} }}]
"""
WALKER = """
[[others]]
name = "{name}"
kind = "visitor"
start = "front"
follows = ["walk"]
"""


@pytest.mark.parametrize("count", [0, 2, 3])
@pytest.mark.parametrize(
    ("start", "public", "makers"),
    [("front", ["dirty"], lambda count: 1), ("front", [], lambda count: 1 + count), ("back", ["dirty"], lambda n: n)],
)
def test_every_view_of_a_task_counts_a_loss_once_for_each_who_makes_the_fact_true(start, public, makers, count):
    """The acting agent from the front makes the mud dirty; only the handover opens the door."""
    names = [f"walker {number}" for number in range(count)]
    text = MUD.format(start=start, facts=len(public), public=public, count=count, names=names)
    mud = register_task(text + "".join(WALKER.format(name=name) for name in names))
    solution = considerate.solve(mud, "value", 0)
    expected = {"cleaner": -20 * makers(count), "porter": -3 if count else 0}
    assert {name: solution.returns[name] for name in expected} == expected
    assert considerate.frontier(mud, "value").at(0).returns == solution.returns
    assert play(mud.name, solution.actions)[0] == solution.returns
    alone, rows = TaskEnv(mud, criterion="per_agent", caring=1), TaskVector(mud, 2, criterion="per_agent", caring=1)
    alone.reset()
    rows.reset()
    for name in solution.actions:
        action = alone.graph.actions.index(name)
        paid, together = alone.step(action)[1], rows.step(np.full(2, action))[1]
    assert alone.totals() == solution.returns
    assert paid == together[0] == together[1] == sum(solution.returns.values()) + len(solution.actions) - 1


SHY = """
[[rules.shy]]
at = "exit"
closed = true
needs = { fence = false }
"""


def test_a_walker_whose_task_is_impossible_harms_nobody_by_its_only_action():
    """It enters beside the garden, and cannot reach the exit."""
    walks = 'start = [1, 5]\nfollows = ["walk"]'
    shy = parse_task(load_text("garden").replace(walks, 'start = [1, 1]\nfollows = ["walk", "shy"]') + SHY)
    solution, world = considerate.solve(shy, "value", 0), task_world(shy)
    world.start(0)
    for action in solution.actions:
        world.step({1: world.actions.index(action)})
    turn = world.step({2: world.actions.index("right")})
    assert (turn.ended, turn.percepts[2].reward) == ([2], solution.returns["agent_3"])
    assert world.situation(2).cell == (1, 1)
    assert world.bystanders() == {"agent_2": solution.returns["agent_2"]} == {"agent_2": -20}


def test_what_the_second_agent_does_next_depends_on_the_state_that_the_environment_tells():
    solution = considerate.solve(task("shared-key"), "sim", 0.5)
    environment = pettingzoo.make("parallel", "considerate/shared-key-v2")
    environment.reset(seed=0)
    names = environment.unwrapped.stage.world.actions
    for before, action in zip(solution.trajectory, solution.actions, strict=False):
        assert environment.situation("agent_1") == before
        chosen = {"agent_1": names.index(action), "agent_2": names.index(FOLLOW)}
        environment.step({agent: chosen[agent] for agent in environment.agents})
    assert environment.situation("agent_1") == solution.end_state
    assert environment.situation("agent_2") is None


def test_who_is_affected_is_told_and_where_they_are_once_born():
    environment = pettingzoo.make("parallel", "considerate/garden-v2")
    assert environment.affected_agents == ("agent_2", "agent_3")
    environment.reset(seed=0)
    assert environment.situation("agent_1") == task("garden").start
    assert environment.situation("agent_3") is None
    with pytest.raises(UnknownNameError, match="did you mean 'agent_3'"):
        environment.situation("agent_7")


def test_observations_and_actions_have_meanings():
    world = task_world("garden")
    seen = world.start(0)[1].observation
    assert world.describe(seen) == "agent_1 at (1, 5), {}"
    assert world.describe_action(0) == "up"
    both = task_world("shared-key")
    assert both.describe(both.start(0)[2].observation) == "at (1, 1) with nothing, key: (3, 1)"
    assert both.describe(0) == "λ"
    assert both.describe_action(both.n_actions - 1) == FOLLOW


def test_the_wrong_kind_of_task_is_refused():
    with pytest.raises(SettingError, match="use SequentialWorld"):
        SimultaneousWorld(task("box"))
    with pytest.raises(UnknownNameError, match="unknown task 'bix'; did you mean 'box'"):
        task_world("bix")
    with pytest.raises(SettingError, match="got task=3; expected an instance of Task"):
        task_world(3)
