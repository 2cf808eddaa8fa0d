"""Sweeps over caring coefficients: trained, kept, compared, and warned of scales that hide each other."""

import json
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

import considerate
from considerate import sweeps
from considerate.craftworld import task
from considerate.sweeps import Scales, scales, sweep
from considerate.training import Training
from considerate.training.learners import Group, Learner
from considerate.wrappers import ORIGINAL, Caring
from considerate.zoo.tasks import TaskEnv
from multislot.cells import CellError
from multislot.errors import SettingError
from tests.considerate.training.test_learners import caring_button

pytest.importorskip("stable_baselines3")

QUICK = Training("DQN", steps=300, settings={"learning_starts": 20, "buffer_size": 300, "learning_rate": 0.01})


class Gift(gymnasium.Env):
    """One step: keep 1, or give ``size`` to somebody else."""

    observation_space, action_space = Box(0, 1, (1,), np.float32), Discrete(2)

    def __init__(self, alpha, size=2):
        self.alpha, self.size = float(alpha), size

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        own, given = (1.0, 0.0) if action == 0 else (0.0, float(self.size))
        self.got = {"me": own, "you": given}
        return np.zeros(1, np.float32), own + self.alpha * given, True, False, {ORIGINAL: own}

    def finish(self, steps):
        return self.got


def huge(alpha):
    return Gift(alpha, size=1000)


def test_whoever_cares_enough_gives(tmp_path):
    found = sweep(Gift, [0, Fraction(1, 4), 1], QUICK, seeds=2, directory=tmp_path / "kept")
    (tmp_path / "kept").rename(tmp_path / "moved")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the code is the same in another folder
        assert sweep(Gift, [0, Fraction(1, 4), 1], QUICK, seeds=2, directory=tmp_path / "moved") == found
    assert {alpha: found.returns(alpha)["you"] for alpha in (0, Fraction(1, 4), 1)} == {
        0: [0, 0],
        Fraction(1, 4): [0, 0],
        1: [2, 2],
    }
    assert found.returns(1)["total"] == [2, 2]
    table = found.table()
    assert len(table) == 3 * 4
    assert set(table["agent"]) == {"me", "you", "total", "augmented"}
    assert set(table["seeds"]) == {2}
    assert repr(found) == "Sweep(caring 0, 1/4, 1; 2 seeds; see .table() and .plot())"
    (axes,) = found.plot().axes
    assert axes.get_ylabel() == "return, mean and 95% confidence interval"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["me", "you", "total"]


class Birth(Gift):
    """Somebody is born if the agent gives; an episode in which it keeps everything for ever is cut off."""

    has_end = True

    def step(self, action):
        seen, reward, _, _, info = super().step(action)
        if action == 0:
            self.got.pop("you")
        return seen, reward, action == 1, action == 0, info


def test_agents_born_late_have_their_column_and_line():
    with pytest.warns(UserWarning, match=r"not trained yet: .* \(100% at 0 of episodes cut off\)"):
        swept = sweep(Birth, [0, 1], QUICK, seeds=1)
    assert swept.returns(0) == {"me": [1], "you": [0], "total": [1], "augmented": [1]}
    assert swept.returns(1)["you"] == [2]
    assert list(swept.table()["agent"]) == ["me", "you", "total", "augmented"] * 2
    assert list(swept.table()["truncated"]) == [1.0] * 4 + [0.0] * 4
    (axes,) = swept.plot().axes
    assert axes.get_ylabel() == "return, 1 seed: no interval is known"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["me", "you", "total"]
    assert swept.untrained == (0,)
    assert "not trained yet" in repr(swept)
    assert considerate.Sweep is sweeps.Sweep


def test_a_game_of_fixed_length_is_not_called_untrained():
    """Control: where no end is a success, nothing can be said; a task of Craft-World can be finished."""
    played = sweeps.Evaluation((1.0,), (1.0,), (), {"me": (1.0,)}, (True,))
    lost = replace(played, truncated=(False,))
    assert sweeps.Sweep({0: (played,), 1: (lost,)}).untrained == ()  # 0 may be best: it lives as long as it can
    assert sweeps.Sweep({0: (played,)}, has_end=True).untrained == (0,)


def test_an_interrupted_sweep_goes_on(tmp_path):
    def stop(done, total):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(Gift, [0, 1], QUICK, seeds=1, directory=tmp_path, progress=stop)
    counts = []
    swept = sweep(Gift, [0, 1], QUICK, seeds=1, directory=tmp_path, progress=lambda *count: counts.append(count))
    assert counts == [(2, 2)]  # one cell was left to train
    assert swept.returns(1)["you"] == [2]
    assert swept.returns(1) == sweep(Gift, [1], QUICK, seeds=1).returns(1)


def test_scales_that_hide_each_other_are_warned_of():
    with pytest.warns(UserWarning, match=r"at caring coefficient 1: the caring term varies 1e\+03 times as much"):
        sweep(huge, [0, 1], QUICK, seeds=1)
    with pytest.warns(UserWarning, match="the own return varies 1e[+]03 times as much as the caring term"):
        sweep(huge, [Fraction(1, 10**6)], QUICK, seeds=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        swept = sweep(Gift, [1, 0], QUICK, seeds=1)
    assert swept.plot().axes[0].lines[0].get_xydata().tolist() == [[0, 1], [1, 0]]  # in order, whatever was given


def test_a_coefficient_times_their_ratio_makes_scales_equal():
    one = scales(huge, 1)
    measured = scales(huge, one.own / one.term)
    assert measured.own == pytest.approx(measured.term)


class Masked(Gift):
    """Only one action is allowed, another one at every reset."""

    def reset(self, *, seed=None, options=None):
        self.allowed = getattr(self, "allowed", 0) ^ 1
        return super().reset(seed=seed, options=options)

    def action_masks(self):
        return np.arange(2) == self.allowed

    def step(self, action):
        assert action == self.allowed
        return super().step(action)


def test_scales_follow_masks_and_leave_the_weight_of_the_own_reward_out_of_the_term():
    def make(alpha):
        assert isinstance(alpha, Fraction)
        caring = {"agent": 3, "others": alpha}
        return Caring(Masked(0), caring=caring, futures={"others": lambda seen: 0})

    assert scales(make, Fraction(1)) == Scales(1.5, 0)
    with pytest.warns(UserWarning, match="the caring term does not vary"):
        sweep(make, [Fraction(1)], Training("MaskablePPO", steps=8, settings={"n_steps": 8, "batch_size": 8}), seeds=1)


def test_the_exact_solution_is_drawn_beside_what_is_learned(tmp_path, monkeypatch):
    salad = task("kitchen-salad")

    def make(alpha):
        return TaskEnv(salad, "value", alpha, steps=50)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # random walks rarely end in fifty steps
        arguments = make, [0, 1], Training("PPO", steps=64, settings={"n_steps": 64}), 1
        found = sweep(*arguments, directory=tmp_path)
        monkeypatch.setattr(sweeps, "scales", None)  # no random episode is played to read finished cells
        assert sweep(*arguments, directory=tmp_path) == found
    (axes,) = found.plot(considerate.frontier(salad)).axes
    assert len(axes.patches) == 3  # both cooks and their total


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"caring": []}, "at least one coefficient, none twice"),
        ({"caring": [1, 1]}, "at least one coefficient, none twice"),
        ({"caring": ["x"]}, r"got caring\[0\]='x'"),
        ({"caring": 0.5}, r"got caring=0\.5; expected a list"),
        ({"seeds": 0}, "got seeds=0"),
        ({"seeds": [-1]}, "got seed=-1"),
        ({"make": 3}, "got make=3"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(SettingError, match=message):
        sweep(**({"make": Gift, "caring": [1], "algorithm": QUICK} | arguments))


def test_a_training_that_fails_is_named():
    with pytest.raises(CellError, match=r"1 of 1 cells failed.*cannot be made"):
        sweep(Gift, [1], Training("SAC", steps=10), seeds=1)


def test_cells_keep_their_training_and_go_on_from_it(tmp_path):
    """Weights, curve, settings and evaluation of each cell; more steps extend them; no training episode is played."""
    steps = []

    class Counting(Gift):
        def reset(self, *, seed=None, options=None):
            steps.append(seed)
            return super().reset(seed=seed, options=options)

    sweep(Counting, [1], replace(QUICK, evaluation_episodes=3), seeds=1, directory=tmp_path)
    (folder,) = (tmp_path / "cells").iterdir()
    kept = ["checkpoint.npz", "curve.csv", "evaluation.json", "training.json", "weights.npz"]
    assert sorted(path.name for path in folder.iterdir()) == kept
    assert json.loads((folder / "evaluation.json").read_text())["everyone"]["you"] == [2.0] * 3
    seeds = [seed for seed in steps if seed is not None]
    assert len(set(seeds)) == len(seeds)  # of training, evaluation and rollouts that measure scales
    steps.clear()
    sweep(Counting, [1], replace(QUICK, checkpoint_every=1), seeds=1, directory=tmp_path, episodes=3)
    finished = len(steps)
    sweep(Counting, [1], replace(QUICK, steps=QUICK.steps + 64), seeds=1, directory=tmp_path, episodes=3)
    assert finished < len(steps) - finished < QUICK.steps
    assert [path.name for path in (tmp_path / "cells").iterdir()] == [folder.name]


def test_a_sweep_of_several_learners(tmp_path):
    learner = Learner("DQN", settings=dict(QUICK.settings))
    group = Group({"one": learner, "two": learner}, steps=QUICK.steps)
    swept = sweep(partial(caring_button, steps=1), [0, 2], group, seeds=2, directory=tmp_path, episodes=2)
    assert swept.table()["truncated"].isna().all()  # nobody counts it
    assert swept.returns(0)["one"] == [-2, -2]
    assert swept.returns(2)["one"] == swept.returns(2)["two"] == [0, 0]
    assert len(list((tmp_path / "cells").iterdir())) == 4
    assert (next((tmp_path / "cells").iterdir()) / "one" / "weights.npz").exists()


def test_advice_says_how_many_times_as_much_one_part_varies():
    assert "the own return varies 250 times as much as the caring term" in Scales(own=500.0, term=2.0).advice
    assert "the caring term varies 250 times as much as the own return" in Scales(own=2.0, term=500.0).advice
    assert (Scales(own=200.0, term=2.0).advice, Scales(own=2.0, term=200.0).advice) == ("", "")
    assert "does not vary" in Scales(1.0, 0.0).advice
