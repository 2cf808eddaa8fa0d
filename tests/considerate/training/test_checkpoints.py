"""Checkpoints and weights execute nothing when they are read, and damage ends in an error of our own."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete
from stable_baselines3.common.buffers import ReplayBuffer

from considerate.training import Training, new_model, train
from considerate.training.checkpoints import ASKED, CHECKPOINT, CheckpointError, load_weights, save_weights
from considerate.training.models import append_episodes, exact_bytes
from tests.considerate.training.test_training import SMALL, Slippery, parameters, same, stop
from tests.multislot.cells.schedules import pauses
from tests.multislot.files.test_writing import endings

TRAINING = Training("A2C", steps=16, settings=SMALL["A2C"])
LONGER = Training("A2C", steps=32, settings=SMALL["A2C"])


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, place):
        self.place = str(place)

    def __reduce__(self):
        return Path.touch, (Path(self.place),)


def plant(path, **changes):
    """Replace arrays in a file."""
    with np.load(path) as file:
        np.savez(path.with_name("planted.npz"), **{**file, **changes})
    path.with_name("planted.npz").replace(path)


@pytest.mark.parametrize("name", ["counter _n_updates", "policy action_net.weight", "new"])
def test_no_object_in_a_checkpoint_is_unpickled(tmp_path, name):
    trap, path = tmp_path / "trap", tmp_path / CHECKPOINT
    train(Slippery, TRAINING, tmp_path)
    plant(path, **{name: np.array([Bomb(trap)])})
    with pytest.raises(CheckpointError, match="holds no plain numbers or texts"):
        train(Slippery, LONGER, tmp_path)
    assert not trap.exists()
    with np.load(path, allow_pickle=True) as file:  # control
        assert file[name] is not None
    assert trap.exists()


STEPS = "counter num_timesteps"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((STEPS, np.array(-1)), (STEPS, np.array(2**60)), (STEPS, np.array(8.5)), (STEPS, np.array([1, 2]))),
        *(("counter _n_updates", np.array(True)), ("policy action_net.weight", np.zeros((3, 3), np.float32))),
        *(("policy.optimizer 0 step", np.array(-3)), ("policy.optimizer 0 square_avg", np.zeros(5))),
        *(("policy.optimizer 999 step", np.array(3)), ("policy.optimizer x", np.array(3))),
        *(("policy action_net.weight", np.full((2, 8), np.nan, np.float32)), ("steps asked for", np.zeros(2))),
    ],
)
def test_a_checkpoint_cannot_change_the_training(tmp_path, name, value):
    train(Slippery, TRAINING, tmp_path)
    plant(tmp_path / CHECKPOINT, **{name: value})
    with pytest.raises(CheckpointError):
        train(Slippery, LONGER, tmp_path)


MOMENTS = "policy.optimizer 0 exp_avg"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (MOMENTS, lambda array: None),
        (MOMENTS, lambda array: np.float32(0.5)),
        (MOMENTS, lambda array: array.astype(np.complex64)),
        (MOMENTS, lambda array: array.astype(np.int64)),
        (f"{MOMENTS}_sq", lambda array: array - 1),
        ("policy.optimizer 0 step", lambda array: array - 99),
        ("policy.optimizer -1 exp_avg", lambda array: np.zeros(3)),
    ],
)
def test_an_optimizer_gets_only_what_it_can_have_made(tmp_path, name, change):
    train(Slippery, Training("PPO", steps=16, settings=SMALL["PPO"]), tmp_path)
    with np.load(tmp_path / CHECKPOINT) as file:
        arrays = dict(file)
    changed = change(arrays.pop(name, None))
    np.savez(tmp_path / CHECKPOINT, **arrays if changed is None else arrays | {name: changed})
    with pytest.raises(CheckpointError):
        train(Slippery, Training("PPO", steps=32, settings=SMALL["PPO"]), tmp_path)


def test_a_weight_that_had_no_gradient_has_no_part_in_an_optimizer(tmp_path):
    train(Slippery, TRAINING, tmp_path)
    with np.load(tmp_path / CHECKPOINT) as file:
        arrays = {name: file[name] for name in file if not name.startswith("policy.optimizer 0 ")}
    np.savez(tmp_path / CHECKPOINT, **arrays)
    assert train(Slippery, LONGER, tmp_path).num_timesteps == 32


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        *(
            ("ASGD", {}),
            ("Adadelta", {}),
            ("Adafactor", {}),
            ("Adagrad", {}),
            ("Adam", {}),
            ("AdamW", {"amsgrad": True}),
        ),
        *(("Adamax", {}), ("NAdam", {}), ("RAdam", {}), ("RMSprop", {"centered": True, "momentum": 0.5})),
        *(("Rprop", {}), ("SGD", {"momentum": 0.5})),
    ],
)
def test_each_optimizer_of_pytorch_is_restored(tmp_path, kind, more):
    optimizer = {"optimizer_class": getattr(torch.optim, kind), "optimizer_kwargs": more}
    settings = SMALL["A2C"] | {"policy_kwargs": {"net_arch": [8]} | optimizer}
    model = train(Slippery, Training("A2C", steps=16, settings=settings), tmp_path)
    again = train(Slippery, Training("A2C", steps=16, settings=settings), tmp_path)
    assert same(model, again)
    states = [one.policy.optimizer.state_dict()["state"] for one in (model, again)]
    assert states[0]
    torch.testing.assert_close(*states, rtol=0, atol=0)


def test_a_checkpoint_that_is_left_alone_is_continued(tmp_path):
    """Control for the tests above; settings in it are not read."""
    train(Slippery, TRAINING, tmp_path)
    plant(tmp_path / CHECKPOINT, gamma=np.array(7.0), n_epochs=np.array(10**9))
    model = train(Slippery, LONGER, tmp_path)
    assert (model.num_timesteps, model.gamma) == (32, 0.99)


@pytest.mark.parametrize(
    ("training", "most"),
    [
        (Training("A2C", 60, settings=SMALL["A2C"], environments=2), 60 + 2 * 8),
        (Training("DQN", 60, settings=SMALL["DQN"], environments=2), 60 + 2 * 4),
        (Training("DQN", 60, settings=SMALL["DQN"] | {"train_freq": (1, "episode")}), 60 + 2**20),
    ],
)
def test_a_forged_number_of_steps_does_not_end_a_training(tmp_path, training, most):
    train(Slippery, training, tmp_path)
    plant(tmp_path / CHECKPOINT, **{STEPS: np.array(most)})  # control: it may have ended with a rollout
    assert train(Slippery, training, tmp_path).num_timesteps == most
    for steps, asked in ((most + 1, 60), (10**9, 60), (2 * 10**6, 1)):
        plant(tmp_path / CHECKPOINT, **{STEPS: np.array(steps), ASKED: np.array(asked)})
        with pytest.raises(CheckpointError, match=r"is damaged .*num_timesteps"):
            train(Slippery, replace(training, steps=10_000), tmp_path)


@pytest.mark.parametrize("exact", [False, True])
def test_sizes_are_checked_before_anything_is_unpacked(tmp_path, exact):
    train(Slippery, TRAINING, tmp_path, exact=exact)
    path = tmp_path / CHECKPOINT
    with np.load(path) as file:
        np.savez_compressed(path, **file, new=np.zeros(2**24))
    assert path.stat().st_size < 2**20
    with pytest.raises(CheckpointError, match="is damaged"):
        train(Slippery, LONGER, tmp_path, exact=exact)


def test_an_exact_checkpoint_has_room_for_the_replay_buffer_and_a_million_actions_more():
    replay = ReplayBuffer(10, Box(0, 1, (2,)), Discrete(3))
    row = 2 * 2 * 4 + 8 + 3 * 4  # two observations of two floats, an action, a reward and two ends of 4 bytes
    model = SimpleNamespace(replay_buffer=replay, action_space=Discrete(3))
    assert exact_bytes(model, 5) == 10 * row + 8 * (5 + 2**20)
    assert exact_bytes(SimpleNamespace(action_space=Box(-1, 1, (3, 2))), 7) == 6 * 8 * (7 + 2**20)


@pytest.mark.parametrize("name", ["actions 0", "state"])
def test_damage_of_an_exact_checkpoint_ends_in_our_own_error(tmp_path, name):
    training = Training("A2C", steps=64, settings=SMALL["A2C"], checkpoint_every=16)
    train(Slippery, training, tmp_path, callbacks=[stop(40)], exact=True)
    plant(tmp_path / CHECKPOINT, **{name: np.array(["?"])})
    with pytest.raises(CheckpointError, match="is damaged"):
        train(Slippery, training, tmp_path, exact=True)


def test_published_weights_come_back_and_execute_nothing(tmp_path):
    trained = train(Slippery, TRAINING)
    save_weights(trained, tmp_path / "weights.npz")
    fresh = new_model(Slippery, TRAINING)
    assert not same(trained, fresh)
    assert same(trained, load_weights(fresh, tmp_path / "weights.npz"))
    with pytest.raises(CheckpointError, match="for the same algorithm"):
        load_weights(new_model(Slippery, Training("DQN", settings=SMALL["DQN"])), tmp_path / "weights.npz")
    plant(tmp_path / "weights.npz", **{"action_net.bias": np.full(2, np.inf, np.float32)})
    with pytest.raises(CheckpointError, match=r"got action_net\.bias with numbers that are not finite"):
        load_weights(fresh, tmp_path / "weights.npz")
    trap = tmp_path / "trap"
    np.savez(tmp_path / "evil.npz", **{name: np.array([Bomb(trap)]) for name in parameters(trained)})
    with pytest.raises(CheckpointError):
        load_weights(fresh, tmp_path / "evil.npz")
    assert not trap.exists()


def check_curves(folder):
    """Every order of the steps of two trainings gives one header and all rows."""
    with pauses():
        ends = endings(folder, lambda curve, number: append_episodes(curve, [(number, 1.0, 1.0)]))
    for errors, content in ends:
        header, *rows = content.decode().splitlines()
        assert (errors, header, sorted(rows)) == ([], "steps,return,own return", ["0,1.0,1.0", "1,1.0,1.0"])


def test_of_two_trainings_in_a_folder_one_writes_the_header_of_the_curve(tmp_path):
    check_curves(tmp_path)


def test_a_header_that_replaces_the_curve_of_another_training_is_noticed(tmp_path):
    """The control."""
    replacing = mock.patch.object(Path, "hardlink_to", lambda place, draft: Path.replace(draft, place))
    with replacing, pytest.raises(AssertionError):
        check_curves(tmp_path)
