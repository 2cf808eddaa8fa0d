"""One task, one semantics: futures are paid when the agent's activity ends, at a limit too, in every view."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit

import considerate.zoo
from considerate.craftworld import TASKS, task
from considerate.craftworld.worlds import FOLLOW
from considerate.criteria import CRITERIA, Options, ValuedOptions, get_criterion
from considerate.exact.problem import known_futures
from considerate.training import Training, evaluate, train
from considerate.training.views import SoloEnv
from considerate.wrappers import AT_LIMIT, ORIGINAL, Caring
from considerate.zoo.tasks import TaskEnv
from multislot.errors import SettingError
from multislot.zoo import make

ALPHA, DISCOUNT = 3, 0.5
LIMITS = (1, 3, 9)


class States(gymnasium.ObservationWrapper):
    """Shows the state of Craft-World, so that a Gymnasium `Caring` can value it."""

    def observation(self, observation):
        return self.unwrapped.graph.state(self.unwrapped.state)


def walk(env, actions):
    """Reward, termination, truncation and the infos of every view, step by step, until the episode is over."""
    env.reset(seed=0)
    steps = []
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        steps.append((round(reward, 9), terminated, truncated, info[ORIGINAL], info[AT_LIMIT]))
        if terminated or truncated:
            break
    return steps


def solo(name, criterion, limit, futures, bootstraps):
    """The task through PettingZoo; a partner follows the paper's policy."""
    env = make("parallel", f"considerate/{name}-v2", max_cycles=limit)
    env = Caring(env, task(name).acting.name, criterion, ALPHA, futures, DISCOUNT, bootstrap_at_limit=bootstraps)
    names = env.unwrapped.stage.world.actions
    idle = {other: lambda seen: 0 for other in env.possible_agents[1:]}
    if task(name).partner is not None:
        idle = {"agent_2": lambda seen: names.index(FOLLOW)}
    return SoloEnv(env, task(name).acting.name, idle), names


def lone(chosen, criterion, limit, futures, bootstraps):
    """The task through the Gymnasium wrapper: an environment without caring terms, and futures of its states."""
    bare = States(TaskEnv(chosen, "per_agent", 0, steps=limit, bootstrap_at_limit=True))
    return Caring(
        bare, criterion=criterion, caring=ALPHA, futures=futures, discount=DISCOUNT, bootstrap_at_limit=bootstraps
    )


def plans(chosen):
    """The optimal behavior, idling, and random actions."""
    random = np.random.default_rng(1)
    solved = considerate.solve(chosen, "value", ALPHA).actions
    names = chosen.graph.actions
    return [*solved], [names[0]] * 12, [names[n] for n in random.integers(len(names), size=12)]


@pytest.mark.parametrize("bootstraps", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", TASKS)
def test_all_views_agree_step_by_step(name, criterion, bootstraps):
    chosen = task(name)
    kind = get_criterion(criterion)
    if chosen.partner is not None and isinstance(kind, Options | ValuedOptions):
        pytest.skip("a partner has no option")
    futures = known_futures(chosen, kind)
    for limit in LIMITS:
        mine = TaskEnv(chosen, criterion, ALPHA, DISCOUNT, steps=limit, bootstrap_at_limit=bootstraps)
        # Rewards of a partner are the environment's: `sim` then needs no futures, but the partner has to finish.
        shared = chosen.partner is not None and kind.every_step
        others, names = solo(name, criterion, limit, None if shared else futures, bootstraps)
        views = [others] if shared else [others, lone(chosen, criterion, limit, futures, bootstraps)]
        for plan in plans(chosen):
            steps = walk(mine, [mine.graph.actions.index(action) for action in plan])
            assert len(steps) <= limit
            for view in views:
                words = names if view is others else mine.graph.actions
                assert walk(view, [words.index(action) for action in plan]) == steps


def test_what_is_paid_at_a_limit_is_an_end_and_what_is_not_paid_is_a_truncation():
    def last(bootstraps):
        env = TaskEnv(task("kitchen-cookie"), "value", 1, steps=3, bootstrap_at_limit=bootstraps)
        return walk(env, [env.graph.actions.index("up")] * 3)[-1]

    assert last(False) == (-11, True, False, -1, True)
    assert last(True) == (-1, False, True, -1, True)
    with pytest.raises(TypeError, match="bootstrap_at_limit"):
        TaskEnv(task("box"), bootstrap_at_limit="yes")


def test_a_limit_outside_that_hides_the_end_is_noticed():
    hidden = TimeLimit(TaskEnv(task("kitchen-cookie"), "value", 1), 3)
    with pytest.raises(SettingError, match="got a TimeLimit around TaskEnv, which then never sees the end"):
        evaluate(lambda seen: 0, hidden)
    with pytest.raises(SettingError, match="got a TimeLimit around TaskEnv"):
        train(lambda: hidden, Training("A2C", steps=10))
    with pytest.warns(UserWarning, match="a TimeLimit outside hides the end of the episode"):
        hidden.reset()
    evaluate(lambda seen: 0, TimeLimit(TaskEnv(task("kitchen-cookie"), "value", 1, bootstrap_at_limit=True), 3))
    inside = Caring(TimeLimit(Bare(), 3), futures={"others": lambda seen: 5.0})
    assert set(evaluate(lambda seen: 0, inside).returns) == {5.0}


def test_loops_of_fixed_length_and_limits_inside_are_not_warned_of():
    """Control: they were, if two episodes in a row had the same length."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        env = TaskEnv(task("kitchen-cookie"), "value", 1, steps=9)
        for _ in range(3):
            walk(env, [0] * 3)
        walk(Caring(TimeLimit(Bare(), 3), futures={"others": lambda seen: 5.0}), [0] * 3)
        walk(TimeLimit(TaskEnv(task("kitchen-cookie"), "value", 1, bootstrap_at_limit=True), 3), [0] * 3)
    assert told == []


class Bare(gymnasium.Env):
    """Two actions; nothing is paid; it never ends."""

    observation_space, action_space = gymnasium.spaces.Box(0, 9, (1,), np.float32), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seen = np.zeros(1, np.float32)
        return self.seen, {}

    def step(self, action):
        self.seen = np.minimum(self.seen + int(action), 9).astype(np.float32)
        return self.seen, 0.0, False, False, {}


@pytest.mark.filterwarnings("ignore::UserWarning")  # of spaces without bounds, and of wrappers as such
def test_a_gymnasium_environment_can_be_considerate():
    made = gymnasium.make("CartPole-v1", max_episode_steps=7)
    env = Caring(made, criterion="value", futures={"others": lambda seen: 10 * float(seen.shape[0])}, caring=0.5)
    check_env(env, skip_render_check=True)
    steps = walk(env, [0, 1] * 9)
    assert [reward for reward, *_ in steps] == [1.0] * 6 + [1.0 + 20.0]
    assert steps[-1][1:] == (True, False, 1.0, True)
    vector = gymnasium.vector.SyncVectorEnv(
        [lambda: Caring(TimeLimit(Bare(), 2), futures={"others": lambda seen: float(seen[0])}) for _ in range(3)]
    )
    vector.reset(seed=0)
    vector.step(np.array([0, 1, 1]))
    _, rewards, terminated, truncated, _ = vector.step(np.array([0, 0, 1]))
    assert (rewards.tolist(), terminated.all(), truncated.any()) == ([0, 1, 2], True, False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"acting": "agent_1"}, "got acting='agent_1'; expected no name in a Gymnasium environment"),
        ({"futures": None}, "got futures=None; expected the others' futures"),
        ({"state": 3}, "got state=3; expected a function"),
        ({"caring": {"nobody": 1}}, "unknown agent 'nobody'"),
    ],
)
def test_mistakes_of_gymnasium_users_are_explained(settings, message):
    with pytest.raises(Exception, match=message):
        Caring(Bare(), **{"futures": {"others": lambda seen: 1.0}, **settings})


def test_an_environment_that_is_considerate_already_is_not_wrapped_again():
    once = Caring(Bare(), futures={"others": lambda seen: 1.0})
    for env in (once, TimeLimit(once, 3), TaskEnv(task("box"), "value", 1)):
        with pytest.raises(SettingError, match="expected an agent that is not considerate yet"):
            Caring(env, futures={"others": lambda seen: 1.0})


def test_old_ids_name_the_new_ones():
    with pytest.raises(Exception, match="v2"):
        gymnasium.make("considerate/mail-room-v1")
    with pytest.raises(Exception, match="considerate/box-v2"):
        make("parallel", "considerate/box-v1")
    with pytest.raises(Exception, match="v2"):
        make("aec", "considerate/file-v1")
