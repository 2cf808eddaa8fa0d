"""Files that are written whole or not at all, and moved aside instead of written over."""

import os
import sys
from pathlib import Path


def write_durably(path: Path, data: bytes, writer: str = "") -> None:
    """Write a file so that it is there, complete, however the process or the power ends; or else as it was before.

    Args:
        path: the file.
        data: what is in it from now on.
        writer: a name that no other process has, if several may write the file at the same time: the last one wins.
            Without it the draft next to the file has a fixed name, and only one process may write at a time.
    """
    draft = path.with_name(f".{path.name}{writer}.draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where the system can do that."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def set_aside(path: Path, *suffixes: str) -> Path:
    """Rename a file to the first free ``name.N.suffix`` and return that; so are the files with these suffixes too."""
    free = next(one for n in range(1, sys.maxsize) if not (one := path.with_suffix(f".{n}{path.suffix}")).exists())
    for suffix in ("", *suffixes):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.rename(free.with_name(free.name + suffix))
    return free
