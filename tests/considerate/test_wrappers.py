"""`Caring` on environments that are not ours (PettingZoo's own) and on small ones whose rewards are plain to see."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

from considerate import solve
from considerate.craftworld import task
from considerate.exact.problem import LaterReward
from considerate.futures import Distribution
from considerate.wrappers import ORIGINAL, Caring
from multislot.errors import SettingError, UnknownNameError
from multislot.zoo import make
from tests.conformance import games
from tests.considerate.leaving import Leaving


def left_behind(state):
    return 100.0 * state[1] + state[0]


def acting_of(env):
    while not hasattr(env, "acting"):
        env = env.env
    return env.acting


def play_parallel(env, actions=lambda agent: 1, seed=0):
    """Returns the rewards of each agent, step by step, and the acting agent's own."""
    env.reset(seed=seed)
    paid, own = {agent: [] for agent in env.possible_agents}, []
    while env.agents:
        _, rewards, _, _, infos = env.step({agent: actions(agent) for agent in env.agents})
        for agent, reward in rewards.items():
            paid[agent].append(reward)
        own += [info[ORIGINAL] for agent, info in infos.items() if agent == acting_of(env)]
    return paid, own


def play_aec(env, actions=lambda agent: 1, seed=0):
    """Returns what each agent's turns were paid, and the acting agent's own."""
    env.reset(seed=seed)
    paid, own = {agent: [] for agent in env.possible_agents}, []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        paid[agent].append(reward)
        own += [info[ORIGINAL]] if agent == acting_of(env) else []
        env.step(None if terminated or truncated else actions(agent))
    return paid, own


@pytest.mark.parametrize(("cut_short", "bootstraps"), [(False, False), (True, False), (False, True)])
def test_the_term_is_paid_once_when_the_acting_agent_ends(cut_short, bootstraps):
    arguments = {
        "bootstrap_at_limit": bootstraps,
        "acting": "agent_0",
        "criterion": "value",
        "caring": {"agent_0": 3, "agent_1": 2},
        "futures": {"agent_1": left_behind},
    }
    paid, own = play_parallel(Caring(Leaving(cut_short=cut_short), **arguments, discount=0.5))
    assert paid == {"agent_0": [-3, -3 + 0.5 * 2 * 102], "agent_1": [-10] * 4}
    assert own == [-1, -1]
    paid, own = play_aec(Caring(parallel_to_aec(Leaving(cut_short=cut_short)), **arguments, discount=0.5))
    assert paid == {"agent_0": [0, -3, -3 + 102], "agent_1": [0] + [-10] * 4}
    assert own == [0, -1, -1]


@pytest.mark.parametrize("lives", [(2, 4), (4, 2), (3, 3), (1, 5)])
@pytest.mark.parametrize("aec", [False, True])
def test_simultaneous_agents_are_shared_with_until_all_have_ended(lives, aec):
    env = parallel_to_aec(Leaving(lives)) if aec else Leaving(lives)
    play = play_aec if aec else play_parallel
    paid, own = play(Caring(env, acting="agent_0", criterion="sim", caring={"agent_1": 3}, discount=0.5))
    assert sum(paid["agent_0"]) == -lives[0] - 3 * 10 * lives[1]
    assert sum(own) == -lives[0]
    assert sum(paid["agent_1"]) == -10 * lives[1]


def test_beliefs_about_rewards_see_the_step():
    seen = []

    def believed(state, actions, next_state):
        seen.append((tuple(state), actions, tuple(next_state)))
        return 7

    futures = {"agent_1": [(0.5, believed), (0.5, lambda *step: 1)]}
    env = Caring(Leaving((1, 2)), acting="agent_0", criterion="sim", caring=1, futures=futures)
    assert play_parallel(env)[0]["agent_0"] == [-1 + 4, 4]
    assert seen == [((0, 0), {"agent_0": 1, "agent_1": 1}, (1, 1)), ((1, 1), {"agent_1": 1}, (2, 1))]


@given(st.lists(st.integers(1, 5), min_size=2, max_size=3), st.data(), st.sampled_from(["sim", "value", "min"]))
def test_wrapping_and_converting_tell_the_same_story(lives, data, criterion):
    agents = Leaving(lives).possible_agents
    acting = data.draw(st.sampled_from(agents))
    choices = data.draw(st.lists(st.integers(0, 1), min_size=5, max_size=5))
    futures = None if criterion == "sim" else {agent: left_behind for agent in agents if agent != acting}

    def considerate(env):
        return Caring(env, acting, criterion, 2, futures)

    def totals(play, env):
        turns = dict.fromkeys(agents, 0)

        def next_choice(agent):
            turns[agent] += 1
            return choices[turns[agent] - 1]

        return {agent: sum(rewards) for agent, rewards in play(env, next_choice)[0].items()}

    native = totals(play_parallel, considerate(Leaving(lives)))
    assert native == totals(play_aec, considerate(parallel_to_aec(Leaving(lives))))
    assert native == totals(play_aec, parallel_to_aec(considerate(Leaving(lives))))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_friends_share_what_the_environment_pays_not_what_caring_adds(order):
    def considerate(env, index):
        return Caring(env, f"agent_{index}", "sim", {f"agent_{1 - index}": 2})

    first, second = order
    for play, inside, between in (
        (play_parallel, Leaving((2, 3)), lambda env: env),
        (play_aec, parallel_to_aec(Leaving((2, 3))), lambda env: env),
        (play_aec, Leaving((2, 3)), parallel_to_aec),
        (play_parallel, Leaving((2, 3)), lambda env: aec_to_parallel(parallel_to_aec(env))),
    ):
        paid, _ = play(considerate(between(considerate(inside, first)), second))
        assert sum(paid["agent_0"]) == -2 + 2 * -30
        assert sum(paid["agent_1"]) == -30 + 2 * -2


class Paying(Leaving):
    """Pays in another form."""

    def __init__(self, form):
        super().__init__((2, 3))
        self.form = form

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, {agent: self.form(reward) for agent, reward in rewards.items()}, *rest


def test_a_reward_may_be_an_array_without_dimensions_but_nothing_else_than_a_number():
    paid, _ = play_parallel(Caring(Paying(np.array), "agent_0", "sim", {"agent_1": 2}))
    assert sum(paid["agent_0"]) == -2 + 2 * -30
    for form in (lambda reward: None, lambda reward: np.array([reward, reward])):
        with pytest.raises(SettingError, match=r"got reward of agent 'agent_0'=.*; expected a number"):
            play_parallel(Caring(Paying(form), "agent_0", "sim", 1))


def wrapped():
    half = Distribution.uniform([lambda state: 1, lambda state: 2])
    for criterion, futures in (("sim", None), ("value", {"player_1": half})):
        yield Caring(games("aec", "classic/rps-v2"), "player_0", criterion, 1, futures)
        yield Caring(games("parallel", "classic/rps-v2"), "player_0", criterion, 1, futures)
        yield Caring(games("aec", "classic/tictactoe-v3"), "player_2", criterion, 1, futures)
    yield Caring(games("aec", "butterfly/knights_archers_zombies-v11"), "archer_0", "sim", 1)
    yield Caring(games("parallel", "butterfly/knights_archers_zombies-v11"), "archer_0", "sim", 1)
    for lives in ((2, 4, 3), (4, 2, 2), (3, 3, 3)):
        yield Caring(Leaving(lives), "agent_0", "sim", 1)
        yield Caring(parallel_to_aec(Leaving(lives)), "agent_0", "sim", 1)
        yield parallel_to_aec(Caring(Leaving(lives), "agent_0", "sim", 1))
        yield Caring(parallel_to_aec(Leaving(lives)), "agent_2", "min", 1, {"agent_0": left_behind})


@pytest.mark.parametrize("env", list(wrapped()), ids=str)
def test_conformance(env):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tests import games the old way, and remark on the games' observations
        from pettingzoo.test import api_test, parallel_api_test

        test = parallel_api_test if isinstance(env, ParallelEnv) else api_test
        test(env, num_cycles=100)


def test_a_copy_in_mid_episode_has_the_same_future():
    for aec in (False, True):
        env = Caring(parallel_to_aec(Leaving((2, 5))) if aec else Leaving((2, 5)), "agent_0", "sim", 1)
        env.reset(seed=0)
        for _ in range(3):
            env.step(1 if aec else dict.fromkeys(env.agents, 1))
        for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            rest = []
            for one in (copy.deepcopy(env), twin):
                paid = []
                while one.agents:
                    if aec:
                        _, reward, terminated, truncated, _ = one.last()
                        one.step(None if terminated or truncated else 1)
                    else:
                        _, reward, *_ = one.step(dict.fromkeys(one.agents, 1))
                    paid.append(reward)
                rest.append(paid)
            assert rest[0] == rest[1] != []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"env": object()}, "got env=<object object at .*>; expected a PettingZoo AECEnv"),
        ({"acting": "player_7"}, "unknown acting agent 'player_7'"),
        ({"caring": {"player_2": 1}}, "unknown agent 'player_2'"),
        ({"futures": None}, "got futures=None; .*fitted_values; the criterion 'sim' needs none"),
        ({"env": Leaving}, r"got env=<class 'tests\.considerate\.leaving\.Leaving'>; expected a"),
        ({"futures": {"player_9": left_behind}}, "unknown agent 'player_9'; did you mean 'player_"),
        ({"futures": {"player_1": lambda state, action, after: 0}}, "expected a function of states"),
        ({"criterion": "sim"}, "expected a function of a state, an action and the next state"),
        ({"state": 3}, "got state=3; expected a function from the environment to its state"),
        ({"state": lambda env: env}, "got state=.*; expected a part of the environment"),
    ],
)
def test_errors_at_the_door(arguments, message):
    fine = {
        "env": games("parallel", "classic/rps-v2"),
        "acting": "player_0",
        "criterion": "value",
        "caring": 1,
        "futures": {"player_1": left_behind},
    }
    with pytest.raises((SettingError, UnknownNameError), match=message):
        Caring(**{**fine, **arguments}).reset()


def test_what_comes_later_is_paid_once_however_long_one_stays():
    import considerate.zoo  # noqa: F401  # registers the garden

    chosen = task("garden")
    later = {name: LaterReward(value) for name, value in chosen.value_functions().items()}
    env = make("parallel", "considerate/garden-v2")
    names = env.unwrapped.stage.world.actions
    way = ["up"] * 4 + ["right"] * 2
    ways = {"agent_1": way.copy(), "agent_3": ["up", "down"] * 3 + way}
    paid, own = play_parallel(
        Caring(env, "agent_1", "sim", 1, later), lambda agent: names.index(ways[agent].pop(0)) if ways[agent] else 0
    )
    end = solve(chosen, "per_agent", {"agent_2": 0, "agent_3": 1}).end_state
    assert len(paid["agent_1"]) > len(way) + len(way)
    assert sum(paid["agent_1"]) - sum(own) == sum(value(end) for value in chosen.value_functions().values())


@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_an_agent_is_made_considerate_once(kind):
    env = Caring(games(kind, "classic/rps-v2"), "player_0", "sim", 1)
    other = parallel_to_aec(env) if kind == "parallel" else env
    for one in (env, other, Caring(env, "player_1", "sim", 1)):
        with pytest.raises(SettingError, match="got acting='player_0'; expected an agent that is not considerate yet;"):
            Caring(one, "player_0", "sim", 2)


@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_one_may_care_for_nobody_in_particular_and_for_whom_the_environment_affects(kind):
    play = play_aec if kind == "aec" else play_parallel
    paid, _ = play(Caring(games(kind, "classic/rps-v2", max_cycles=1), "player_0", "value", 1, {"others": lambda s: 5}))
    assert sum(paid["player_0"]) == 5

    class Visited(Leaving):
        affected_agents = ("whoever comes next",)

        def situation(self, agent):
            return {"left by": agent, "at": int(self.now[0])}

    seen = []
    futures = {"whoever comes next": lambda state: seen.append(state) or 7}
    env = Visited((2, 4)) if kind == "parallel" else parallel_to_aec(Visited((2, 4)))
    paid, _ = play(Caring(env, "agent_0", "per_agent", {"whoever comes next": 3}, futures))
    assert sum(paid["agent_0"]) == -2 + 21
    assert seen == [{"left by": "agent_0", "at": 2}]


@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_the_initial_state_of_an_agent_that_enters_later_is_where_it_enters(kind):
    import considerate.zoo  # noqa: F401  # registers the garden

    seen = []
    env = make(kind, "considerate/garden-v2")
    names = env.unwrapped.stage.world.actions
    ways = {"agent_1": ["up"] * 4 + ["right"] * 2, "agent_3": ["up"] * 4 + ["right"] * 2}
    futures = {"agent_2": lambda state: seen.append(state) or -20.0 * bool(state.things["garden_trampled"])}
    env = Caring(env, "agent_3", "neg", {"agent_2": 2}, futures)
    paid, own = (play_aec if kind == "aec" else play_parallel)(env, lambda agent: names.index(ways[agent].pop(0)))
    assert sum(paid["agent_1"]) == -6
    assert sum(paid["agent_3"]) == -6 + 2 * -20
    assert sum(own) == -6
    assert {state.cell for state in seen} == {(1, 5), (3, 1)}


class Birth(AECEnv):
    """Agents take turns; when the first one has acted, another one is born, which finds 3; each is paid 1 a turn."""

    metadata, possible_agents = {"name": "birth"}, ("first", "late")

    def reset(self, seed=None, options=None):
        self.agents, self.agent_selection, self.turns = [], "first", 0
        self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos = {}, {}, {}, {}, {}
        self.enter("first", 0)

    def enter(self, agent, found):
        self.agents.append(agent)
        self.rewards[agent], self._cumulative_rewards[agent], self.infos[agent] = found, 0, {}
        self.terminations[agent] = self.truncations[agent] = False

    def observe(self, agent):
        return self.turns

    def step(self, action):
        if self.terminations[self.agent_selection]:
            return self._was_dead_step(action)
        self.turns, self._cumulative_rewards[self.agent_selection] = self.turns + 1, 0
        self._clear_rewards()
        self.rewards[self.agent_selection] = 1
        if self.turns == 1:
            self.enter("late", 3)
        self.terminations = dict.fromkeys(self.agents, self.turns == 4)
        self.agent_selection = self.agents[self.turns % 2]
        self._accumulate_rewards()
        return None


def test_what_an_agent_is_paid_when_it_is_born_is_paid_with_caring_too():
    paid = []
    for wrap in (lambda env: env, lambda env: Caring(env, "late", "value", futures={"first": lambda state: 0})):
        env, rewards = wrap(Birth()), []
        env.reset()
        for agent in env.agent_iter():
            _, reward, ended, cut, _ = env.last()
            rewards.append((agent, reward))
            env.step(None if ended or cut else 0)
        paid.append(rewards)
    assert paid[0] == paid[1]
    assert paid[0][:3] == [("first", 0), ("late", 3), ("first", 1)]


def test_infos_keep_their_keys_while_an_agent_that_was_deleted_is_still_paid():
    env = Caring(make("parallel", "multislot/copy-delete-v1", max_cycles=4), "copy_0", "sim", 1)
    _, infos = env.reset(seed=0)
    keys, bootstraps = set(infos["copy_0"]), []
    while env.agents:
        _, _, terminations, _, infos = env.step(dict.fromkeys(env.agents, 1))
        assert {agent: set(info) for agent, info in infos.items()} == dict.fromkeys(infos, keys)
        assert infos["copy_0"]["bootstrap"] != terminations["copy_0"]
        bootstraps.append(infos["copy_0"]["bootstrap"])
    assert bootstraps == [True, True, True, False]

    turns = Caring(make("aec", "multislot/copy-delete-v1", max_cycles=4), "copy_0", "sim", 1)
    turns.reset(seed=0)
    for _ in turns.agent_iter():
        _, _, terminated, truncated, info = turns.last()
        assert set(info) == keys
        turns.step(None if terminated or truncated else 1)
    assert info["bootstrap"] is False
