"""The one door for files from others: every file that a user names, or that a stranger may have written, is read here.

What the door promises, whatever is behind a path:

- Only a regular file is read. A device, a pipe or a socket is refused and not waited for.
- At most a stated number of bytes is read, counted while reading; the size that the system reports may be wrong.
- With a `folder`, the name stays inside it: no ``..``, no absolute path, and no link at any part of it.
- An archive has only expected members, and their declared sizes are added up before anything is unpacked.
- An array's header is compared with the size of its data, and with the expected shape, before the data are read.
  Pickles are never read.

Every refusal is a `ForeignFileError`, which is a `SettingError`. A test checks that no other module reads such a file.
The module loads in a browser: it needs the standard library alone, and NumPy only for arrays.
"""

import hashlib
import io
import json
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from multislot.errors import SettingError, show_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 2**20
LARGEST_SOURCE = 10_000_000
"""The largest number of bytes of a file of Python."""
MOST_MEMBERS = 10_000
ENTRY_BYTES = 512
"""A member takes at most so many bytes of an archive's directory, on average."""
DIRECTORY = b"PK\5\6"
DIRECTORY_BYTES = 22
LOCATOR_64 = b"PK\6\7"
LOCATOR_64_BYTES = 20
ENCRYPTED = 1
PLAIN_KINDS = "biufcSU"
"""NumPy's kinds of numbers, truth values and texts. Others may refer to objects."""
OPENING = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)  # a pipe that replaces the file after the check would otherwise block
HAS_FOLDER_HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")


class ForeignFileError(SettingError):
    """A file cannot be read, or is not what was expected; the message names it and says why."""


class LargeFileError(ForeignFileError):
    """A file is larger than allowed, or unpacks to more.

    Attributes:
        size: its number of bytes; 0 if that is not known.
    """

    size = 0


class MissingFileError(ForeignFileError, FileNotFoundError):
    """The file does not exist."""


@contextmanager
def open_file(path: str | Path, folder: str | Path | None = None) -> Iterator[BinaryIO]:
    """Open a regular file for reading.

    Args:
        path: the file; links are followed.
        folder: if given, `path` is a name within this folder, and no part of it may be a link.

    Raises:
        MissingFileError: there is none.
        ForeignFileError: it is something else, lies elsewhere or cannot be opened.
    """
    with _blame(path):
        handle = _open(path) if folder is None else _open_within(Path(folder), Path(path))
        try:
            _check_kind(os.fstat(handle))
            file = os.fdopen(handle, "rb")
        except BaseException:
            os.close(handle)
            raise
        with file:
            yield file


def check_kind(path: str | Path) -> None:
    """Raise ForeignFileError unless a path leads to a regular file; it is not opened.

    For files that a library must open by itself, such as SQLite, which loses its locks if the file is opened twice.
    """
    with _blame(path):
        _check_kind(Path(path).stat())


def is_file(path: str | Path, folder: str | Path) -> bool:
    """Whether a name within a folder leads to a regular file that `open_file` opens."""
    try:
        with open_file(path, folder):
            return True
    except ForeignFileError:
        return False


def read_bytes(path: str | Path, most: float, folder: str | Path | None = None) -> bytes:
    """Read a file of at most `most` bytes; the other arguments are those of `open_file`."""
    with open_file(path, folder) as file:
        return b"".join(_chunks(file, path, most))


def read_text(path: str | Path, most: float) -> str:
    """Read a text in UTF-8 as `read_bytes` reads bytes; lines end with a line feed, and no byte order mark is left."""
    content = read_bytes(path, most)
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig").read()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is not UTF-8; save the file as plain text in this encoding"
        raise _refusal(path, "a text file in UTF-8", problem) from None


def read_json(path: str | Path, most: float, folder: str | Path | None = None) -> Any:
    """Read a JSON value as `read_bytes` reads bytes."""
    content = read_bytes(path, most, folder)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:  # RecursionError: nested too deep
        raise _refusal(path, "a file in JSON", str(error)) from None


def hash_file(path: str | Path, folder: str | Path | None = None) -> str:
    """The SHA-256 digest of a file's content, in hexadecimal digits."""
    with open_file(path, folder) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto


def read_arrays(
    path: str | Path,
    most: int,
    names: Collection[str] | None = None,
    expected: "Mapping[str, NDArray[Any]] | None" = None,
) -> "dict[str, NDArray[Any]]":
    """Read the arrays of a file in NumPy's format ``.npz``; all headers are checked before any data are read.

    Args:
        path: the file.
        most: the largest number of bytes of all arrays together, and of the file.
        names: the names that the arrays may have; by default any.
        expected: arrays by name; if given, the file must have the same names, with the same shapes and types.

    Raises:
        ForeignFileError: the file is damaged, larger, holds something else than plain arrays, or others.
    """
    import numpy as np

    allowed = expected.keys() if expected is not None else names
    with _open_archive(path, allowed, most) as archive:
        headers = {
            member.filename.removesuffix(".npy"): (member, *_header(archive, member)) for member in archive.infolist()
        }
        if expected is not None:
            _check_shapes(headers, expected)
        arrays = {}
        for name, (member, start, shape, is_fortran, dtype) in headers.items():
            content = bytearray().join(_members(archive, member))
            array: NDArray[Any] = np.frombuffer(content, dtype, offset=start) if prod(shape) else np.empty(0, dtype)
            arrays[name] = array.reshape(shape, order="F" if is_fortran else "C")
    return arrays


def _open(path: str | Path) -> int:
    _check_kind(Path(path).stat())  # opening a device may already have an effect
    return os.open(path, OPENING)


def _open_within(folder: Path, name: Path) -> int:
    """Open a file below a folder; no part of its name may be a link."""
    if not name.parts or name.is_absolute() or name.drive or ".." in name.parts:
        raise _refusal(name, f"a name within {show_value(str(folder))}")
    if not HAS_FOLDER_HANDLES:
        place = Path(os.path.realpath(folder), name)
        if Path(os.path.realpath(place)) != place:
            raise _refusal(name, f"a file within {show_value(str(folder))} that no link leads to")
        return _open(place)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in name.parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = inner
        _check_kind(os.stat(name.parts[-1], dir_fd=handle, follow_symlinks=False))
        return os.open(name.parts[-1], OPENING | os.O_NOFOLLOW, dir_fd=handle)
    finally:
        os.close(handle)


def _check_kind(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        raise ValueError(f"this is {kinds.get(stat.S_IFMT(status.st_mode), 'a device')}")


@contextmanager
def _blame(path: str | Path) -> Iterator[None]:
    try:
        yield
    except ForeignFileError:
        raise
    except FileNotFoundError:
        raise MissingFileError(f"got path={show_value(str(path))}; this file does not exist") from None
    except (OSError, ValueError) as error:  # ValueError: another kind, NUL or half a surrogate in the path
        raise _refusal(
            path, "a regular file that can be read", getattr(error, "strerror", None) or str(error)
        ) from None


def _chunks(file: BinaryIO, path: str | Path, most: float) -> Iterator[bytes]:
    """Yield a file's content piece by piece; its reported size is looked at first, and then not trusted."""
    size = os.fstat(file.fileno()).st_size
    if size > most:
        raise _too_large(path, most, size)
    read = 0
    while chunk := file.read(AT_ONCE):
        read += len(chunk)
        if read > most:
            raise _too_large(path, most)
        yield chunk


@contextmanager
def _open_archive(path: str | Path, names: Collection[str] | None, most: int) -> Iterator[ZipFile]:
    """Open an archive whose directory has been checked; report every error as a damaged file."""
    with open_file(path) as file:
        try:
            size = file.seek(0, os.SEEK_END)
            if size > most:
                raise _too_large(path, most, size)
            _check_directory(file, size)
            with ZipFile(file) as archive:
                _check_members(archive.infolist(), names)
                unpacked = sum(member.file_size for member in archive.infolist())
                if unpacked > most:
                    raise _too_large(path, most, unpacked)
                yield archive
        except ForeignFileError:
            raise
        except Exception as error:  # a damaged archive fails in any way
            problem = str(error) or type(error).__name__
            raise _refusal(path, "an undamaged archive of expected content", problem) from error


def _check_directory(file: BinaryIO, size: int) -> None:
    """Look at the end of an archive, which says how large its directory is, before the directory is read."""
    file.seek(max(0, size - DIRECTORY_BYTES - LOCATOR_64_BYTES))
    tail = file.read(DIRECTORY_BYTES + LOCATOR_64_BYTES)
    before, end = tail[:-DIRECTORY_BYTES], tail[-DIRECTORY_BYTES:]
    if not end.startswith(DIRECTORY):
        raise ValueError("this is not a zip archive, or its end is missing")
    if before.startswith(LOCATOR_64):
        raise ValueError("the archive has the format for more than 4 GB")
    if int.from_bytes(end[12:16], "little") > ENTRY_BYTES * MOST_MEMBERS:
        raise ValueError(f"the archive has more than {MOST_MEMBERS} members")


def _check_members(members: list[ZipInfo], names: Collection[str] | None) -> None:
    found = [member.filename for member in members]
    if len(found) > MOST_MEMBERS:
        raise ValueError(f"the archive has {len(found)} members, more than {MOST_MEMBERS}")
    if len(set(found)) < len(found):
        raise ValueError("two members have the same name")
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name == member.filename or (names is not None and name not in names):
            raise ValueError(f"it has an unexpected member, {show_value(member.filename)}")
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or member.flag_bits & ENCRYPTED:
            raise ValueError(f"the member {show_value(member.filename)} is encrypted, or compressed in another way")


def _members(archive: ZipFile, member: ZipInfo) -> Iterator[bytes]:
    """Yield a member's content piece by piece, at most what its size in the directory says."""
    read = 0
    with archive.open(member) as file:
        while chunk := file.read(AT_ONCE):
            read += len(chunk)
            if read > member.file_size:
                raise ValueError(f"the member {show_value(member.filename)} is larger than declared")
            yield chunk
    if read < member.file_size:
        raise ValueError(f"the member {show_value(member.filename)} is smaller than declared")


def _header(archive: ZipFile, member: ZipInfo) -> "tuple[int, tuple[int, ...], bool, np.dtype[Any]]":
    """Where an array's data begin, its shape, whether its columns are together, and its type."""
    from numpy.lib import format as numpy_format

    readers = {(1, 0): numpy_format.read_array_header_1_0, (2, 0): numpy_format.read_array_header_2_0}
    with archive.open(member) as file:
        version = numpy_format.read_magic(file)
        if version not in readers:
            raise ValueError(f"the array {show_value(member.filename)} has version {version} of NumPy's format")
        shape, is_fortran, dtype = readers[version](file)
        start = file.tell()
    if dtype.kind not in PLAIN_KINDS or not dtype.itemsize:
        raise ValueError(f"the array {show_value(member.filename)} holds no plain numbers or texts, but {dtype}")
    if any(type(length) is not int or length < 0 for length in shape):
        raise ValueError(f"the array {show_value(member.filename)} has the shape {shape}")
    if start + prod(shape) * dtype.itemsize != member.file_size:
        raise ValueError(f"the shape {shape} of {show_value(member.filename)} does not fit the size of its data")
    return start, shape, is_fortran, dtype


def _check_shapes(headers: Mapping[str, tuple[Any, ...]], expected: "Mapping[str, NDArray[Any]]") -> None:
    for name, array in expected.items():
        if name not in headers:
            raise ValueError(f"the array {show_value(name)} is missing")
        *_, shape, _, dtype = headers[name]
        if (shape, dtype) != (array.shape, array.dtype):
            raise ValueError(
                f"the array {show_value(name)} has shape {shape} and type {dtype}, not {array.shape} and {array.dtype}"
            )


def _refusal(path: object, expected: str, problem: str = "") -> ForeignFileError:
    return ForeignFileError(
        f"got path={show_value(str(path))}; expected {expected}" + (f": {problem}" if problem else "")
    )


def _too_large(path: object, most: float, size: int = 0) -> LargeFileError:
    error = LargeFileError(str(_refusal(path, f"at most {most} bytes, not {size or 'more'}")))
    error.size = size
    return error
