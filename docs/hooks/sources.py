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


def once(folder: Path, code: str) -> None:
    """Run Python code that fills a folder in a process of its own, unless this code of the packages has filled it.

    Raises:
        CalledProcessError: it failed.
    """
    stamp, present = folder / "made_from.txt", f"{fingerprint()} {fingerprint_of(HOOKS)} {code}"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == present:
        return
    folder.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join(map(str, (HOOKS, HOOKS.parent, ROOT)))
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "agg"}
    )
    stamp.write_text(present, encoding="utf-8")


def fingerprint_of(folder: Path) -> str:
    """Return a hash of the Python files of a folder."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()[:16]
