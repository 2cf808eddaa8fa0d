"""Checkpoints are signed: what this user did not write is not read, and damage ends in an error of our own."""

import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from considerate.training.checkpoints import (
    CHECKPOINT,
    KEY_PLACE,
    MANIFEST,
    CheckpointError,
    UntrustedError,
    key_path,
    read_checkpoint,
    write_checkpoint,
)
from considerate.training.single import Training, load_weights, new_model, save_weights, train
from multislot.errors import SettingError
from tests.considerate.training.test_training import SMALL, Slippery, parameters, same

TRAINING = Training("A2C", steps=16, settings=SMALL["A2C"])
PARTS = {"one": b"first part", "two.pkl": b"second part"}


@pytest.fixture(autouse=True)
def own_key(tmp_path, monkeypatch):
    monkeypatch.delenv(KEY_PLACE, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, place):
        self.place = str(place)

    def __reduce__(self):
        return Path.touch, (Path(self.place),)


def test_a_checkpoint_comes_back_and_its_key_is_the_users_alone(tmp_path):
    assert read_checkpoint(tmp_path / "run") is None
    write_checkpoint(tmp_path / "run", PARTS)
    assert read_checkpoint(tmp_path / "run") == PARTS
    write_checkpoint(tmp_path / "run", {"one": b"new"})
    assert read_checkpoint(tmp_path / "run") == {"one": b"new"}
    assert key_path() == tmp_path / "state" / "multislot" / "checkpoint.key"
    assert key_path().stat().st_mode & 0o777 == 0o600
    assert len(list(key_path().parent.iterdir())) == 1


def test_what_another_user_wrote_is_refused_before_anything_is_read(tmp_path, monkeypatch):
    trap = tmp_path / "trap"
    monkeypatch.setenv(KEY_PLACE, str(tmp_path / "theirs"))
    write_checkpoint(tmp_path / "run", {"model.zip": b"", "rest.pkl": pickle.dumps(Bomb(trap))})
    monkeypatch.setenv(KEY_PLACE, str(tmp_path / "mine"))
    with pytest.raises(UntrustedError, match="trust=True"):
        train(Slippery, TRAINING, tmp_path / "run")
    assert not trap.exists()
    with pytest.raises(CheckpointError, match="is damaged"):
        train(Slippery, TRAINING, tmp_path / "run", trust=True)
    assert trap.exists()


def test_machines_that_share_the_key_read_each_others(tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_PLACE, str(tmp_path / "shared"))
    write_checkpoint(tmp_path / "run", PARTS)
    (tmp_path / "copy").write_bytes((tmp_path / "shared").read_bytes())
    monkeypatch.setenv(KEY_PLACE, str(tmp_path / "copy"))
    assert read_checkpoint(tmp_path / "run") == PARTS


def test_a_key_that_is_none_is_said(tmp_path, monkeypatch):
    (tmp_path / "key").write_bytes(b"short")
    monkeypatch.setenv(KEY_PLACE, str(tmp_path / "key"))
    with pytest.raises(SettingError, match="has 5 bytes; expected 32"):
        write_checkpoint(tmp_path / "run", PARTS)
    monkeypatch.setenv(KEY_PLACE, str(tmp_path))
    with pytest.raises(SettingError, match="expected a file of yours"):
        write_checkpoint(tmp_path / "run", PARTS)


def test_a_checkpoint_of_0_1_is_read_if_it_is_trusted(tmp_path):
    first = train(Slippery, TRAINING, tmp_path)
    (tmp_path / CHECKPOINT / MANIFEST).unlink()
    with pytest.raises(UntrustedError, match=r"version 0\.1 wrote none.*trust=True"):
        train(Slippery, TRAINING, tmp_path)
    assert same(first, train(Slippery, TRAINING, tmp_path, trust=True))
    (tmp_path / CHECKPOINT / "model.zip").unlink()
    with pytest.raises(CheckpointError, match="delete it to start again"):
        train(Slippery, TRAINING, tmp_path, trust=True)


def damage(content, chance):
    """One bit flipped, a piece cut off the end, or random bytes appended."""
    kind = chance.randrange(3)
    if kind == 0 and content:
        place = chance.randrange(len(content))
        return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]
    return (
        content[: chance.randrange(len(content))] if kind == 1 else content + chance.randbytes(chance.randrange(1, 9))
    )


@pytest.mark.parametrize("trust", [False, True])
def test_every_damage_ends_in_our_own_error_or_changes_nothing(tmp_path, trust):
    write_checkpoint(tmp_path, PARTS)
    folder, chance = tmp_path / CHECKPOINT, random.Random(1)
    refused = 0
    for _ in range(600):
        name = chance.choice([*PARTS, MANIFEST])
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(damage(whole, chance))
        try:
            assert read_checkpoint(tmp_path, trust) == PARTS  # white space behind the manifest, say
        except CheckpointError:
            refused += 1
        (folder / name).write_bytes(whole)
    assert refused > 500
    assert read_checkpoint(tmp_path, trust) == PARTS


@pytest.mark.parametrize(
    "text", ["7", "[]", "{}", '{"hashes": 3, "signature": 4}', '{"hashes": "[]", "signature": ""}']
)
def test_a_manifest_that_is_none_is_damage(tmp_path, text):
    write_checkpoint(tmp_path, PARTS)
    (tmp_path / CHECKPOINT / MANIFEST).write_text(text)
    with pytest.raises(CheckpointError):
        read_checkpoint(tmp_path, trust=True)


def test_no_file_outside_the_checkpoint_is_read(tmp_path):
    write_checkpoint(tmp_path, PARTS)
    (tmp_path / CHECKPOINT / MANIFEST).write_text('{"hashes": "{\\"../secret\\": \\"\\"}", "signature": ""}')
    with pytest.raises(CheckpointError, match="not one of its files"):
        read_checkpoint(tmp_path, trust=True)


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
