"""Files that are renamed instead of overwritten, and locked while that happens."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from multislot.cells.errors import StoreError
from multislot.files.writing import sync_folder

PATIENCE_SECONDS = 600.0
"""Recovering a large store takes minutes; a lock whose process has ended is free at once."""
POLL_SECONDS = 0.005
UNREAD = "-unread"
"""The ending of a mark next to a store that was set aside: its cells are not all in the new store yet."""


def lock_of(path: Path) -> FileLock:
    """The lock of a file; it ends with its process, however that ends."""
    return FileLock(path.with_name(f".{path.name}.lock"), fallback_to_soft=False)


@contextmanager
def locked(path: Path, lock: FileLock) -> Iterator[None]:
    """Keep other processes, threads and stores out of this context.

    Raises:
        StoreError: the lock cannot be had.
    """
    if not Path(lock.lock_file).parent.is_dir():  # the lock would make it
        raise StoreError(f"{path}: its folder does not exist; make it, or choose another place for results")
    try:
        lock.acquire(timeout=PATIENCE_SECONDS, poll_interval=POLL_SECONDS)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: this thread would wait for itself
        reason = getattr(error, "strerror", None) or str(error)
        reason = "another process keeps it locked" if isinstance(error, TimeoutError) else reason
        raise StoreError(f"{path}: {reason}; choose another place for results") from None
    try:
        yield
    finally:
        lock.release()


def set_aside(path: Path, *suffixes: str, release: Callable[[], None] | None = None) -> Path:
    """Rename a file to the first free ``name.N.suffix``, and the files with these suffixes too; return the new path.

    For the caller that holds the lock of `path`. If suffixes are given, the file is marked (`UNREAD`), and a process
    that is killed in between has changed nothing, or has left everything under the new name: the files with suffixes
    are there under both names while the file itself is renamed. Until they are, the caller keeps the file open, and
    `release` closes it: SQLite deletes a log that it cannot read when it closes a file.
    """
    numbered = (path.with_suffix(f".{n}{path.suffix}") for n in range(1, sys.maxsize))
    free = next(candidate for candidate in numbered if not os.path.lexists(candidate))
    if suffixes:
        free.with_name(free.name + UNREAD).touch()
    for suffix in suffixes:
        source, target = path.with_name(path.name + suffix), free.with_name(free.name + suffix)
        target.unlink(missing_ok=True)  # of an attempt that was killed
        if source.exists():
            _link(source, target)
    if release:
        release()
    path.rename(free)
    for suffix in suffixes:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    sync_folder(path.parent)
    return free


def _link(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the disk has no second names."""
    try:
        target.hardlink_to(source)
    except (OSError, NotImplementedError):
        shutil.copyfile(source, target)
