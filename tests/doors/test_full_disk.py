"""Every writer at a full disk, and where a folder is missing: a sentence, and what was there before is unchanged."""

import errno
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3 import DQN

from considerate.training.checkpoints import check_same_training, save_weights, state_of, write_arrays
from multislot import run
from multislot.agents import RandomAgent
from multislot.bayes import BayesAgent, ModelClass, TabularModel
from multislot.cells import CellStore, StoreError, write_parquet
from multislot.cells.rows import Finished
from multislot.errors import SettingError
from multislot.exact import KernelWorld, copy
from multislot.files.writing import UnwritableFileError, open_draft, write_file
from scenarios.lab.store import write_file as write_result
from scenarios.lab.worlds import write_new

resource = pytest.importorskip("resource")
OLD = b"older content"
REFUSALS = (UnwritableFileError, StoreError)


@contextmanager
def full_disk(most=64):
    """No file of this process grows beyond `most` bytes: what a full disk does, but with another number."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@cache
def model():
    """A model whose checkpoints and weights are written and read."""
    return DQN("MlpPolicy", "CartPole-v1", policy_kwargs={"net_arch": [4]}, buffer_size=10, device="cpu")


def agent():
    return BayesAgent(ModelClass([TabularModel(np.full((2, 2, 2), 0.5), np.full((2, 2), 0.5))]), 0.5, horizon=2)


WRITERS = {
    "checkpoint": lambda path: write_arrays(path, state_of(model())),
    "life": lambda path: agent().save(path),
    "page": lambda path: write_file(path, "<p>" * 100),
    "parquet": lambda path: write_parquet([(number, number) for number in range(1000)], path),
    "result": lambda path: write_result(path, OLD * 100),
    "settings": lambda path: check_same_training(path, {"steps": "1" * 100}),
    "weights": lambda path: save_weights(model(), path),
}
NEW = {
    "trace": lambda path: run(KernelWorld(copy()), {1: RandomAgent}, 30).save(path.with_suffix(".npz")),
    "world": write_new,
}
"""Writers that refuse a file that exists."""


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "settings"])
def test_a_full_disk_leaves_the_older_file(tmp_path, name):
    path = tmp_path / "file"
    path.write_bytes(OLD)
    with full_disk(), pytest.raises(REFUSALS, match=r"file cannot be written.*(File too large|\d)"):
        WRITERS[name](path)
    assert path.read_bytes() == OLD
    assert [inside.name for inside in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", [*NEW, "settings"])
def test_a_full_disk_leaves_no_part_of_a_new_file(tmp_path, name):
    with full_disk(), pytest.raises(REFUSALS, match="cannot be written"):
        (NEW | WRITERS)[name](tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", WRITERS | NEW)
def test_what_is_no_folder_is_a_sentence(tmp_path, name):
    (tmp_path / "file").write_bytes(OLD)
    with pytest.raises((*REFUSALS, SettingError), match=r"cannot be written|expected a directory"):
        (NEW | WRITERS)[name](tmp_path / "file" / "inside")


def test_a_full_disk_takes_no_cell_that_is_stored(tmp_path):
    kept = [Finished(f"kept{number}", "1", 0.1) for number in range(9)]
    with CellStore(tmp_path / "cells.sqlite") as store:
        store.add(kept)
        with full_disk(), pytest.raises(StoreError, match="could not be kept"):
            store.add([Finished("large", "1" * 10**5, 0.1)])
        assert store.find([cell.key for cell in kept]).keys() == {cell.key for cell in kept}
    with full_disk(), pytest.raises(StoreError):
        CellStore(tmp_path / "other.sqlite")
    with CellStore(tmp_path / "cells.sqlite") as store:
        assert store.finished.keys() == {cell.key for cell in kept}
        assert store.notes == []


def test_a_link_of_the_user_is_followed_and_a_device_stays(tmp_path):
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "link").symlink_to("file")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "file").read_bytes() == b"new"
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(UnwritableFileError, match="full cannot be written: No space left on device"):
        write_file(tmp_path / "full", "new")
    assert Path("/dev/full").is_char_device()


def test_a_link_that_is_planted_in_a_folder_of_results_is_replaced(tmp_path):
    (tmp_path / "secret").write_bytes(OLD)
    results = tmp_path / "results"
    results.mkdir()
    for name in ("result", "checkpoint"):
        (results / name).symlink_to("../secret")
        WRITERS[name](results / name)
        assert not (results / name).is_symlink()
    assert (tmp_path / "secret").read_bytes() == OLD


def test_a_writer_that_overwrites_is_noticed(tmp_path):
    """The control: the older content is lost, and the error is one of Python's."""
    (tmp_path / "file").write_bytes(OLD)
    with full_disk(), pytest.raises(OSError, match="File too large") as caught:
        (tmp_path / "file").write_text("new" * 100)
    assert not isinstance(caught.value, REFUSALS)
    assert caught.value.errno == errno.EFBIG
    assert not (tmp_path / "file").read_bytes().startswith(OLD)


def test_an_error_in_the_block_leaves_the_older_file(tmp_path):
    (tmp_path / "file").write_bytes(OLD)
    with pytest.raises(ZeroDivisionError), open_draft(tmp_path / "file") as file:
        file.write(b"new" * (1 // 0))
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", OLD)]
