"""Copy the chart libraries and their licenses from a folder of npm into the package.

``make vega`` runs it: ``python docs/hooks/chart_libraries.py FOLDER``, where FOLDER has ``node_modules``.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from scenarios import vega
from scenarios.vega import SCRIPTS

HERE = Path(vega.__file__).parent
TEXTS = ("LICENSE", "LICENSE.txt", "LICENSE.md", "license", "LICENSE-MIT.txt", "COPYING")


def licenses(folder: Path) -> Iterator[str]:
    """Yield a paragraph for each different license text, under the packages that it covers.

    Npm installs what the libraries depend on, however indirectly, and lists it in a lock file.

    Raises:
        FileNotFoundError: a package has no text of its license.
    """
    covered: dict[str, list[str]] = {}
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    packages = {place: package for place, package in lock["packages"].items() if place}  # "" is the folder itself
    for place, package in sorted(packages.items(), key=lambda item: (name_of(item[0]), item[0])):
        texts = [folder / place / text for text in TEXTS if (folder / place / text).exists()]
        if not texts:
            raise FileNotFoundError(f"{place} has no text of its license; expected one of {', '.join(TEXTS)}")
        text = texts[0].read_text(encoding="utf-8").strip()
        covered.setdefault(text, []).append(f"{name_of(place)} {package['version']} ({package['license']})")
    for text, names in covered.items():
        yield f"{', '.join(names)}\n\n{text}\n"


def name_of(place: str) -> str:
    """The name of a package by its place, which may be inside another package: ``node_modules/a/node_modules/b``."""
    return place.rpartition("node_modules/")[2]


def copy_from(folder: Path) -> None:
    """Copy the libraries and write their licenses."""
    modules = folder / "node_modules"
    for script in SCRIPTS:
        package = script.removesuffix(".min.js")
        text = (modules / package / "build" / script).read_text(encoding="utf-8")
        text = re.sub(r"\n?//# sourceMappingURL=\S+\s*$", "", text).strip() + "\n"
        HERE.joinpath(script).write_text(text, encoding="utf-8")
    rule = "\n" + "-" * 80 + "\n\n"
    HERE.joinpath("LICENSES.txt").write_text(rule.join(licenses(folder)), encoding="utf-8")
    write_hashes()


def write_hashes() -> None:
    """Write the SHA-256 of every file of others, which a test compares."""
    listed = [*(f"vega/{name}" for name in (*SCRIPTS, "LICENSES.txt")), "explore/page/pyodide-licenses.txt"]
    lines = [f"{hashlib.sha256((HERE.parent / name).read_bytes()).hexdigest()}  {name}\n" for name in listed]
    HERE.joinpath("vendored.sha256").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    copy_from(Path(sys.argv[1]))
