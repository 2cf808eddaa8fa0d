"""The floors of the house: who may import whom, what importing costs, and that everything public is documented."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.build import ROOT, compiled_sources, stale_modules

PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
FLOORS = {
    "multislot": {"multislot"},
    "extenv": {"multislot", "extenv"},
    "considerate": {"multislot", "considerate"},
    "scenarios": set(PACKAGES),
}
HEAVY = ("torch", "stable_baselines3", "matplotlib", "pandas", "pygame", "dask", "distributed", "supersuit")

spec = importlib.util.spec_from_file_location("undocumented", ROOT / "docs" / "undocumented.py")
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)


def modules(package):
    return sorted((ROOT / package).rglob("*.py"))


def imported(path):
    """Names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            yield node.module


def trespasses(path, package):
    return {name for name in imported(path) if name.split(".")[0] in set(PACKAGES) - FLOORS[package]}


@pytest.mark.parametrize("package", PACKAGES)
def test_nobody_imports_from_a_floor_above(package):
    found = {str(path): names for path in modules(package) if (names := trespasses(path, package))}
    assert not found


def test_an_import_from_above_would_be_found(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    import scenarios.cli\n    from considerate import solve\n")
    assert trespasses(bad, "extenv") == {"scenarios.cli", "considerate"}


def test_every_public_name_and_module_is_documented():
    assert [line for path in docs.sources() for line in docs.undocumented(path)] == []


def test_a_missing_docstring_would_be_found(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text('class A:\n    "doc"\n    def f(self): ...\n    def _g(self): ...\ndef h(): ...\n')
    assert [line.split(": ", 1)[1] for line in docs.undocumented(bad)] == ["the module", "A.f", "h"]


def test_test_modules_and_benchmarks_say_what_they_are():
    helpers = [path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")]
    silent = [
        path
        for path in [*helpers, *(ROOT / "benchmarks").glob("*.py")]
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_imports_nothing_heavy(package):
    code = f"import sys, {package}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_every_module_listed_for_compiling_exists():
    assert compiled_sources()
    assert [path for path in compiled_sources() if not path.exists()] == []


def test_a_stale_compiled_module_is_caught(tmp_path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "setup.py").write_text('COMPILED = [\n    "pkg/fast.py",\n    "pkg/never_built.py",\n]\n')
    source, module = tmp_path / "pkg" / "fast.py", tmp_path / "pkg" / "fast.cpython-311-x86_64-linux-gnu.so"
    source.write_text("")
    (tmp_path / "pkg" / "never_built.py").write_text("")
    module.write_bytes(b"")
    os.utime(source, (100, 100))
    os.utime(module, (200, 200))
    assert stale_modules(tmp_path) == []
    os.utime(source, (300, 300))
    assert stale_modules(tmp_path) == [source]
    os.utime(source, (100, 100))
    (tmp_path / "setup.py").write_text('COMPILED = [\n    "pkg/never_built.py",\n]\n')
    assert stale_modules(tmp_path) == [source]


@pytest.mark.parametrize(("body", "status"), [("pytest.skip('not today')", 5), ("assert True", 0)])
def test_a_run_that_executes_no_test_fails(tmp_path, body, status):
    test = tmp_path / "test_one.py"
    test.write_text(f"import pytest\n\n\ndef test_one():\n    {body}\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.conftest",
        "-c",
        str(ROOT / "pyproject.toml"),
        str(test),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == status, done.stdout


def test_the_project_speaks_of_itself_alone():
    """No absolute path of somebody's machine stands in the project."""
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT).stdout.split()
    prefixes = tuple(f"/{name}/" for name in ("home", "root", "Users", "work"))
    texts = [
        ROOT / name for name in tracked if Path(name).suffix in (".py", ".md", ".toml", ".csv", ".txt", ".cff", "")
    ]
    found = [
        str(path)
        for path in texts
        if path.is_file()
        and any(f"{mark}{prefix}" in path.read_text(encoding="utf-8") for prefix in prefixes for mark in ' "')
    ]
    assert found == []
