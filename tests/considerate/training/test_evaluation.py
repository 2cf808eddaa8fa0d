"""What an evaluation reports of everyone."""

import math
from itertools import cycle

import pytest
from pettingzoo.classic.rps import rps

import considerate
import considerate.zoo
from considerate.craftworld import TASKS, task
from considerate.training.evaluation import AUGMENTED, TOTAL, evaluate
from considerate.training.views import SoloEnv
from considerate.wrappers import Caring
from considerate.zoo.tasks import TaskEnv
from multislot.zoo import make

ROCK, PAPER = 0, 1


@pytest.mark.parametrize("api", ["aec", "parallel"])
@pytest.mark.parametrize("caring", [None, 3])
def test_everyones_own_return_is_counted_once(api, caring):
    game = {"aec": rps.env, "parallel": rps.parallel_env}[api](max_cycles=5)
    if caring is not None:
        game = Caring(game, "player_0", "sim", caring)
        game = Caring(game, "player_1", "sim", caring)
    played = evaluate(lambda seen: PAPER, SoloEnv(game, "player_0", {"player_1": lambda seen: ROCK}), episodes=2)
    assert played.everyone == {"player_0": (5, 5), "player_1": (-5, -5)}
    assert played.rows[TOTAL] == (0, 0)
    assert played.rows[AUGMENTED] == played.returns == ((5, 5) if caring is None else (-10, -10))
    assert played.own_returns == (5, 5)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("caring", [0, 1, 3])
def test_in_craft_world_it_is_what_the_exact_solution_says(name, caring):
    chosen = task(name)
    criterion = "value" if chosen.partner is None else "sim"
    solution = considerate.solve(chosen, criterion, caring)
    env = TaskEnv(chosen, criterion, caring)
    acts = cycle(solution.actions)
    played = evaluate(lambda seen: env.graph.actions.index(next(acts)), env, episodes=2)
    assert {agent: values[1] for agent, values in played.everyone.items()} == solution.returns
    assert played.returns[1] == pytest.approx(float(solution.objective))


def test_those_who_come_later_are_played_to_their_end():
    """In PettingZoo: the owner of the garden does not act, agent 3 enters when the first has left."""
    garden = task("garden")
    solution = considerate.solve(garden, "per_agent", {"agent_2": 0, "agent_3": 1})
    env = make("aec", "considerate/garden-v2")
    actions = env.unwrapped.stage.world.actions
    walk = garden.visits(garden.other("agent_3")).walk(garden.left(solution.end_state))[1]
    mine, others = iter(solution.actions), iter(walk)
    solo = SoloEnv(env, "agent_1", {"agent_3": lambda seen: actions.index(next(others))})
    played = evaluate(lambda seen: actions.index(next(mine)), solo, 1)
    own, owner, third = solution.returns.values()
    assert played.everyone == {"agent_1": (own,), "agent_3": (third,), "agent_2": (owner,)}


def test_an_episode_that_is_cut_short_counts_what_was_paid():
    game = rps.env(max_cycles=50)
    played = evaluate(lambda seen: PAPER, SoloEnv(game, "player_0", {"player_1": lambda seen: ROCK}), 1, steps=7)
    assert played.everyone == {"player_0": (7,), "player_1": (-7,)}
    assert played.truncated == (True,)
    assert repr(played).startswith("Evaluation(1 episode, 1 truncated: ")


def test_tables_have_a_row_for_each():
    game = rps.env(max_cycles=5)
    throws = cycle([PAPER] * 5 + [ROCK] * 10)
    played = evaluate(lambda seen: next(throws), SoloEnv(game, "player_0", {"player_1": lambda seen: ROCK}), 3)
    table = played.table().set_index("agent")
    assert list(table.index) == ["player_0", "player_1", TOTAL, AUGMENTED]
    assert table["mean"]["player_0"] == pytest.approx(5 / 3)
    assert table["low"]["player_0"] < 5 / 3 < table["high"]["player_0"]
    assert set(table["episodes"]) == {3}
    shown = "player_0 1.667 ± 7.2, player_1 -1.667 ± 7.2, total 0 ± 0, augmented 1.667 ± 7.2"
    assert repr(played) == f"Evaluation(3 episodes, 3 truncated: {shown})"


def test_one_episode_has_no_interval():
    game = rps.env(max_cycles=5)
    played = evaluate(lambda seen: PAPER, SoloEnv(game, "player_0", {"player_1": lambda seen: ROCK}), 1)
    assert math.isnan(played.table()["low"][0])
    assert repr(played).startswith("Evaluation(1 episode, 1 truncated: player_0 5, ")
