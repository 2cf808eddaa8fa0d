"""Gymnasium views: a learner's turns in PettingZoo's environments, and Craft-World's tasks as `solve` knows them."""

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env
from pettingzoo import AECEnv
from pettingzoo.classic.rps import rps

import considerate
import considerate.zoo
from considerate.craftworld import TASKS, parse_task, task
from considerate.craftworld.worlds import FOLLOW
from considerate.training.evaluation import numbers_of, streams
from considerate.training.learners import play_together
from considerate.training.views import SoloEnv
from considerate.wrappers import ORIGINAL, Caring
from considerate.zoo.tasks import TaskEnv
from multislot.errors import SettingError, UnknownNameError
from multislot.zoo import make
from tests.considerate.leaving import Leaving


def test_a_learners_seed_fixes_all_episodes():
    """The first reset has a seed. Later ones have none, so that the game goes on drawing, unless the user gives one."""
    given = []

    class Noting(Leaving):
        def reset(self, seed=None, options=None):
            given.append(seed)
            return super().reset(seed, options)

    env = SoloEnv(Noting((1, 1)), "agent_0", {"agent_1": lambda seen: 0})
    for seed in (5, None, None, 7, None):
        env.reset(seed=seed)
    assert given == [5, None, None, 7, None]
    given.clear()
    play_together(lambda: Noting((1, 1)), lambda agent: lambda seen: 0, episodes=3, seed=4)
    assert given == [*numbers_of(streams(4)[2], 1), None, None]


def test_a_learners_errors():
    with pytest.raises(UnknownNameError, match="unknown agent 'player_3'"):
        SoloEnv(rps.env(), "player_0", {"player_3": lambda seen: 0})
    with pytest.raises(SettingError, match="expected a PettingZoo"):
        SoloEnv(object(), "player_0")
    with pytest.raises(SettingError, match="turn of agent 'player_0', which has no policy"):
        SoloEnv(rps.env(), "player_1").reset(seed=0)
    with pytest.raises(SettingError, match=r"got others\['player_1'\]=3; expected a function of observations"):
        SoloEnv(rps.env(), "player_0", {"player_1": 3})
    idle = {"agent_1": lambda seen: 0}
    with pytest.raises(SettingError, match="agent 'agent_3' had no turn in 1000 episodes; give the others other"):
        SoloEnv(make("parallel", "considerate/garden-v2", max_cycles=9), "agent_3", idle).reset(seed=0)


@pytest.mark.filterwarnings("ignore")  # remarks on the game's observations
def test_a_view_without_caring_passes_the_checks_of_gymnasium():
    check_env(SoloEnv(rps.env(), "player_0", {"player_1": lambda seen: 0}), skip_render_check=True)


def test_one_who_comes_later_can_learn_too():
    env = make("parallel", "considerate/garden-v2")
    names = env.unwrapped.stage.world.actions
    plan = iter(considerate.solve(task("garden"), "value", 0).actions)
    solo = SoloEnv(env, "agent_3", {"agent_1": lambda seen: names.index(next(plan))})
    solo.reset(seed=0)
    steps = [solo.step(names.index(action)) for action in ("up",) * 4 + ("right",) * 2]
    assert [reward for _, reward, *_ in steps] == [-1] * 6
    assert [terminated for _, _, terminated, *_ in steps] == [False] * 5 + [True]
    assert steps[-1][-1]["bystanders"] == {"agent_2": -40}


def play(env, actions):
    """Returns an episode's return and that of its own rewards; it has to end within the actions."""
    env.reset(seed=0)
    total, own = 0.0, 0.0
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        total, own = total + reward, own + info[ORIGINAL]
        if terminated:
            return total, own
        assert not truncated
    raise AssertionError("the episode goes on")


@pytest.mark.parametrize("alpha", [0, 0.5, 2])
def test_sharing_rewards_in_pettingzoo_pays_what_table_1_says(alpha):
    solution = considerate.solve(task("shared-key"), "sim", alpha)
    env = Caring(make("parallel", "considerate/shared-key-v2", view="dynamic"), "agent_1", "sim", alpha)
    names = env.unwrapped.stage.world.actions
    # Having left, the acting agent is still asked, and still paid, until the second has left.
    plan = [*solution.actions, *[FOLLOW] * 40]
    solo = SoloEnv(env, "agent_1", {"agent_2": lambda seen: names.index(FOLLOW)})
    total, own = play(solo, [names.index(action) for action in plan])
    assert total == pytest.approx(float(solution.objective))
    assert own == pytest.approx(float(solution.returns["agent_1"]))


@pytest.mark.filterwarnings("ignore:a TimeLimit outside")
@pytest.mark.parametrize("name", TASKS)
def test_a_grid_shows_the_same_states_and_tells_them_apart(name):
    env, grid = TaskEnv(task(name), "value", 1), TaskEnv(task(name), "value", 1, observations="grid")
    pairs, generator = set(), np.random.default_rng(0)
    for _ in range(3):
        seen, shown, ended = env.reset()[0], grid.reset()[0], False
        for action in generator.integers(len(env.graph.actions), size=100):
            assert grid.observation_space.contains(shown)
            assert shown[0].sum() == 1
            pairs.add((tuple(seen), shown.tobytes()))
            if ended:
                break
            seen, _, ended, *_ = env.step(action)
            shown, *_ = grid.step(action)
    assert len({seen for seen, _ in pairs}) == len({shown for _, shown in pairs}) == len(pairs) > 3


def test_the_planes_of_a_grid_have_names():
    env = TaskEnv(task("box"), "value", 1, observations="grid")
    shown, _ = env.reset()
    assert env.planes[:2] == ("agent", "walls")
    plane = dict(zip(env.planes, shown, strict=True))
    assert plane["agent"][1, 1] == plane["key"][1, 3] == plane["walls"][0, 0] == 1  # rows are y, columns x
    assert not plane["key: held"].any()
    with pytest.raises(UnknownNameError, match="did you mean 'grid'"):
        TaskEnv(task("box"), observations="gird")


BELL = """
name = "bell"
map = '''
XXXXXX
XBS.XX
X..D.X
XXXXXX

S start
B bell
D door
'''
facts = { bell = [1, 1] }
handover = { public = ["bell"] }
acting = { name = "me", start = "start", follows = ["do"] }
others = [{ name = "next", kind = "visitor", start = "start", follows = ["do"] }]

[rules]
do = [
    { at = "bell", by = "use", needs = { bell = "here" }, sets = { bell = "held" } },
    { at = "bell", by = "use", needs = { bell = "held" }, sets = { bell = "here" } },
    { at = "door", ends = true },
]
"""


def test_a_thing_that_is_named_like_a_place_has_a_plane_of_its_own():
    env = TaskEnv(parse_task(BELL), observations="grid")
    assert env.planes == ("agent", "walls", "start", "bell", "door", "bell (thing)", "bell: held", "ended: True")
    states = range(env.graph.n_states)
    assert len({env.sight.look_at(state).tobytes() for state in states}) == len(states)


class Bidding(AECEnv):
    """The first agent passes (0), and then the second has a turn, or ends the game at once (1)."""

    metadata = {"name": "bidding"}  # noqa: RUF012

    def __init__(self):
        self.possible_agents, self.render_mode = ["first", "second"], None

    def observation_space(self, agent):
        return Discrete(1)

    action_space = observation_space

    def observe(self, agent):
        return 0

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards, self.infos = dict(self.rewards), {agent: {} for agent in self.agents}
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))
        self.agent_selection = "first"

    def step(self, action):
        if self.terminations[self.agent_selection]:
            return self._was_dead_step(action)
        if self.agent_selection == "second" or action:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards["second"] = self._cumulative_rewards["second"] = 1.0
        self.agent_selection = "second"
        return None


def test_a_game_that_ends_before_the_learners_first_turn_is_played_again():
    ends = iter([1, 1, 0])
    env = SoloEnv(Bidding(), "second", {"first": lambda seen: next(ends)})
    env.reset(seed=0)
    assert env.step(0)[1:4] == (1.0, True, False)
    assert next(ends, None) is None
    with pytest.raises(SettingError, match="agent 'second' had no turn in 1000 episodes; give the others other"):
        SoloEnv(Bidding(), "second", {"first": lambda seen: 1}).reset(seed=0)


def test_an_episode_is_broken_off_at_its_limit():
    env = TaskEnv(task("garden"), "value", 1, steps=3)
    env.reset()
    assert [env.step(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (True, False)]
    with pytest.raises(SettingError, match="got steps=0; expected a whole number, at least 1"):
        TaskEnv(task("garden"), steps=0)
    with pytest.raises(SettingError, match="got action=9; expected one of 0"):
        env.step(9)
    with pytest.raises(SettingError, match=r"call reset\(\) first"):
        TaskEnv(task("garden")).step(0)
