"""A considerate agent in MiniGrid, whose environments nobody here wrote."""

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from considerate.training import Training, evaluate, train
from considerate.wrappers import AT_LIMIT, ORIGINAL, Caring

minigrid = pytest.importorskip("minigrid", reason="minigrid is not installed")

STEPS = 12
LEFT, RIGHT, FORWARD = range(3)


def distance(env):
    """How far the agent stands from the goal; the others need the corner where it starts to be free."""
    return float(sum(env.unwrapped.agent_pos))


def corridor(caring):
    made = gymnasium.make("MiniGrid-Empty-5x5-v0", max_episode_steps=STEPS)
    flat = minigrid.wrappers.FlatObsWrapper(minigrid.wrappers.FullyObsWrapper(made))
    return Caring(flat, futures={"others": float}, state=distance, caring=caring)


def walk(env, actions):
    env.reset(seed=0)
    return [env.step(action) for action in actions]


@pytest.mark.filterwarnings("ignore::UserWarning")  # of wrappers as such
def test_the_future_of_others_is_paid_at_the_end_and_at_the_limit():
    plain = gymnasium.make("MiniGrid-Empty-5x5-v0", max_episode_steps=STEPS)  # its own wrappers fail the check
    check_env(Caring(plain, futures={"others": float}, state=distance), skip_render_check=True)
    to_goal = [FORWARD, FORWARD, RIGHT, FORWARD, FORWARD]
    *_, (_, reward, terminated, truncated, info) = walk(corridor(2), to_goal)
    assert info[ORIGINAL] > 0  # MiniGrid pays for the goal
    assert (reward, terminated, truncated) == (pytest.approx(info[ORIGINAL] + 2 * 6), True, False)
    steps = walk(corridor(2), [LEFT] * STEPS)
    assert [reward for _, reward, *_ in steps] == [0.0] * (STEPS - 1) + [2 * 2.0]
    assert (steps[-1][2], steps[-1][3], steps[-1][4][AT_LIMIT]) == (True, False, True)
    assert {reward for _, reward, *_ in walk(corridor(0), [LEFT] * STEPS)} == {0.0}  # control


def test_a_considerate_agent_is_trained_and_evaluated():
    training = Training("PPO", 64, settings={"n_steps": 32, "batch_size": 32, "n_epochs": 1})
    played = evaluate(train(lambda: corridor(1), training), corridor(1), episodes=2)
    assert all(returned >= own + 2 for returned, own in zip(played.returns, played.own_returns, strict=True))
