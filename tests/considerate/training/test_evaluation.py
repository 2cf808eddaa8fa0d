"""What an evaluation reports of everyone."""

import math
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

import considerate
import considerate.zoo
from considerate.craftworld import TASKS, task
from considerate.training import Training, new_model
from considerate.training.evaluation import AUGMENTED, TOTAL, Evaluation, evaluate, greedy
from considerate.training.views import SoloEnv
from considerate.wrappers import Caring
from considerate.zoo.tasks import TaskEnv
from multislot.errors import SettingError
from multislot.zoo import make
from tests.considerate.training.walks import Walk

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


def test_a_greedy_policy_plays_once_where_there_is_no_chance_and_others_may_draw():
    env = TaskEnv(task("box"), steps=3)
    model = SimpleNamespace(predict=lambda seen, state, deterministic: (np.array(0), None))
    assert [evaluate(policy, env).episodes for policy in (model, greedy(model), lambda seen: 0)] == [1, 1, 20]


def test_an_episode_that_is_cut_short_counts_what_was_paid():
    game = rps.env(max_cycles=50)
    played = evaluate(lambda seen: PAPER, SoloEnv(game, "player_0", {"player_1": lambda seen: ROCK}), 1, steps=7)
    assert played.everyone == {"player_0": (7,), "player_1": (-7,)}
    assert played.truncated == (True,)
    assert math.isnan(played.table()["low"][0])  # one episode has no interval
    assert repr(played).startswith("Evaluation(1 episode, 1 truncated: player_0 7, ")


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


@pytest.mark.parametrize("name", [TOTAL, AUGMENTED])
def test_agents_named_like_rows_of_the_table_are_refused(name):
    with pytest.raises(SettingError, match=f"got agent='{name}'; expected names other than total and augmented"):
        Evaluation((1.0,), (1.0,), ((),), {name: (1.0,), "other": (2.0,)})


def test_a_model_with_masks_is_evaluated_with_them():
    """Untrained, it plays no move that is not allowed; the control is an algorithm without masks."""
    wrappers = pytest.importorskip("sb3_contrib.common.wrappers")

    def game():
        return SoloEnv(
            tictactoe.env(), "player_1", {"player_2": lambda seen: int(np.flatnonzero(seen["action_mask"])[-1])}
        )

    def moves(algorithm, env):
        settings = {"policy_kwargs": {"net_arch": [8]}}
        model = new_model(game, Training(algorithm, policy="MultiInputPolicy", settings=settings, seed=1))
        return evaluate(model, env, episodes=1).actions[0]

    for env in (game(), TimeLimit(game(), 100)):
        assert len(set(moves("MaskablePPO", env))) == len(moves("MaskablePPO", env)) > 2
    assert len(set(moves("PPO", game()))) < len(moves("PPO", game()))
    for allowed in range(3):
        env = wrappers.ActionMasker(Walk(), lambda env, allowed=allowed: np.arange(3) == allowed)
        (actions,) = evaluate(new_model(lambda env=env: env, Training("MaskablePPO")), env, episodes=1).actions
        assert set(actions) == {allowed}


def test_a_recurrent_model_remembers_within_an_episode_only():
    pytest.importorskip("sb3_contrib")
    seen = []

    class Shown(Walk):
        def see(self):
            seen.append((self.time == 0, super().see()))
            return seen[-1][1]

    settings = {"policy_kwargs": {"net_arch": [8], "lstm_hidden_size": 8}}
    model = new_model(Walk, Training("RecurrentPPO", policy="MlpLstmPolicy", settings=settings, seed=1))
    found = [action for actions in evaluate(greedy(model), Shown(), episodes=20).actions for action in actions]
    remembering, forgetting, memory = [], [], None
    for is_first, observation in seen:
        action, memory = model.predict(observation, None if is_first else memory, deterministic=True)
        remembering.append(action.item())
        forgetting.append(model.predict(observation, deterministic=True)[0].item())
    starts = [place for place, (is_first, _) in enumerate(seen) if is_first]
    acted = [place for place in range(len(seen)) if place + 1 not in starts and place + 1 < len(seen)]
    assert found == [remembering[place] for place in acted] != [forgetting[place] for place in acted]
