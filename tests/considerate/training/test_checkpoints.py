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
    UntrustedError,
    load_weights,
    read_checkpoint,
    save_weights,
    write_checkpoint,
)
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


def test_a_checkpoint_comes_back_and_is_replaced_whole(tmp_path):
    assert read_checkpoint(tmp_path / "run", 1) is None
    write_checkpoint(tmp_path / "run", 1, PARTS)
    assert read_checkpoint(tmp_path / "run", 1) == PARTS
    write_checkpoint(tmp_path / "run", 1, {"first": b"new"})
    assert read_checkpoint(tmp_path / "run", 1) == {"first": b"new"}
    assert [path.name for path in (tmp_path / "run").iterdir()] == [CHECKPOINT]


@pytest.mark.parametrize("name", ["policy_class", "replay_buffer", "_n_updates", "something_new"])
def test_no_object_in_the_archive_of_a_model_is_unpickled(tmp_path, name):
    """The names that Stable-Baselines3 itself would unpickle, a number, and one that no model has."""
    trap, path = tmp_path / "trap", tmp_path / CHECKPOINT
    train(Slippery, TRAINING, tmp_path)
    with ZipFile(path) as archive:
        model = archive.read("model.zip")
    with ZipFile(io.BytesIO(model)) as archive:
        data = json.loads(archive.read("data"))
    bomb = base64.b64encode(pickle.dumps(Bomb(trap))).decode()
    data[name] = {":type:": "object", ":serialized:": bomb}
    path.write_bytes(rewritten(path.read_bytes(), **{"model.zip": rewritten(model, data=json.dumps(data))}))
    try:
        train(Slippery, TRAINING, tmp_path)
    except UntrustedError:
        assert name != "policy_class"
    assert not trap.exists()
    from stable_baselines3 import A2C

    if name == "something_new":  # control: the library's own way to load it executes what it holds
        A2C.load(io.BytesIO(rewritten(model, data=json.dumps(data))))
        assert trap.exists()


@pytest.mark.parametrize("name", ["replay.npz", "environments.npz"])
def test_no_array_is_unpickled(tmp_path, name):
    trap, path = tmp_path / "trap", tmp_path / CHECKPOINT
    training = Training("A2C", steps=64, settings=SMALL["A2C"], checkpoint_every=16)
    from tests.considerate.training.test_training import Stop

    train(Slippery, training, tmp_path, callbacks=[Stop(40)])
    arrays = io.BytesIO()
    np.savez(arrays, actions=np.array([Bomb(trap)]), rewards=np.array([Bomb(trap)]))
    path.write_bytes(rewritten(path.read_bytes(), **{name: arrays.getvalue()}))
    with pytest.raises(CheckpointError, match="is damaged"):
        train(Slippery, training, tmp_path)
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
    write_checkpoint(tmp_path, 1, PARTS)
    whole, chance = (tmp_path / CHECKPOINT).read_bytes(), random.Random(1)
    refused = 0
    for _ in range(600):
        (tmp_path / CHECKPOINT).write_bytes(damage(whole, chance))
        try:
            assert read_checkpoint(tmp_path, 1) == PARTS  # a bit of a date, say
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
