"""Files that are written whole or not at all, and moved aside instead of written over."""

import os
import sys
from pathlib import Path

DRAFTS = ".*.draft"
"""The names of files that `write_durably` has not completed."""


def write_durably(path: Path, data: bytes) -> None:
    """Write a file so that it is there, complete, however the process or the power ends; or else as it was before.

    The draft next to it has a fixed name, so that two processes must not write one file at the same time.
    """
    draft = path.with_name(f".{path.name}.draft")
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
