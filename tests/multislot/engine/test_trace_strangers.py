"""Traces of strangers: whatever is in the file, loading it ends in a trace or in a sentence."""

import io
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from multislot import EndlessStream, Trace, run
from multislot.agents import RandomAgent
from multislot.errors import MultislotError
from multislot.exact import KernelWorld, copy


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    trace = run(KernelWorld(copy()), {1: RandomAgent(2, 2, EndlessStream(1, 1))}, 4)
    return trace.save(tmp_path_factory.mktemp("good") / "trace.npz")


def rewritten(path, target, change):
    """Write the members of a trace into another file, each as `change` returns it."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return target


def header(text):
    """Replace the header of a trace."""

    def change(name, data):
        if name != "header.npy":
            return data
        stream = io.BytesIO()
        np.save(stream, np.array(text))
        return stream.getvalue()

    return change


def with_compression(path, target, method):
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset : at + offset + 2] = method.to_bytes(2, "little")
            at = data.find(signature, at + 1)
    target.write_bytes(data)
    return target


HEADERS = {
    "deep": "[" * 100_000,
    "deep and closed": '{"format": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "a number": "7",
    "another format": '{"format": "\\u001b[31m", "simulated": []}',
    "pairs of texts": '{"format": "multislot-trace-1", "simulated": [["a", "b"]]}',
    "not JSON": "\0",
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS)
def test_a_strange_header_is_refused_in_a_sentence(good, tmp_path, text):
    with pytest.raises(MultislotError, match=r"expected|format"):
        Trace.load(rewritten(good, tmp_path / "strange.npz", header(text)))


@pytest.mark.parametrize("method", [1, 14, 93, 97, 0xFFFF])
def test_an_unknown_compression_is_refused_in_a_sentence(good, tmp_path, method):
    with pytest.raises(MultislotError, match=r"expected a complete file that Trace\.save wrote"):
        Trace.load(with_compression(good, tmp_path / "strange.npz", method))


def test_a_shape_of_many_terabytes_is_refused_in_a_sentence(good, tmp_path):
    def enlarge(name, data):
        return data.replace(b"(", b"(99999999999999, ", 1).replace(b", 5,)", b",)") if name == "slot.npy" else data

    with pytest.raises(MultislotError, match=r"expected a complete file that Trace\.save wrote"):
        Trace.load(rewritten(good, tmp_path / "strange.npz", enlarge))


def test_what_is_large_when_it_is_uncompressed_is_refused_before_it_is_read(good):
    """The control: the same file is read under the limit that is there by default."""
    assert Trace.load(good).steps == 4
    with pytest.raises(MultislotError, match=r"expected a trace of at most 100 bytes, not \d+; give most_bytes="):
        Trace.load(good, most_bytes=100)


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x" * 5000])
def test_a_path_that_no_file_can_have_is_refused_in_a_sentence(good, path):
    with pytest.raises((MultislotError, OSError)):
        Trace.load(path)
    with pytest.raises((MultislotError, OSError)):
        Trace.load(good).save(path)


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 20), marks=pytest.mark.full)])
def test_damaged_files_are_refused_or_read(good, tmp_path, seeds):
    """Bytes are changed, cut off or added anywhere in the file; 100 files a seed."""
    data, refused = good.read_bytes(), 0
    path = tmp_path / "damaged.npz"
    for seed in seeds:
        dice = random.Random(seed)
        for _ in range(100):
            damaged = bytearray(data)
            for _ in range(dice.choice((1, 2, 20))):
                damaged[dice.randrange(len(data))] = dice.randrange(256)
            path.write_bytes(damaged[: dice.choice((len(data), dice.randrange(len(data))))])
            try:
                Trace.load(path).lineage.text()
            except MultislotError:
                refused += 1
    assert refused > 50 * len(seeds)


class Trap:
    """An object whose reading leaves a file behind."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return Path.touch, (self.place,)


def test_nothing_in_a_trace_is_executed(good, tmp_path):
    trap, stream = tmp_path / "trap", io.BytesIO()
    np.save(stream, np.array([Trap(trap)], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(good) as archive:
        names = archive.namelist()
    for name in names:
        path = rewritten(good, tmp_path / "t.npz", lambda n, data, name=name: stream.getvalue() if n == name else data)
        with pytest.raises(MultislotError):
            Trace.load(path)
    assert not trap.exists()
    np.load(path, allow_pickle=True)[names[-1].removesuffix(".npy")]  # control: a reader that does execute it
    assert trap.exists()
