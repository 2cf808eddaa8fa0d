"""Checkpoints and weights execute nothing when they are read, and damage ends in an error of our own."""

import base64
import io
import json
import pickle
import random
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from considerate.training import Training, new_model, train
from considerate.training.checkpoints import (
    CHECKPOINT,
    CheckpointError,
    load_weights,
    read_checkpoint,
    save_weights,
    write_checkpoint,
)
from multislot.errors import SettingError
from tests.considerate.training.test_training import SMALL, Slippery, parameters, same

TRAINING = Training("A2C", steps=16, settings=SMALL["A2C"])
PARTS = {"first": b"first part", "second.npz": b"second part"}


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, place):
        self.place = str(place)

    def __reduce__(self):
        return Path.touch, (Path(self.place),)


def rewritten(content, **changes):
    """A zip archive in which some files are replaced."""
    result = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as old, ZipFile(result, "w") as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, old.read(name)))
    return result.getvalue()


NAMES, MOST = tuple(PARTS), 10_000


def test_a_checkpoint_comes_back_and_is_replaced_whole(tmp_path):
    assert read_checkpoint(tmp_path / "run", NAMES, MOST) is None
    write_checkpoint(tmp_path / "run", PARTS)
    assert read_checkpoint(tmp_path / "run", NAMES, MOST) == PARTS
    write_checkpoint(tmp_path / "run", {"first": b"new"})
    assert read_checkpoint(tmp_path / "run", NAMES, MOST) == {"first": b"new"}
    assert [path.name for path in (tmp_path / "run").iterdir()] == [CHECKPOINT]
    with pytest.raises(CheckpointError, match="is damaged"):
        read_checkpoint(tmp_path / "run", NAMES, 2)
    with pytest.raises(CheckpointError, match="is damaged"):
        read_checkpoint(tmp_path / "run", ("second.npz",), MOST)


def data_of(path):
    """The plain data in the model of a checkpoint."""
    with ZipFile(path) as archive, ZipFile(io.BytesIO(archive.read("model.zip"))) as model:
        return json.loads(model.read("data"))


def plant(path, **data):
    """Replace plain data in the model of a checkpoint."""
    with ZipFile(path) as archive:
        model = archive.read("model.zip")
    changed = rewritten(model, data=json.dumps(data_of(path) | data))
    path.write_bytes(rewritten(path.read_bytes(), **{"model.zip": changed}))
    return changed


LONGER = Training("A2C", steps=32, settings=SMALL["A2C"])


@pytest.mark.parametrize("name", ["policy_class", "replay_buffer", "_n_updates", "something_new"])
def test_no_object_in_the_archive_of_a_model_is_unpickled(tmp_path, name):
    """The names that Stable-Baselines3 itself would unpickle, a number, and one that no model has."""
    trap, path = tmp_path / "trap", tmp_path / CHECKPOINT
    train(Slippery, TRAINING, tmp_path)
    bomb = base64.b64encode(pickle.dumps(Bomb(trap))).decode()
    changed = plant(path, **{name: {":type:": "object", ":serialized:": bomb}})
    if name == "policy_class":  # it is not read
        train(Slippery, LONGER, tmp_path)
    else:
        with pytest.raises(CheckpointError):
            train(Slippery, LONGER, tmp_path)
    assert not trap.exists()
    from stable_baselines3 import A2C

    if name == "something_new":  # control: the library's own way to load it executes what it holds
        A2C.load(io.BytesIO(changed))
        assert trap.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("gamma", 7.0), ("n_steps", 10**9), ("learning_rate", 1e9), ("max_grad_norm", float("nan"))),
        *(("num_timesteps", -1), ("num_timesteps", 10**30), ("num_timesteps", 8.5), ("_n_updates", True)),
        *(("train", 5), ("new", 1)),
    ],
)
def test_a_checkpoint_cannot_change_the_training(tmp_path, name, value):
    train(Slippery, TRAINING, tmp_path)
    plant(tmp_path / CHECKPOINT, **{name: value})
    with pytest.raises(CheckpointError):
        train(Slippery, LONGER, tmp_path)


def test_a_checkpoint_that_is_left_alone_is_continued(tmp_path):
    """Control for the tests above."""
    train(Slippery, TRAINING, tmp_path)
    plant(tmp_path / CHECKPOINT)
    assert train(Slippery, LONGER, tmp_path).num_timesteps == 32


def test_sizes_are_checked_before_anything_is_unpacked(tmp_path):
    train(Slippery, TRAINING, tmp_path)
    path = tmp_path / CHECKPOINT
    with ZipFile(path, "a", 8) as archive:
        archive.writestr("replay.npz", bytes(2**26))  # a few kilobytes in the file
    assert path.stat().st_size < 2**20
    with pytest.raises(CheckpointError, match="is damaged"):
        train(Slippery, LONGER, tmp_path)


@pytest.mark.parametrize("name", ["replay.npz", "actions.npz"])
def test_no_array_is_unpickled(tmp_path, name):
    trap, path = tmp_path / "trap", tmp_path / CHECKPOINT
    training = Training("A2C", steps=64, settings=SMALL["A2C"], checkpoint_every=16)
    from tests.considerate.training.test_training import Stop

    train(Slippery, training, tmp_path, callbacks=[Stop(40)], exact=True)
    arrays = io.BytesIO()
    np.savez(arrays, actions=np.array([Bomb(trap)]), rewards=np.array([Bomb(trap)]))
    path.write_bytes(rewritten(path.read_bytes(), **{name: arrays.getvalue()}))
    with pytest.raises(SettingError, match=r"plain|damaged|numbers"):
        train(Slippery, training, tmp_path, exact=True)
    assert not trap.exists()


def damage(content, chance):
    """One bit flipped, a piece cut off the end, or random bytes appended."""
    kind = chance.randrange(3)
    if kind == 0 and content:
        place = chance.randrange(len(content))
        return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]
    return (
        content[: chance.randrange(len(content))] if kind == 1 else content + chance.randbytes(chance.randrange(1, 9))
    )


def test_every_damage_ends_in_our_own_error_or_changes_nothing(tmp_path):
    write_checkpoint(tmp_path, PARTS)
    whole, chance = (tmp_path / CHECKPOINT).read_bytes(), random.Random(1)
    refused = 0
    for _ in range(600):
        (tmp_path / CHECKPOINT).write_bytes(damage(whole, chance))
        try:
            read = read_checkpoint(tmp_path, NAMES, MOST)  # a bit of a date, say, or a missing part
            assert read.items() <= PARTS.items()
        except CheckpointError:
            refused += 1
    assert refused > 200


def test_published_weights_come_back_and_execute_nothing(tmp_path):
    trained = train(Slippery, TRAINING)
    save_weights(trained, tmp_path / "weights.npz")
    fresh = new_model(Slippery, TRAINING)
    assert not same(trained, fresh)
    assert same(trained, load_weights(fresh, tmp_path / "weights.npz"))
    with pytest.raises(CheckpointError, match="for the same algorithm"):
        load_weights(new_model(Slippery, Training("DQN", settings=SMALL["DQN"])), tmp_path / "weights.npz")
    trap = tmp_path / "trap"
    np.savez(tmp_path / "evil.npz", **{name: np.array([Bomb(trap)]) for name in parameters(trained)})
    with pytest.raises(CheckpointError):
        load_weights(fresh, tmp_path / "evil.npz")
    assert not trap.exists()


def test_damaged_weights_end_in_our_own_error_or_in_weights(tmp_path):
    model, chance = new_model(Slippery, TRAINING), random.Random(1)
    save_weights(model, tmp_path / "weights.npz")
    whole = (tmp_path / "weights.npz").read_bytes()
    refused = 0
    for _ in range(200):
        (tmp_path / "weights.npz").write_bytes(damage(whole, chance))
        try:
            load_weights(model, tmp_path / "weights.npz")
        except CheckpointError:
            refused += 1
    assert refused
