"""A fingerprint of the packages: pages are executed again when the code that they use has changed."""

import hashlib
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from undocumented import PACKAGES, ROOT

HOOKS = Path(__file__).parent
STAMP = "made_from.txt"
KINDS = (".py", ".toml", ".csv", ".c", ".h", ".txt", ".html", ".js", ".css")


@cache
def fingerprint(root: Path = ROOT) -> str:
    """Return a hash of all source and data files of the four packages."""
    found = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in KINDS:
                found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def cache_folder(parent: Path) -> Path:
    """Return the folder of the cells executed with the present code; those of other code are removed."""
    present = parent / fingerprint()
    for other in parent.glob("*"):
        if other != present:
            shutil.rmtree(other)
    present.mkdir(parents=True, exist_ok=True)
    return present


def is_filled(folder: Path, code: str) -> bool:
    """Return whether a piece of Python code has filled a folder, with the packages as they are now."""
    stamp = folder / STAMP
    return stamp.exists() and stamp.read_text(encoding="utf-8") == _made_from(code)


def once(folder: Path, code: str) -> None:
    """Run Python code that fills a folder in a process of its own, unless it has done so.

    Raises:
        CalledProcessError: it failed.
    """
    if is_filled(folder, code):
        return
    folder.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join(map(str, (HOOKS, HOOKS.parent, ROOT)))
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "agg"}
    )
    (folder / STAMP).write_text(_made_from(code), encoding="utf-8")


def _made_from(code: str) -> str:
    return f"{fingerprint()} {fingerprint_of(HOOKS)} {code}"


def fingerprint_of(folder: Path) -> str:
    """Return a hash of the Python files of a folder."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()[:16]
