"""Damaged and hostile files at every reader: each is read or refused in a sentence, soon, in bounded memory."""

import json
import os
import random
import shutil
import stat
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from considerate.craftworld import load_task
from considerate.training.checkpoints import CHECKPOINT, load_weights, restore, save_weights, state_of, write_arrays
from multislot import Trace, run
from multislot.agents import RandomAgent
from multislot.bayes.agents import _read as read_life
from multislot.cells import CellStore
from multislot.cells.clusters import read_cluster
from multislot.errors import MultislotError
from multislot.exact import KernelWorld, copy
from multislot.exact.files.reading import Document
from multislot.files.foreign import read_arrays, read_bytes, read_json
from scenarios.lab.records import read_record
from scenarios.lab.table import read_expected
from scenarios.report.page import _data as read_picture
from tests.build import ROOT
from tests.doors.harness import knock
from tests.doors.test_full_disk import model
from tests.multislot.cells.schedules import write_store

SOME, MANY = 60, 2000
MOST = 10**6


def refuses(read):
    """The reader, which may answer with our own errors only."""

    def door(path):
        try:
            read(path)
        except MultislotError:
            return
        except (TypeError, OSError) as error:
            raise AssertionError(f"{type(error).__name__}: {error}") from error

    return door


READERS = {
    "arrays": lambda path: read_arrays(path, MOST),
    "checkpoint": lambda path: restore(model(), path.parent, 1),
    "cluster": read_cluster,
    "document": Document.load,
    "expected": read_expected,
    "inside": lambda path: read_bytes(path.name, MOST, path.parent),
    "json": lambda path: read_json(path, MOST),
    "life": read_life,
    "picture": lambda path: read_picture(path.parent, path.name),
    "record": lambda path: read_record(path.parent.parent, path.parent.name),
    "store": lambda path: CellStore(path).close(),
    "task": load_task,
    "trace": Trace.load,
    "weights": lambda path: load_weights(model(), path),
}
NAMES = {"record": "outcome.json", "checkpoint": CHECKPOINT}
WITHIN = {"inside", "picture", "record"}
"""Readers that never leave the folder that they were given; the others follow a link that the user names."""
OWN = tuple(str(Path(place).resolve()) for place in (ROOT, sys.prefix, sys.base_prefix))
"""Where Python's modules are."""
opened: list[str] | None = None
"""The paths that this process opens, while they are observed."""


def observe(event, arguments):
    if opened is not None and event in ("open", "sqlite3.connect") and isinstance(arguments[0], str | bytes):
        opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(observe)


@contextmanager
def observed(folder, name):
    """Yields a list that gets what was opened and should not be: a device, or what lies outside a reader's folder."""
    global opened
    astray, opened = [], []
    try:
        yield astray
    finally:
        paths, opened = {Path(os.path.realpath(folder / path)) for path in opened}, None
        foreign = {path for path in paths if path.exists() and not path.is_dir() and not str(path).startswith(OWN)}
        astray += [path for path in foreign if not path.is_file()]
        astray += [path for path in foreign if name in WITHIN and not path.is_relative_to(folder.resolve())]


@pytest.fixture
def samples(tmp_path):
    """Files that are as they should be, by kind."""
    write_store(tmp_path / "store")
    run(KernelWorld(copy()), {1: RandomAgent}, 3).save(tmp_path / "trace.npz")
    save_weights(model(), tmp_path / "weights.npz")
    write_arrays(tmp_path / "checkpoint.npz", state_of(model()))
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros(10**7))
    np.savez(tmp_path / "arrays.npz", a=np.arange(6.0))
    life = json.dumps({"format": 1, "settings": {}, "done": [], "record": []})
    texts = [copy().document.text, json.dumps({"digest": "0", "record": "{}"}), "workers: 2\n", "quantity,paper\na,1\n"]
    written = [path.read_bytes() for path in (tmp_path / "store", *sorted(tmp_path.glob("*.npz")))]
    return [*written, *(text.encode() for text in (*texts, life))]


def plant(path, samples, chance):
    """Put something damaged or hostile at a path."""
    kind = chance.choice(
        ("damaged", "damaged", "damaged", "noise", "sparse", "pipe", "socket", "folder", "link", "loop")
    )
    if kind == "damaged":
        content = bytearray(chance.choice(samples))
        for _ in range(chance.choice((0, 1, 5, 50))):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content[: chance.choice((len(content), chance.randrange(len(content) + 1)))])
    elif kind == "noise":
        path.write_bytes(chance.choice((chance.randbytes(5000), b"[" * 10**5, b"\xff\xfe", b"", b"'" * MOST)))
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(2**40)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        os.mknod(path, stat.S_IFSOCK | 0o600)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(
            path if kind == "loop" else chance.choice(("/dev/zero", "/dev/random", "/dev/tty", "../secret"))
        )
    return kind


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")
@pytest.mark.parametrize(
    "number",
    [pytest.param(SOME, id="some", marks=pytest.mark.slow), pytest.param(MANY, id="many", marks=pytest.mark.full)],
)
def test_every_reader_answers_in_a_sentence(tmp_path, samples, number, monkeypatch):
    monkeypatch.setattr("tests.doors.harness.SECONDS", 2)
    (tmp_path / "secret").write_text("secret")
    faults = []
    for seed in range(number):
        chance, folder = random.Random(seed), tmp_path / "inside"
        name = list(READERS)[seed % len(READERS)]
        folder.mkdir()
        path = folder / NAMES.get(name, "file")
        kind = plant(path, samples, chance)
        with observed(folder, name) as astray:
            fault = knock(name, refuses(READERS[name]), [path], {})
        faults += [(seed, kind, fault, astray)] if fault or astray else []
        shutil.rmtree(folder)
    assert faults == []


def test_a_reader_without_the_door_is_noticed(tmp_path, samples, monkeypatch):
    """The control: it follows a link to a device that has no end, or fails with an error of Python's."""
    monkeypatch.setattr("tests.doors.harness.SECONDS", 1)
    (tmp_path / "noise").write_bytes(b"\xff")
    assert "UnicodeDecodeError" in knock("text", refuses(lambda path: path.read_text()), [tmp_path / "noise"], {}).error
    (tmp_path / "link").symlink_to("/dev/zero")

    def endless(path):
        with path.open("rb") as file:
            while file.read(2**20):
                pass

    with observed(tmp_path, "json") as astray:
        assert "no answer" in knock("zero", refuses(endless), [tmp_path / "link"], {}).error
    assert astray == [Path("/dev/zero")]
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to("../noise")
    with observed(tmp_path / "inside", "picture") as astray:
        (tmp_path / "inside" / "link").read_bytes()
    assert astray == [tmp_path / "noise"]
