"""Damaged and hostile files at every reader: each is read or refused in a sentence, soon, in bounded memory."""

import io
import json
import os
import random
import shutil
import zipfile

import numpy as np
import pytest

from considerate.craftworld import load_task
from multislot import Trace, run
from multislot.agents import RandomAgent
from multislot.cells import CellStore
from multislot.cells.clusters import read_cluster
from multislot.errors import MultislotError
from multislot.exact import KernelWorld, copy
from multislot.exact.files.reading import Document
from multislot.foreign import read_archive, read_arrays, read_bytes, read_json
from scenarios.lab.records import read_record
from scenarios.lab.table import read_expected
from tests.doors.harness import knock
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
    "archive": lambda path: read_archive(path, {"a"}, MOST),
    "arrays": lambda path: read_arrays(path, MOST),
    "cluster": read_cluster,
    "document": Document.load,
    "expected": read_expected,
    "inside": lambda path: read_bytes(path.name, MOST, path.parent),
    "json": lambda path: read_json(path, MOST),
    "record": lambda path: read_record(path.parent.parent, path.parent.name),
    "store": lambda path: CellStore(path).close(),
    "task": load_task,
    "trace": Trace.load,
}


@pytest.fixture
def samples(tmp_path):
    """Files that are as they should be, by kind."""
    write_store(tmp_path / "store")
    run(KernelWorld(copy()), {1: RandomAgent}, 3).save(tmp_path / "trace.npz")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(10**8))  # a bomb
    arrays = io.BytesIO()
    np.savez(arrays, a=np.arange(6.0))
    texts = [copy().document.text, json.dumps({"digest": "0", "record": "{}"}), "workers: 2\n", "quantity,paper\na,1\n"]
    files = [(tmp_path / "store").read_bytes(), (tmp_path / "trace.npz").read_bytes()]
    return [*files, content.getvalue(), arrays.getvalue(), *(text.encode() for text in texts)]


def plant(path, samples, chance):
    """Put something damaged or hostile at a path."""
    kind = chance.choice(("damaged", "damaged", "damaged", "noise", "sparse", "pipe", "folder", "link", "loop"))
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
    faults = []
    for seed in range(number):
        chance, folder = random.Random(seed), tmp_path / "inside"
        name = list(READERS)[seed % len(READERS)]
        folder.mkdir()
        path = folder / ("outcome.json" if name == "record" else "file")
        kind = plant(path, samples, chance)
        fault = knock(name, refuses(READERS[name]), [path], {})
        faults += [(seed, kind, fault)] if fault else []
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

    assert "no answer" in knock("zero", refuses(endless), [tmp_path / "link"], {}).error
