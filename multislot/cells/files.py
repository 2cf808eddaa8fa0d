"""Files that are written completely or not at all, and renamed instead of overwritten."""

import os
import sys
import threading
from pathlib import Path


def write_durably(path: Path, data: bytes) -> None:
    """Write a file so that it is complete or unchanged, even if the process is killed or the power fails.

    Several threads and processes may write it at the same time: the last one wins.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, if the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def set_aside(path: Path, *suffixes: str) -> Path:
    """Rename a file to the first free ``name.N.suffix``, and the files with these suffixes too; return the new path."""
    numbered = (path.with_suffix(f".{n}{path.suffix}") for n in range(1, sys.maxsize))
    free = next(candidate for candidate in numbered if not candidate.exists())
    for suffix in ("", *suffixes):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.rename(free.with_name(free.name + suffix))
    return free
