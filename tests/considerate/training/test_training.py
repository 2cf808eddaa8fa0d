"""Training with Stable-Baselines3: what is learned, what is stored, and that resuming changes nothing."""

import builtins
import json
import random
import sys
import tempfile
import warnings
from dataclasses import replace
from unittest import mock

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from pettingzoo.classic.rps import rps

import considerate
from considerate.training import OWN_RETURN, CheckpointError, Training, evaluate, greedy, train
from considerate.training.views import SoloEnv
from considerate.wrappers import ORIGINAL, Caring
from multislot.errors import MissingExtraError, SettingError, UnknownNameError

stable_baselines3 = pytest.importorskip("stable_baselines3")
models = pytest.importorskip("considerate.training.models")
torch = pytest.importorskip("torch")

ROCK, PAPER, SCISSORS = range(3)
SMALL = {
    "A2C": {"n_steps": 8, "policy_kwargs": {"net_arch": [8]}},
    "PPO": {"n_steps": 16, "batch_size": 16, "n_epochs": 2, "policy_kwargs": {"net_arch": [8]}},
    "DQN": {
        "learning_starts": 20,
        "buffer_size": 200,
        "target_update_interval": 30,
        "policy_kwargs": {"net_arch": [8]},
    },
}


class Slippery(gymnasium.Env):
    """A corridor of ten cells whose steps fail at random; its generator, cell and clock have to survive."""

    observation_space = Box(0, 1, (1,), np.float32)
    action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell, self.time = 5, 0
        return np.array([0.5], np.float32), {}

    def step(self, action):
        self.time += 1
        if self.np_random.random() < 0.8:
            self.cell = min(max(self.cell + 2 * int(action) - 1, 0), 9)
        seen = np.array([self.cell / 10], np.float32)
        return seen, -1.0, self.cell == 9, self.time == 30, {ORIGINAL: -2.0}


def at_each_step(do):
    """A callback that gives a function the model; training is interrupted where it returns False."""
    return stable_baselines3.common.callbacks.ConvertCallback(lambda found, _: do(found["self"]) is not False)


def stop(after):
    """Interrupts training, in the middle of a rollout."""
    return at_each_step(lambda model: model.num_timesteps < after)


def parameters(model):
    return {name: value.numpy() for name, value in model.policy.state_dict().items()}


def same(one, two):
    one, two = parameters(one), parameters(two)
    return one.keys() == two.keys() and all(np.array_equal(one[name], two[name]) for name in one)


def friends_game(caring):
    """Rock, paper, scissors against somebody who always plays rock."""
    game = rps.env(max_cycles=5)
    return SoloEnv(Caring(game, "player_0", "sim", caring), "player_0", {"player_1": lambda seen: ROCK})


KEPT = {"A2C": [48, 96, 144, 192], "PPO": [64, 128, 192], "DQN": [40, 80, 120, 160, 192]}
"""When checkpoints are taken: between rollouts, of 16, 32 and 8 steps, as soon as 40 steps have passed."""


@pytest.mark.parametrize("algorithm", KEPT)
def test_resumed_training_gives_the_same_numbers(tmp_path, algorithm):
    training = Training(algorithm, steps=192, seed=3, settings=SMALL[algorithm], environments=2, checkpoint_every=40)
    with mock.patch.object(models, "write_arrays", wraps=models.write_arrays) as written:
        whole = train(Slippery, training, tmp_path / "whole", exact=True)
    assert [call.args[1]["counter num_timesteps"] for call in written.call_args_list] == KEPT[algorithm]
    stopped = train(Slippery, training, tmp_path / "parts", callbacks=[stop(101)], exact=True)
    assert stopped.num_timesteps < whole.num_timesteps == 192
    resumed = train(Slippery, training, tmp_path / "parts", exact=True)
    assert resumed.num_timesteps == 192
    assert same(whole, resumed)
    assert not same(whole, stopped)
    assert same(whole, train(Slippery, training))


@pytest.mark.parametrize("algorithm", ["SAC", "TD3"])
def test_resumed_training_with_continuous_actions_gives_the_same_numbers(tmp_path, algorithm):
    settings = {"learning_starts": 30, "buffer_size": 80, "policy_kwargs": {"net_arch": [8]}}
    training = Training(algorithm, steps=100, settings=settings, checkpoint_every=40)

    def pendulum():
        return gymnasium.make("Pendulum-v1")

    train(pendulum, training, tmp_path, callbacks=[stop(95)], exact=True)
    assert same(train(pendulum, training, tmp_path, exact=True), train(pendulum, training))


def test_a_finished_training_is_read_not_repeated(tmp_path):
    training = Training("A2C", steps=64, settings=SMALL["A2C"])
    first = train(Slippery, training, tmp_path)

    class Frozen(Slippery):
        """Has spaces, and nothing else is asked of it."""

        def reset(self, *, seed=None, options=None):
            raise AssertionError

    assert same(first, train(Frozen, training, tmp_path))


def test_an_environment_that_does_not_repeat_itself_is_named(tmp_path):
    """Control: an environment whose rewards depend on something besides its seed and its actions."""
    training = Training("A2C", steps=64, settings=SMALL["A2C"], checkpoint_every=16)
    rewards = iter(range(1000))

    class Unrepeatable(Slippery):
        def step(self, action):
            seen, _, *rest = super().step(action)
            return seen, float(next(rewards)), *rest

    train(Unrepeatable, training, tmp_path, callbacks=[stop(40)], exact=True)
    with pytest.warns(UserWarning, match="pays other rewards when its actions are repeated"):
        assert train(Unrepeatable, training, tmp_path, exact=True).num_timesteps == 64


def test_another_training_in_the_same_place_is_refused(tmp_path):
    train(Slippery, Training("A2C", steps=16, settings=SMALL["A2C"]), tmp_path)
    with pytest.raises(SettingError, match="holds another training"):
        train(Slippery, Training("A2C", steps=32, settings={**SMALL["A2C"], "gamma": 0.9}), tmp_path)
    with pytest.raises(SettingError, match="holds another training"):
        train(Slippery, Training("A2C", steps=32, seed=1, settings=SMALL["A2C"]), tmp_path)


@pytest.mark.parametrize("algorithm", ["A2C", "DQN", "SAC"])
def test_more_steps_extend_a_training(tmp_path, algorithm):
    settings = SMALL.get(algorithm, {"learning_starts": 10, "buffer_size": 50, "policy_kwargs": {"net_arch": [8]}})
    make = Slippery if algorithm != "SAC" else lambda: gymnasium.make("Pendulum-v1", max_episode_steps=20)
    steps = []

    def run(count, every, **arguments):
        training = Training(algorithm, steps=count, settings=settings, checkpoint_every=every)
        return train(make, training, tmp_path, **arguments)

    short = run(64, 1000)
    counting = at_each_step(lambda model: steps.append(model.num_timesteps))
    long = run(128, 16, callbacks=[counting])  # how often it is kept belongs to nobody's identity
    assert steps == list(range(65, 129))
    assert not same(short, long)
    assert same(long, run(128, 5))
    rows = (tmp_path / "curve.csv").read_text().splitlines()
    assert rows[0] == "steps,return,own return"
    assert any(int(row.split(",")[0]) > 64 for row in rows[1:])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("checkpoint.npz", "curve.csv", "evaluation.json", "training.json", "weights.npz")
    ]
    with pytest.raises(SettingError, match="holds a training of 128 steps, more than 64; give more steps"):
        run(64, 16)


def draws():
    return random.random(), np.random.random(), torch.rand(1).item()  # noqa: NPY002  # the global ones


def test_a_finished_training_keeps_an_evaluation_which_changes_nothing_else(tmp_path):
    """Control: without an evaluation the weights and the numbers drawn later are the same."""
    training = Training("A2C", steps=64, seed=2, settings=SMALL["A2C"])
    kept, none = tmp_path / "kept" / "evaluation.json", tmp_path / "none" / "evaluation.json"
    train(Slippery, training, none.parent, callbacks=[stop(40)], exact=True)
    assert not none.exists()  # it is not finished
    found, drawn = train(Slippery, training, kept.parent), draws()
    played = json.loads(kept.read_text())
    assert played["returns"] == list(evaluate(found, Slippery(), 20, seed=2).returns)
    assert (played["steps"], played["evaluation_episodes"]) == (64, None)
    control = train(Slippery, replace(training, evaluation_episodes=0), none.parent, exact=True)
    assert drawn == draws()
    assert same(found, control)
    assert not none.exists()
    kept.write_text(json.dumps({**played, "returns": []}))
    train(Slippery, training, kept.parent)
    assert not json.loads(kept.read_text())["returns"]  # a finished training is not evaluated again
    train(Slippery, replace(training, evaluation_episodes=3), kept.parent)
    assert json.loads(kept.read_text())["returns"] == played["returns"][:3]
    with pytest.raises(SettingError, match="got evaluation_episodes=-1"):
        replace(training, evaluation_episodes=-1)


def test_the_evaluation_of_a_shared_environment_leaves_no_learner_in_an_episode_that_is_over(tmp_path):
    class Strict(Slippery):
        def step(self, action):
            assert self.time < 30
            assert self.cell < 9
            return super().step(action)

    only = Strict()
    model = train(lambda: only, Training("A2C", steps=64, settings=SMALL["A2C"]), tmp_path)
    assert (tmp_path / "evaluation.json").exists()
    assert model.learn(64, reset_num_timesteps=False).num_timesteps == 128


def test_a_training_leaves_nothing_among_the_temporary_files(tmp_path, monkeypatch):
    train(Slippery, Training("A2C", steps=16, settings=SMALL["A2C"]))  # PyTorch makes a folder once
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    train(Slippery, Training("A2C", steps=16, settings=SMALL["A2C"]))
    assert list(tmp_path.iterdir()) == []
    train(Slippery, Training("A2C", steps=16, settings={**SMALL["A2C"], "verbose": 1}))
    assert list(tmp_path.iterdir()) != []  # whoever wants Stable-Baselines3 to talk gets its own logger


def test_tensorboard_shows_own_beside_augmented_returns(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    class Even(Slippery):
        def step(self, action):
            seen, reward, _, _, info = super().step(action)
            return seen, reward, self.time == SMALL["PPO"]["n_steps"], False, info

    training = Training("PPO", steps=96, settings={**SMALL["PPO"], "stats_window_size": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # TensorBoard's own
        train(Even, training, tmp_path, tensorboard=True)
        (run,) = (tmp_path / "tensorboard").iterdir()
        events = EventAccumulator(str(run))
        events.Reload()
    own = [event.value for event in events.Scalars(OWN_RETURN)]
    augmented = [event.value for event in events.Scalars("rollout/ep_rew_mean")]
    assert own
    assert own == [2 * value for value in augmented]


def test_caring_changes_what_is_learned():
    # Alone, paper wins 1 a round; α = 3 makes the other's win worth more than one's own.
    for caring, best, paid in ((0, PAPER, 1), (3, SCISSORS, -1 + 3)):
        training = Training("DQN", steps=500, settings={**SMALL["DQN"], "learning_rate": 0.01, "gamma": 0.5})
        policy = greedy(train(lambda caring=caring: friends_game(caring), training))
        played = evaluate(policy, friends_game(caring), 1)
        assert played.actions == ((best,) * 5,)
        assert played.own_returns == (5 if best == PAPER else -5,)
        assert played.returns == (5 * paid,)
        assert evaluate(lambda seen: ROCK, friends_game(caring), 1).returns != (5 * paid,)


def test_evaluation_is_seeded_and_bounded():
    played = evaluate(lambda seen: 0, Slippery(), episodes=3, seed=1, steps=7)
    assert played.returns == (-7,) * 3
    assert played.own_returns == (-14,) * 3
    assert evaluate(lambda seen: 1, Slippery(), 3, seed=1) == evaluate(lambda seen: 1, Slippery(), 3, seed=1)
    assert evaluate(lambda seen: 1, Slippery(), 20, seed=1) != evaluate(lambda seen: 1, Slippery(), 20, seed=2)
    with pytest.raises(SettingError, match="got episodes=0; expected a whole number, at least 1"):
        evaluate(lambda seen: 0, Slippery(), episodes=0)


def test_errors_at_the_door(tmp_path):
    with pytest.raises(SettingError, match="got directory=None"):
        train(Slippery, Training(), tensorboard=True)


def test_a_directory_of_another_environment_is_not_called_damaged(tmp_path):
    settings = {"n_steps": 8, "batch_size": 8, "n_epochs": 1}
    train(lambda: gymnasium.make("CartPole-v1"), Training(steps=8, settings=settings), tmp_path)
    with pytest.raises(CheckpointError, match=r"shape \(64, 4\) .*; expected \(64, 6\) .*; give another directory"):
        train(lambda: gymnasium.make("Acrobot-v1"), Training(steps=16, settings=settings), tmp_path)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"steps": "many"}, SettingError, "got steps='many'; expected a whole number, at least 1"),
        ({"algorithm": "PPQ"}, UnknownNameError, "unknown algorithm 'PPQ'; did you mean 'PPO'"),
        ({"seed": -1}, SettingError, r"got seed=-1; expected a whole number, at least 0 and at most 2\*\*32 - 1"),
        ({"policy": "MlpPolcy"}, SettingError, "PPO with policy MlpPolcy .* cannot be made for .*: Policy MlpPolcy"),
        ({"settings": {"n_step": 3}}, SettingError, "settings .*'n_step': 3.* unexpected keyword argument 'n_step'"),
        ({"settings": {"seed": 3}}, SettingError, "multiple values for keyword argument 'seed'"),
        ({"settings": {"learning_rate": "x"}}, SettingError, "learning rate schedule must be a float or a callable"),
        ({"settings": {"policy_kwargs": 3}}, SettingError, "PPO .* settings .*'policy_kwargs': 3.* cannot be made for"),
        ({"algorithm": "SAC"}, SettingError, r"SAC .* cannot be made for .* and actions Discrete\(.\); choose others"),
    ],
)
def test_a_training_that_cannot_be_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        train(Slippery, Training(**{"steps": 16, **arguments}))


def test_only_gymnasium_environments_are_trained_in_and_played(tmp_path):
    training = Training("A2C", steps=16, settings=SMALL["A2C"])
    with pytest.raises(SettingError, match=r"SoloEnv makes one of a PettingZoo"):
        train(lambda: rps.parallel_env(), training)
    with pytest.raises(
        SettingError, match=r"got make=<tests\.considerate\.training\.test_training\.Slippery object at"
    ):
        train(Slippery(), training)
    with pytest.raises(SettingError, match="expected an instance of Env"):
        evaluate(lambda seen: 0, rps.parallel_env())
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="this is a file"):
        train(Slippery, training, tmp_path / "file")


def test_a_missing_extra_is_named(monkeypatch):
    def without(name, *arguments, real=builtins.__import__):
        if name == "stable_baselines3":
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.delitem(sys.modules, "considerate.training.models", raising=False)
    monkeypatch.delattr(considerate.training, "models", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match='needs the extra "deep"'):
        train(Slippery, Training())
