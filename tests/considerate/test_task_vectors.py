"""Tasks stepped together: the rows are copies of `TaskEnv` that run alone, in every mode; libraries take them."""

import pickle
from copy import deepcopy
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

from considerate.craftworld import TASKS, task
from considerate.criteria import CRITERIA
from considerate.wrappers import ORIGINAL
from considerate.zoo.tasks import OBSERVATIONS, TaskEnv
from considerate.zoo.vectors import TaskVector
from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.zoo.vectors import adapt_to_sb3

ROWS = 3


def side_by_side(name, mode, turns, **settings):
    """Play the same random actions in both forms; return how many steps ended by an end, and how many by a limit."""
    ends = np.zeros(2, int)
    one = task(name)
    ours = TaskVector(one, ROWS, mode, **settings)
    theirs = SyncVectorEnv([lambda: TaskEnv(one, **settings)] * ROWS, autoreset_mode=mode)
    rng, n_actions = np.random.default_rng(0), len(one.graph.actions)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert data_equivalence(ours.reset(seed=1), theirs.reset(seed=1))
    for _ in range(turns):
        actions = rng.integers(n_actions, size=ROWS)
        answer, expected = ours.step(actions), theirs.step(actions)
        assert data_equivalence(answer, expected), (name, mode, settings, answer, expected)
        ends += answer[2].sum(), answer[3].sum()
        over = answer[2] | answer[3]
        if mode is AutoresetMode.DISABLED and over.any():
            again = [vector.reset(options={"reset_mask": over.copy()}) for vector in (ours, theirs)]
            assert data_equivalence(*again)
    return ends


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("observations", OBSERVATIONS)
def test_rows_are_tasks_that_run_alone(mode, observations):
    ends = side_by_side("kitchen-cookie", mode, 60, steps=9, observations=observations)
    ends += side_by_side("garden", mode, 60, steps=7, observations=observations, bootstrap_at_limit=True)
    assert (ends > 0).all()


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_task_and_criterion_pays_the_same(name, criterion):
    if name == "shared-key" and "options" in criterion:
        pytest.skip("nobody comes afterwards")
    for steps, caring in ((5, 2), (40, 0.5)):  # limits are paid as ends are
        side_by_side(name, AutoresetMode.SAME_STEP, 50, steps=steps, criterion=criterion, caring=caring)


def test_a_row_that_is_over_is_not_stepped_before_it_starts_again():
    vector = TaskVector(task("kitchen-cookie"), 2, "Disabled", steps=2)
    with pytest.raises(SettingError, match="has not started"):
        vector.step(np.zeros(2, int))
    with pytest.raises(SettingError, match="has not started"):
        vector.reset(options={"reset_mask": np.array([True, False])})
    vector.reset()
    vector.step(np.zeros(2, int))
    vector.step(np.zeros(2, int))
    vector.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(SettingError, match="the episode of row 1 is over"):
        vector.step(np.zeros(2, int))


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"num_envs": 0}, SettingError),
        ({"num_envs": "2"}, SettingError),
        ({"autoreset_mode": "sometimes"}, SettingError),
        ({"observations": "words"}, UnknownNameError),
        ({"render_mode": "film"}, UnknownNameError),
        ({"criterion": "kind"}, UnknownNameError),
    ],
)
def test_wrong_settings_are_refused(settings, error):
    with pytest.raises(error):
        TaskVector(task("kitchen-cookie"), **settings)


@pytest.mark.parametrize("actions", [[0], [0, 5], [-1, 0], [0.0, 1.0], [True, False], [[0, 1]], "01", None])
def test_wrong_actions_are_refused(actions):
    vector = TaskVector(task("kitchen-cookie"), 2)
    vector.reset(seed=[1, 2])
    with pytest.raises(MultislotError):
        vector.step(np.array(actions))


@pytest.mark.parametrize(("rows", "error"), [([0, 1], TypeError), ([True], ValueError), ([False, False], ValueError)])
def test_wrong_rows_are_refused(rows, error):
    vector = TaskVector(task("kitchen-cookie"), 2)
    vector.reset()
    with pytest.raises(error, match="reset_mask"):
        vector.reset(options={"reset_mask": np.array(rows)})
    with pytest.raises(SettingError, match="one for each of 2 rows"):
        vector.reset(seed=[1, 2, 3])


def play(vector, steps=30):
    rng = np.random.default_rng(3)
    return [vector.step(rng.integers(5, size=vector.num_envs)) for _ in range(steps)]


@pytest.mark.parametrize("twin", [deepcopy, lambda vector: pickle.loads(pickle.dumps(vector))])
def test_a_copy_goes_on_from_where_it_was_made(twin):
    vector = TaskVector(task("kitchen-cookie"), 4, steps=20, observations="grid")
    vector.reset(seed=0)
    play(vector, 7)
    copied = twin(vector)
    assert data_equivalence(play(vector), play(copied))


def test_observations_in_one_array_are_those_of_new_arrays():
    fresh, same = (TaskVector(task("garden"), 4, copy=copy, steps=20, observations="one-hot") for copy in (True, False))
    first, _ = same.reset()
    kept, _ = fresh.reset()
    rng = np.random.default_rng(0)
    for _ in range(50):
        actions = rng.integers(5, size=4)
        assert data_equivalence(same.step(actions), fresh.step(actions))
    assert np.shares_memory(first, same.step(actions)[0])
    assert data_equivalence(kept, TaskVector(task("garden"), 4, observations="one-hot").reset()[0])


def test_gymnasiums_wrappers_apply():
    vector = TaskVector(task("kitchen-cookie"), 2, steps=5, observations="one-hot", render_mode="rgb_array")
    wrapped = wrappers.RecordEpisodeStatistics(wrappers.NormalizeReward(wrappers.FlattenObservation(vector)))
    wrapped.reset(seed=0)
    infos = [infos for *_, infos in play(wrapped) if "episode" in infos]
    assert infos[0]["episode"]["l"].tolist() == [5, 5]
    assert [frame.ndim for frame in wrapped.render()] == [3, 3]
    wrapped.close()
    assert vector.closed


def test_a_task_is_drawn_as_text():
    env = TaskEnv(task("kitchen-cookie"), render_mode="ansi")
    env.reset()
    assert "@" in env.render()
    with pytest.raises(SettingError, match="render_mode"):
        TaskEnv(task("kitchen-cookie")).render()


def test_stable_baselines_sees_ends_and_limits():
    pytest.importorskip("stable_baselines3")
    one = task("kitchen-cookie")
    with pytest.raises(SettingError, match="SAME_STEP"):
        adapt_to_sb3(TaskVector(one, 2))
    limits = {"steps": 60, "bootstrap_at_limit": True}
    vector, alone = adapt_to_sb3(TaskVector(one, 1, "SameStep", **limits)), TaskEnv(one, **limits)
    seen = vector.reset()
    expected, _ = alone.reset()
    rng, ends = np.random.default_rng(0), set()
    for _ in range(600):
        assert np.array_equal(seen[0], expected)
        action = rng.integers(5)
        seen, rewards, dones, infos = vector.step(np.array([action]))
        expected, reward, terminated, truncated, info = alone.step(action)
        assert (rewards[0], dones[0]) == (np.float32(reward), terminated or truncated)
        assert infos[0][ORIGINAL] == info[ORIGINAL]
        if dones[0]:
            ends.add(terminated)
            assert infos[0]["TimeLimit.truncated"] == (truncated and not terminated)
            assert np.array_equal(infos[0]["terminal_observation"], expected)
            expected, _ = alone.reset()
    assert ends == {True, False}


@pytest.mark.parametrize("inside", [True, False])
def test_stable_baselines_is_told_statistics_of_episodes(inside):
    """Those of RecordEpisodeStatistics, which are a dictionary of arrays, around each environment or around all."""
    pytest.importorskip("stable_baselines3")
    one = partial(gymnasium.make, "CartPole-v1", max_episode_steps=5)
    wrapped = (lambda: gymnasium.wrappers.RecordEpisodeStatistics(one())) if inside else one
    vector = SyncVectorEnv([wrapped] * 2, autoreset_mode=AutoresetMode.SAME_STEP)
    told = adapt_to_sb3(vector if inside else wrappers.RecordEpisodeStatistics(vector))
    told.reset()
    for _ in range(5):
        *_, infos = told.step(np.zeros(2, int))
    assert [(info["episode"]["r"], info["episode"]["l"]) for info in infos] == [(5, 5)] * 2


def test_stable_baselines_keeps_observations_that_a_vector_overwrites():
    pytest.importorskip("stable_baselines3")
    vector = adapt_to_sb3(TaskVector(task("box"), 1, "SameStep", copy=False, observations="one-hot"))
    vector.reset()
    seen = [vector.step(np.array([action]))[0] for action in (0, 1, 2, 3)]
    assert len({observations.tobytes() for observations in seen}) > 1
