"""Gymnasium views: a learner's turns in PettingZoo's environments, and Craft-World's tasks as `solve` knows them."""

import warnings

import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo import make

import considerate
from considerate.craftworld import TASKS, task
from considerate.views import SoloEnv, TaskEnv
from considerate.wrappers import ORIGINAL, Caring
from multislot.errors import SettingError, UnknownNameError
from tests.considerate.test_wrappers import ROCK, SCISSORS, Leaving


def test_a_learner_sees_its_own_turns_only():
    env = SoloEnv(
        Caring(make("aec", "classic/rps-v2", max_cycles=3), "player_1", "sim", 2),
        "player_1",
        {"player_0": lambda seen: ROCK},
    )
    _, info = env.reset(seed=0)
    steps = [env.step(SCISSORS) for _ in range(3)]
    assert [reward for _, reward, *_ in steps] == [-1 + 2] * 3
    assert [info[ORIGINAL] for *_, info in steps] == [-1] * 3
    assert [truncated for _, _, _, truncated, _ in steps] == [False, False, True]
    assert info[ORIGINAL] == 0


def test_a_learner_is_paid_for_others_who_go_on_without_it():
    for caring in (0, 1):
        env = SoloEnv(Caring(Leaving((2, 6)), "agent_0", "sim", caring), "agent_0", {"agent_1": lambda seen: 0})
        env.reset(seed=0)
        total, ended = 0, False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(1)
            total, ended = total + reward, terminated or truncated
        assert total == -2 - 60 * caring


def test_a_learners_seed_fixes_all_episodes():
    def seeds():
        given = []

        class Noting(Leaving):
            def reset(self, seed=None, options=None):
                given.append(seed)
                return super().reset(seed, options)

        env = SoloEnv(Noting((1, 1)), "agent_0", {"agent_1": lambda seen: 0})
        for seed in (5, None, None):
            env.reset(seed=seed)
        return given

    assert seeds() == seeds()
    assert len(set(seeds())) == 3


def test_a_learners_errors():
    with pytest.raises(UnknownNameError, match="unknown agent 'player_3'"):
        SoloEnv(make("aec", "classic/rps-v2"), "player_0", {"player_3": lambda seen: 0})
    with pytest.raises(SettingError, match="expected a PettingZoo"):
        SoloEnv(object(), "player_0")
    with pytest.raises(SettingError, match="turn of agent 'player_0', who has no policy"):
        SoloEnv(make("aec", "classic/rps-v2"), "player_1").reset(seed=0)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("caring", [0, 3])
def test_the_exact_behaviour_earns_the_exact_return(name, caring):
    criterion = "sim" if name == "shared-key" else "value"
    solution = considerate.solve(task(name), criterion, caring)
    env = TaskEnv(task(name), criterion, caring)
    env.reset()
    total, own, ends = 0.0, 0.0, []
    for action in solution.actions:
        _, reward, terminated, truncated, info = env.step(env.graph.actions.index(action))
        total, own, ends = total + reward, own + info[ORIGINAL], [*ends, terminated or truncated]
    assert total == pytest.approx(float(solution.objective))
    assert own == pytest.approx(float(solution.returns["agent_1"]))
    assert ends == [False] * (len(ends) - 1) + [True]


def test_gymnasium_finds_nothing_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that no registered spec comes with it
        check_env(TaskEnv(task("kitchen-salt"), "neg", 2), skip_render_check=True)


def test_an_episode_is_broken_off_at_its_limit():
    env = TaskEnv(task("garden"), "value", 1, limit=3)
    env.reset()
    assert [env.step(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
    with pytest.raises(SettingError, match="limit is 0"):
        TaskEnv(task("garden"), limit=0)
