"""Four loops, one law: what `multislot.run` records is what the three quicker loops give, for all that they run.

Each comparison is a function, and a fault that is planted in its loop makes it fail.
"""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

import extenv
from considerate.craftworld import TASKS, task
from considerate.craftworld.worlds import FOLLOW, task_world
from considerate.wrappers import ORIGINAL
from considerate.zoo.vectors import TaskVector
from extenv import AsWorld, reality_check
from extenv.measuring import running
from multislot import Agent, run
from multislot.agents import InterpretedQLearner, QLearner
from multislot.engine.trace import COLUMNS
from multislot.zoo import make, registration
from multislot.zoo.episode import Episode
from multislot.zoo.kernel_rows import KernelRows
from multislot.zoo.vectors import SlotVector

IDS = sorted(registration.REGISTERED)
PARAMETERS = {"multislot/universal-v1": {}, "multislot/file-v1": {"path": "copy"}}
CYCLES, MOST_AGENTS = 8, 4096


class Table(Agent):
    """Acts by a table of random numbers, from what it sees; its copies and those who enter later do so, too."""

    def __init__(self, numbers, n_actions):
        self.numbers, self.n_actions, self.learned = numbers, n_actions, 0

    def act(self, observation):
        return int(self.numbers[observation % len(self.numbers)] % self.n_actions)

    def learn(self, observation, action, reward, next_observation):
        self.learned += 1


class Script(Table):
    """Repeats a list of actions."""

    def act(self, observation):
        return int(self.numbers[self.learned]) if self.learned < len(self.numbers) else 0


def world_of(name):
    defaults = {key: value for key, value in registration.ENTRIES["parallel"][name][1].items() if key != "environment"}
    return registration.registered(name).make_world(defaults | PARAMETERS.get(name, {}))


def table_of(world, seed):
    return Table(np.random.default_rng(seed).integers(1000, size=97), world.n_actions)


def run_tables(world, steps, seed, table=None):
    """The trace of agents that act by one table, wherever an agent is born."""
    table = table_of(world, seed if table is None else table)
    return run(world, dict.fromkeys(range(1, 9), lambda *_: table.copy()), steps, seed)


# extenv.play


def check_play(name, factory, opposite, steps, seed):
    """An extended environment pays the same in the compiled loop and under the engine."""
    trace = AsWorld(name, factory, opposite=opposite).run(steps, seed)
    total = 0.0
    for reward in trace.reward_history(1):
        total += reward
    with patch.object(running, "STEPS_AT_ONCE", 7):  # the compiled loop is called in parts, as in a long run
        assert total == extenv.run(name, factory, steps=steps, seed=seed, opposite=opposite).total_reward


def learner_of(name):
    return InterpretedQLearner if name == "PunishSlowAgent" else QLearner


CHECKS = {
    "agent": lambda factory: factory,
    "first": reality_check,
    "published": partial(reality_check, freeze="published"),
}


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("kind", CHECKS)
@pytest.mark.parametrize("name", [*extenv.BATTERY, *extenv.SLOW])
def test_extended_environments_with_opposites_and_reality_checks(name, kind, opposite):
    check_play(name, CHECKS[kind](learner_of(name)), opposite, steps=40, seed=3)


def play_and_teach_the_opposite(environment, agent, observation, n_actions, steps, opposite, done=0, total=0.0):
    """`play`, but the agent learns the rewards before they are negated."""
    for _ in range(steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        total += 0.0 - reward if opposite else reward
        observation = following
    return total, observation


def test_a_fault_in_play_is_noticed():
    with patch.object(running, "play", play_and_teach_the_opposite):
        check_play("IgnoreRewards", QLearner, opposite=False, steps=200, seed=3)
        with pytest.raises(AssertionError):
            check_play("IgnoreRewards", QLearner, opposite=True, steps=200, seed=3)


# The array loop of Craft-World


def half_random_actions(vector, states, rng):
    """Random actions, half of which lead nearer to an end."""
    graph = vector.single.graph
    left = graph.walks.distances_to(graph.ends())
    nearer = np.array([np.argmin(left[graph.targets[state]]) for state in states])
    return np.where(rng.random(len(states)) < 0.5, nearer, rng.integers(len(graph.actions), size=len(states)))


def episodes_in_arrays(vector, steps, rng):
    """The first episode of each row: its actions, the acting agent's own rewards, its states, and whether it ended."""
    vector.reset(seed=0)
    episodes = [([], [], []) for _ in range(vector.num_envs)]
    going, ended = np.ones(vector.num_envs, bool), np.zeros(vector.num_envs, bool)
    for _ in range(steps):
        actions = half_random_actions(vector, vector._states, rng)
        _, _, terminated, truncated, infos = vector.step(actions)
        for row in np.flatnonzero(going):
            for column, of_row in zip(episodes[row], (actions, infos[ORIGINAL], vector._states), strict=True):
                column.append(of_row[row])
        ended |= going & terminated
        going &= ~(terminated | truncated)
    return [(*episode, end) for episode, end in zip(episodes, ended.tolist(), strict=True)]


def run_and_watch(world, agents, steps, seed):
    """The trace, and the state of the acting agent after each step."""
    seen, step, world.ended = [], world.step, []

    def watched(actions):
        turn = step(actions)
        seen.append(world.situation(1))
        world.ended += turn.ended
        return turn

    world.step = watched
    return run(world, agents, steps, seed), seen


def check_arrays(name, rows, steps, seed=0):
    """Rows of a task are runs of the task's world; return how many of them ended."""
    chosen = task(name)
    vector = TaskVector(chosen, rows, steps=steps)
    graph, ends = vector.single.graph, 0
    for actions, rewards, states, ended in episodes_in_arrays(vector, steps, np.random.default_rng(seed)):
        world = task_world(chosen)
        numbers = np.array([world.actions.index(graph.actions[action]) for action in actions])
        follow = np.full(steps, world.actions.index(FOLLOW) if FOLLOW in world.actions else 0)
        scripts = {1: numbers} | dict.fromkeys(range(2, 9), follow)
        agents = {
            slot: lambda _, n_actions, *__, script=script: Script(script, n_actions) for slot, script in scripts.items()
        }
        trace, seen = run_and_watch(world, agents, len(actions), seed)
        assert [step[1] for step in trace.rewards] == rewards
        assert seen == [graph.state(int(state)) for state in states]
        assert graph.terminal[int(states[-1])] == ended == (1 in world.ended)
        ends += ended
    return ends


@pytest.mark.parametrize("name", TASKS)
def test_tasks_in_arrays_with_random_policies(name):
    assert check_arrays(name, rows=4, steps=120) > 0


@pytest.mark.parametrize("array", ["_own", "_targets", "_terminal"])
def test_a_fault_in_the_array_loop_is_noticed(array):
    begin = TaskVector.__init__

    def begin_shifted(self, *settings, **others):
        begin(self, *settings, **others)
        setattr(self, array, np.roll(getattr(self, array), 1))

    with patch.object(TaskVector, "__init__", begin_shifted), pytest.raises((AssertionError, KeyError)):
        check_arrays("kitchen-cookie", rows=4, steps=120)


# PettingZoo's episode


def check_episode(name, cycles, seed):
    """The dynamic view says and records what `run` does, with the same choices; return the number of steps."""
    view = make("parallel", name, max_cycles=cycles, max_agents=MOST_AGENTS, **PARAMETERS.get(name, {}))
    table, steps = table_of(world_of(name), seed), 0
    observations, infos = view.reset(seed=seed)
    answers = []
    while view.agents:
        view_actions = {agent: table.act(observations[agent]) for agent in view.agents}
        observations, rewards, *_, infos = view.step(view_actions)
        steps += 1
        answers.append(
            {infos[a]["slot"]: (int(observations[a]), rewards[a]) for a in rewards if not infos[a]["deleted"]}
        )
    world = world_of(name)
    expected = run_tables(world, steps, seed)
    for column in COLUMNS:
        assert np.array_equal(getattr(view.trace, column), getattr(expected, column)), column
    for step, answer in enumerate(answers):
        told = {slot: (seen, expected.rewards[step][slot]) for slot, seen in expected.observations[step].items()}
        assert answer.items() <= told.items() if step == cycles - 1 else answer == told  # nobody is born at the cut
    return steps


@pytest.mark.parametrize("name", IDS)
def test_every_registered_environment_in_pettingzoo(name):
    for seed in (0, 1):
        assert check_episode(name, CYCLES, seed)


def check_mentored(cycles, seed):
    """An agent and its mentor, who take turns, see and get what `run` gives them; return how often it defers."""
    env = make("aec", "multislot/mentor-cliff-v0", max_cycles=cycles)
    world = env.unwrapped.world
    tables = {name: table_of(world, seed + number) for number, name in enumerate(env.possible_agents)}
    tables["mentor_0"].n_actions = world.n_actions - 1  # a mentor cannot defer
    env.reset(seed=seed)
    for name in env.agent_iter():
        seen, _, ended, cut, _ = env.last()
        env.step(None if ended or cut else tables[name].act(seen))
    told = env.unwrapped.trace
    agents = {slot: lambda *_, table=table: table.copy() for slot, table in enumerate(tables.values(), 1)}
    expected = run(world, agents, len(told.rewards), seed)
    assert told.observations == expected.observations
    assert told.rewards == expected.rewards
    return sum(step[1] == world.code.defer for step in told.actions)


def test_a_mentor_who_is_asked_in_pettingzoo():
    assert sum(check_mentored(cycles=40, seed=seed) for seed in range(8)) > 10


# SlotVector


def check_rows(name, copies, cycles, seed):
    """Rows are the slots of runs with the seeds of the copies, in their first episode; return the steps compared."""
    settings = {"multislot/universal-v1": {"slots": 4}}.get(name, PARAMETERS.get(name, {}))
    vector = SlotVector(lambda: make("parallel", name, view="fixed", max_cycles=cycles, **settings), copies)
    world, slots = world_of(name), range(1, len(vector.names) + 1)
    table, compared = table_of(world, seed), 0
    seen, _ = vector.reset(seed=seed)
    worlds = [world_of(name) for _ in range(copies)]
    traces = [run_tables(one, cycles, seed + k, seed) for k, one in enumerate(worlds)]
    going = set(range(copies))
    for step in range(cycles):
        told = [int(row[1:].argmax()) if row[0] else None for row in seen]
        for k in going:
            present = traces[k].observations[step - 1] if step else traces[k].start
            acting = traces[k].actions[step]
            assert told[k * len(slots) : (k + 1) * len(slots)] == [
                present[slot] if slot in acting else None for slot in slots
            ]
        actions = np.array([0 if number is None else table.act(number) for number in told])
        seen, rewards, _, _, infos = vector.step(actions)
        for k in tuple(going):
            paid = traces[k].rewards[step]
            rows = slice(k * len(slots), (k + 1) * len(slots))
            assert rewards[rows].tolist() == [paid.get(slot, 0.0) for slot in slots]
            compared += 1
            if "final_obs" in infos and infos["final_obs"][rows][0] is not None:
                going.remove(k)
    assert isinstance(vector._copies, KernelRows) == (name in KERNELS)
    return compared


KERNELS = {name for name in IDS if name.startswith("multislot/") and name != "multislot/universal-v1"}
"""Their rows are stepped in arrays; those of the others one by one."""


@pytest.mark.parametrize("name", IDS)
def test_rows_of_every_registered_environment(name):
    assert check_rows(name, copies=3, cycles=CYCLES, seed=5) > 3


TWO_COINS = """
name = "two-coins"
actions = ["stay", "toss"]
start = [{ slot = 1, state = "low" }, { slot = 2, state = "low" }]
states.high = { sees = "high in {slot}", pays = "slot" }
[[outcomes]]
state = "low"
action = "toss"
probability = "1/3"
becomes = [{ state = "high" }]
[[outcomes]]
state = "low"
action = "toss"
probability = "2/3"
becomes = [{ state = "low" }]
"""


@pytest.mark.parametrize("story", ["sleeping-beauty", "newcomb", TWO_COINS])
def test_stories_with_chance_in_two_slots_and_with_an_end(story, monkeypatch, tmp_path):
    if story is TWO_COINS:  # in one step both slots draw
        (tmp_path / "two.toml").write_text(story)
        story = str(tmp_path / "two.toml")
    monkeypatch.setitem(PARAMETERS, "multislot/file-v1", {"path": story})
    assert check_rows("multislot/file-v1", copies=3, cycles=CYCLES, seed=5) > 3
    assert check_episode("multislot/file-v1", CYCLES, seed=5)


def test_a_fault_in_pettingzoos_episode_is_noticed():
    step = Episode.step

    def step_with_each_others_actions(self, actions):
        return step(self, dict(zip(actions, reversed(actions.values()), strict=True)))

    with patch.object(Episode, "step", step_with_each_others_actions), pytest.raises(AssertionError):
        check_episode("multislot/universal-v1", 5, 0)


def test_a_fault_in_the_rows_is_noticed():
    step = KernelRows.step

    def pay_the_neighbor(self, actions):
        seen, rewards, *others = step(self, actions)
        return seen, np.roll(rewards, 1), *others

    with patch.object(KernelRows, "step", pay_the_neighbor), pytest.raises(AssertionError):
        check_rows("multislot/copy-v1", copies=3, cycles=CYCLES, seed=5)
