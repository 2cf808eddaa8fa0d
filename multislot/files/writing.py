"""Files that are written completely or not at all: a full disk or a killed process leaves the older file as it was.

What cannot be written is an `UnwritableFileError`, which is a `SettingError` and an `OSError`. A process that is killed
leaves its draft, ``.….draft``, which may be removed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from multislot.errors import SettingError


class UnwritableFileError(SettingError, OSError):
    """A file or folder cannot be written; the message names it and says why."""


class PresentFileError(SettingError, FileExistsError):
    """A file that should be new exists already; the message names it."""


@contextmanager
def open_draft(path: str | Path, *, is_new: bool = False, in_own_folder: bool = False) -> Iterator[BinaryIO]:
    """Open a draft that gets the name of a file when the block ends without an error.

    A link is followed. A device or a pipe is written to directly. Several threads and processes may write the same
    file: the last one wins.

    Args:
        path: the file.
        is_new: whether the file must not exist yet; of several processes, one makes it.
        in_own_folder: whether it lies in a folder of results or of a training: the folder is made, and a link there,
            which a stranger may have planted, is replaced.

    Raises:
        UnwritableFileError: the file cannot be written; an older one is unchanged.
        PresentFileError: it exists already.
    """
    with naming(path, ValueError):  # NUL or half a surrogate in the path
        place = Path(path) if in_own_folder else Path(os.path.realpath(path))
        if in_own_folder:
            place.parent.mkdir(parents=True, exist_ok=True)
        if is_new and os.path.lexists(path):
            raise _is_there(path)
        is_plain = is_new or in_own_folder or place.is_file() or not place.exists()
        draft = place.with_name(f".{uuid4().hex}.draft")
        file = draft.open("xb") if is_plain else place.open("wb")
    try:
        with naming(path):
            with file:
                yield file
                file.flush()
                if is_plain:
                    os.fsync(file.fileno())
            if is_new:
                try:
                    _name_new(draft, place)
                except FileExistsError:
                    raise _is_there(path) from None
            elif is_plain:
                draft.replace(place)
            if is_plain:
                sync_folder(place.parent)
    finally:
        if is_plain:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _name_new(draft: Path, place: Path) -> None:
    """Give a draft a name; raises FileExistsError if another process has made such a file meanwhile."""
    try:
        place.hardlink_to(draft)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without hard links, such as FAT
        place.open("xb").close()
        draft.replace(place)


def _is_there(path: str | Path) -> PresentFileError:
    return PresentFileError(f"{path} exists already; give another name, or remove it first")


def write_file(path: str | Path, content: bytes | str, *, in_own_folder: bool = False) -> None:
    """Write a file as `open_draft` does; a text is written in UTF-8."""
    with open_draft(path, in_own_folder=in_own_folder) as file:
        file.write(content if isinstance(content, bytes) else content.encode())


@contextmanager
def naming(path: str | Path, *further: type[Exception]) -> Iterator[None]:
    """Raise an UnwritableFileError that names the file instead of an OSError, or an error of further kinds."""
    kinds: tuple[type[Exception], ...] = (OSError, *further)
    try:
        yield
    except SettingError:
        raise
    except kinds as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        if isinstance(problem, FileExistsError) and Path(str(problem.filename)).is_symlink():
            reason = f"the link {problem.filename} leads to no folder"  # where a folder was to be made
        error = UnwritableFileError(f"{path} cannot be written: {reason}")
        error.strerror = reason
        raise error from None


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, if the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
