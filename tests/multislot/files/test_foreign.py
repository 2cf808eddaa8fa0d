"""The one door for files from others: what is behind a path, how much is read, and what archives may hold."""

import io
import json
import os
import pickle
import re
import socket
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from multislot.files import foreign
from multislot.files.foreign import (
    ForeignFileError,
    MissingFileError,
    check_kind,
    hash_file,
    read_arrays,
    read_bytes,
    read_json,
    read_text,
)

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")


def archive_of(members, compression=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def arrays_of(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def array_file(header, data=b""):
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


def test_a_regular_file_is_read(tmp_path):
    path = tmp_path / "text"
    path.write_bytes('a\r\nb "é"'.encode())
    assert read_bytes(path, 100) == path.read_bytes()
    assert read_text(path, 100) == 'a\nb "é"'
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # as editors of Windows and Excel write it
    assert read_text(path, 100) == 'a\nb "é"'
    assert read_bytes("text", 100, tmp_path) == path.read_bytes()
    assert len(hash_file(path)) == 64
    path.write_text('{"a": [1]}')
    assert read_json(path, 100) == {"a": [1]}
    check_kind(path)


@pytest.mark.parametrize("read", [read_bytes, read_text, read_json])
def test_a_file_of_exactly_the_largest_size_is_read_and_a_larger_one_is_refused(tmp_path, read):
    path = tmp_path / "numbers"
    path.write_text("1" * 100)
    read(path, 100)
    with pytest.raises(ForeignFileError, match="at most 99 bytes, not 100"):
        read(path, 99)


def test_the_bytes_read_are_counted_whatever_the_system_says_of_the_size(tmp_path, monkeypatch):
    path = tmp_path / "growing"
    path.write_bytes(b"x" * 5000)
    real = os.fstat

    def says_zero(handle):
        fields = list(real(handle))
        fields[6] = 0
        return os.stat_result(fields)

    monkeypatch.setattr(foreign.os, "fstat", says_zero)
    with pytest.raises(ForeignFileError, match="not more"):
        read_bytes(path, 4999)
    assert len(read_bytes(path, 5000)) == 5000


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MissingFileError, match="this file does not exist"):
        read_text(tmp_path / "none", 10)
    with pytest.raises(FileNotFoundError):
        check_kind(tmp_path / "none")


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "", "x" * 5000, "/"])
def test_a_path_that_cannot_be_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ForeignFileError):
        read_bytes(path, 10)
    with pytest.raises(ForeignFileError):
        read_bytes(path, 10, tmp_path)


@posix
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/random", "/dev/tty", "/dev/stdin"])
def test_devices_and_links_to_them_are_refused(tmp_path, device):
    if not os.path.lexists(device):
        pytest.skip(f"no {device}")
    (tmp_path / "link").symlink_to(device)
    for path in (device, tmp_path / "link"):
        with pytest.raises(ForeignFileError):
            read_bytes(path, 10**6)


@posix
def test_nothing_waits_for_a_pipe_or_a_socket(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for name, kind in {"pipe": "a pipe", "socket": "a socket", ".": "a folder"}.items():
            with pytest.raises(ForeignFileError, match=kind):
                read_bytes(name, 10)
    monkeypatch.setattr(foreign, "_open", lambda path: os.open(path, foreign.OPENING))  # it replaces the file later
    with pytest.raises(ForeignFileError, match="a pipe"):
        read_bytes("pipe", 10)


def test_a_huge_sparse_file_is_refused_unread(tmp_path):
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**40)
    for read in (read_bytes, read_text, read_json, lambda path, most: read_arrays(path, most)):
        with pytest.raises(ForeignFileError, match="at most 1000"):
            read(tmp_path / "sparse", 1000)


OUTSIDE = ["../secret", "inner/../../secret", "..", ".", "", "/etc/hostname", "linked/secret", "link", "inner/link"]


@pytest.fixture
def folder(tmp_path):
    """A folder with links to what lies outside."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    inside = tmp_path / "inside"
    (inside / "inner").mkdir(parents=True)
    (inside / "inner" / "file").write_text("open")
    try:
        (inside / "linked").symlink_to(tmp_path / "outside")
        (inside / "link").symlink_to(tmp_path / "secret")
        (inside / "inner" / "link").symlink_to("file")
    except OSError:
        pytest.skip("no links here")
    return inside


@pytest.mark.parametrize("handles", [True, False])
@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_and_no_link_leads_out_of_a_folder(folder, name, handles, monkeypatch):
    monkeypatch.setattr(foreign, "HAS_FOLDER_HANDLES", handles and foreign.HAS_FOLDER_HANDLES)
    with pytest.raises(ForeignFileError):
        read_bytes(name, 100, folder)
    assert read_bytes("inner/file", 100, folder) == b"open"
    assert read_bytes("./inner//file", 100, folder) == b"open"


def test_a_reader_without_the_door_leaves_the_folder(folder):
    """The control: the same names, read as they were before."""
    leaving = [name for name in OUTSIDE if (folder / name).is_file() and (folder / name).read_text() == "secret"]
    assert leaving == ["../secret", "inner/../../secret", "linked/secret", "link"]


@pytest.fixture
def kept(tmp_path):
    """Writes content to a file, and returns its path."""

    def write(content):
        path = tmp_path / "content"
        path.write_bytes(content)
        return path

    return write


def forged_size(size, length):
    """An array whose size in the directory of the archive is a lie, and whose header may go along with it."""
    content = bytearray(archive_of({"a.npy": array_file(SHAPE.format("'<f8'", f"({length},)"), bytes(800))}))
    place = content.rindex(b"PK\1\2")
    content[place + 24 : place + 28] = size.to_bytes(4, "little")
    return bytes(content)


def with_locator(content):
    return content[:-22] + b"PK\6\7" + bytes(16) + content[-22:]


def doubled():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a.npy", b"1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.npy", b"2")
    return content.getvalue()


HOSTILE_ARCHIVES = {
    "at most 100000 bytes, not 10000000": lambda: archive_of({"a.npy": b"0" * 10**7}),
    "at most 100000 bytes, not 120000": lambda: archive_of({"a.npy": b"0" * 60_000, "b.npy": b"0" * 60_000}),
    "101 members, more than 100": lambda: archive_of({f"{number}.npy": b"" for number in range(101)}),
    "unexpected member, '../a.npy'": lambda: archive_of({"../a.npy": b""}),
    "unexpected member, '/a.npy'": lambda: archive_of({"/a.npy": b""}),
    "unexpected member, 'A.npy'": lambda: archive_of({"A.npy": b""}),
    "unexpected member, 'a'": lambda: archive_of({"a": b""}),
    "two members have the same name": doubled,
    "Bad CRC-32": lambda: forged_size(200, 100),
    "is smaller than declared": lambda: forged_size(8129, 1000),
    "the format for more than 4 GB": lambda: with_locator(archive_of({"a.npy": b""})),
    "compressed in another way": lambda: archive_of({"a.npy": b""}, zipfile.ZIP_LZMA),
    "this is not a zip archive": lambda: b"PK\3\4" + b"x" * 100,
    "or its end is missing": lambda: archive_of({"a.npy": b"1" * 99})[:-30],
    "this is not": lambda: archive_of({"a.npy": b""}) + b"comment",
}


@pytest.mark.parametrize("problem", HOSTILE_ARCHIVES)
def test_a_hostile_archive_is_refused(kept, problem, monkeypatch):
    monkeypatch.setattr(foreign, "MOST_MEMBERS", 100)
    with pytest.raises(ForeignFileError, match=re.escape(problem)):
        read_arrays(kept(HOSTILE_ARCHIVES[problem]()), 100_000, {"a", "b", *map(str, range(101))})


def test_nothing_of_a_bomb_is_unpacked(kept, monkeypatch):
    bomb = kept(archive_of({"a.npy": b"0" * 10**7}))
    opened = []
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *given, **named: opened.append(given))
    with pytest.raises(ForeignFileError, match="at most 100000 bytes, not 10000000"):
        read_arrays(bomb, 100_000)
    assert opened == []


def test_arrays_are_read_as_they_were_written(kept):
    arrays = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "c": np.array("text"),
        "d": np.zeros((0, 3), np.float32),
        "e": np.array([True]),
    }
    for expected in (None, arrays):
        read = read_arrays(kept(arrays_of(**arrays)), 10_000, expected=expected)
        assert read.keys() == arrays.keys()
        for name, array in arrays.items():
            np.testing.assert_array_equal(read[name], array)
            assert read[name].dtype == array.dtype
            assert read[name].flags.writeable


SHAPE = "{{'descr': {}, 'fortran_order': False, 'shape': {}, }}"
HOSTILE_ARRAYS = {
    "a huge shape": SHAPE.format("'<f8'", "(1000000000000,)"),
    "a negative length": SHAPE.format("'<f8'", "(-1,)"),
    "two negative lengths": SHAPE.format("'<f8'", "(-1, -1)"),
    "a true length": SHAPE.format("'<f8'", "(True,)"),
    "objects": SHAPE.format("'|O'", "(1,)"),
    "a record with an object": SHAPE.format("[('a', '|O')]", "(1,)"),
    "texts of no length": SHAPE.format("'<U0'", "(1000000000000,)"),
    "an unknown type": SHAPE.format("'no'", "(1,)"),
    "code": SHAPE.format("__import__('os').system('true')", "(1,)"),
    "a deep shape": SHAPE.format("'<f8'", "(" * 3000 + ")" * 3000),
    "no table": "[1, 2]",
}


@pytest.mark.parametrize("kind", HOSTILE_ARRAYS)
def test_a_hostile_header_is_refused_before_its_data_are_read(kept, kind, monkeypatch):
    content = archive_of({"a.npy": array_file(HOSTILE_ARRAYS[kind], bytes(8))})
    monkeypatch.setattr(foreign, "_members", lambda *given: pytest.fail("data were read"))
    with pytest.raises(ForeignFileError):
        read_arrays(kept(content), 10**6)


def test_pickles_are_refused(kept):
    class Planted:
        def __reduce__(self):
            return pytest.fail, ("executed",)

    for content in (pickle.dumps(Planted()), archive_of({"a.npy": pickle.dumps(Planted())})):
        with pytest.raises(ForeignFileError):
            read_arrays(kept(content), 10**6)
    with pytest.raises(ForeignFileError, match="unexpected member"):
        read_arrays(kept(archive_of({"a.pkl": b""})), 10**6)


def test_arrays_of_other_names_shapes_or_types_are_refused(kept):
    expected = {"a": np.zeros((2, 3))}
    for arrays in ({}, {"a": np.zeros((3, 2))}, {"a": np.zeros((2, 3), np.float32)}, {**expected, "b": np.zeros(1)}):
        with pytest.raises(ForeignFileError):
            read_arrays(kept(arrays_of(**arrays)), 10_000, expected=expected)


def test_damaged_json_is_refused(tmp_path):
    path = Path(tmp_path, "value.json")
    for text in ("", "{", "[" * 10**5, '"\ud800'.encode(errors="surrogatepass").decode("latin-1"), "1" * 5000):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(ForeignFileError):
            read_json(path, 10**6)
    path.write_text(json.dumps([1]))
    assert read_json(path, 10) == [1]
