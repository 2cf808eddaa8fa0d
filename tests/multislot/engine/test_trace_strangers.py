"""Traces of strangers: whatever is in the file, loading it ends in a trace or in a sentence."""

import io
import zipfile

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


def test_what_is_large_when_it_is_uncompressed_is_refused_before_it_is_read(good):
    """The control: the same file is read under the limit that is there by default; a missing file is Python's error."""
    assert Trace.load(good).steps == 4
    with pytest.raises(MultislotError, match=r"expected a trace of at most 100 bytes, not \d+; give most_bytes="):
        Trace.load(good, most_bytes=100)
    with pytest.raises(FileNotFoundError):
        Trace.load(good.with_name("missing.npz"))
