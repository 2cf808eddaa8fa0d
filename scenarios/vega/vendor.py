"""Copy the chart libraries and their licenses from a folder of npm into the package.

``make vega`` runs it: ``python -m scenarios.vega.vendor FOLDER``, where FOLDER has ``node_modules``.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from scenarios.vega import SCRIPTS

HERE = Path(__file__).parent
ROOTS = ("vega", "vega-lite", "vega-embed")
TEXTS = ("LICENSE", "LICENSE.txt", "LICENSE.md", "license", "LICENSE-MIT.txt", "COPYING")


def list_bundled(modules: Path) -> list[str]:
    """The names of the packages that the libraries contain: what they depend on, however indirectly."""
    names: list[str] = []
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.append(name)
        waiting.extend(_read_package(modules, name).get("dependencies", ()))
    return sorted(names)


def licenses(modules: Path, names: list[str]) -> Iterator[str]:
    """Yield a paragraph for each different license text, under the packages that it covers.

    Raises:
        FileNotFoundError: a package has no text of its license.
    """
    covered: dict[str, list[str]] = {}
    for name in names:
        described = _read_package(modules, name)
        folder = modules / name
        texts = [folder / text for text in TEXTS if (folder / text).exists()]
        if not texts:
            raise FileNotFoundError(f"{name} has no text of its license; expected one of {', '.join(TEXTS)}")
        text = texts[0].read_text(encoding="utf-8").strip()
        covered.setdefault(text, []).append(f"{name} {described['version']} ({described['license']})")
    for text, packages in covered.items():
        yield f"{', '.join(packages)}\n\n{text}\n"


def copy_from(folder: Path) -> None:
    """Copy the libraries and write their licenses."""
    modules = folder / "node_modules"
    for script in SCRIPTS:
        package = script.removesuffix(".min.js")
        text = (modules / package / "build" / script).read_text(encoding="utf-8")
        text = re.sub(r"\n?//# sourceMappingURL=\S+\s*$", "", text).strip() + "\n"
        HERE.joinpath(script).write_text(text, encoding="utf-8")
    rule = "\n" + "-" * 80 + "\n\n"
    HERE.joinpath("LICENSES.txt").write_text(rule.join(licenses(modules, list_bundled(modules))), encoding="utf-8")
    write_hashes()


def write_hashes() -> None:
    """Write the SHA-256 of every file of others, which a test compares."""
    listed = [*(f"vega/{name}" for name in (*SCRIPTS, "LICENSES.txt")), "explore/page/pyodide-licenses.txt"]
    lines = [f"{hashlib.sha256((HERE.parent / name).read_bytes()).hexdigest()}  {name}\n" for name in listed]
    HERE.joinpath("vendored.sha256").write_text("".join(lines), encoding="utf-8")


def _read_package(modules: Path, name: str) -> dict[str, str]:
    described: dict[str, str] = json.loads((modules / name / "package.json").read_text(encoding="utf-8"))
    return described


if __name__ == "__main__":
    copy_from(Path(sys.argv[1]))
