"""What a wheel holds, and what happens where there is no compiler."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.build import ROOT

PACKAGES = {"multislot", "extenv", "considerate", "scenarios"}


@pytest.fixture
def sources(tmp_path):
    """The files of the project, without anything that was built."""
    target = tmp_path / "project"
    ignored = shutil.ignore_patterns(".*", "*.so", "build", "dist", "*.egg-info", "__pycache__", "tests", "results")
    shutil.copytree(ROOT, target, ignore=ignored)
    return target


def python(sources, *arguments, **variables):
    inherited = {name: value for name, value in os.environ.items() if name != "MULTISLOT_INTERPRETED"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=sources, env=inherited | variables, capture_output=True, text=True
    )


@pytest.fixture
def quick_compiler(tmp_path):
    """A C compiler that does not optimise: what a wheel holds does not depend on how fast it runs."""
    compiler = tmp_path / "quick-cc"
    compiler.write_text('#!/bin/sh\nexec cc "$@" -O0\n')
    compiler.chmod(0o755)
    return str(compiler)


def test_the_wheel_holds_the_four_packages_their_types_and_their_data_and_nothing_else(sources, quick_compiler):
    built = python(sources, "-m", "build", "--wheel", "--no-isolation", CC=quick_compiler)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next((sources / "dist").glob("*.whl"))) as wheel:
        names = wheel.namelist()
    assert any(name.startswith("multislot/_compiled__mypyc.") for name in names)
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == PACKAGES
    assert {name for name in names if name.endswith("py.typed")} == {f"{package}/py.typed" for package in PACKAGES}
    data = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".csv", ".txt", ".toml", ".mplstyle", ".json", ".js", ".css", ".html")
    }
    assert data <= set(names)
    modules = {str(path.relative_to(ROOT)) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert modules <= set(names)


def test_without_a_compiler_the_build_says_so_once_and_goes_on(sources):
    built = python(sources, "setup.py", "build_ext", "--inplace", CC="no-such-compiler", PATH="")
    assert built.returncode == 0, built.stderr
    assert built.stderr.count("multislot: not compiled") == 1
    assert "same results, about 20x slower" in built.stderr
    assert list(sources.rglob("*.so")) == []


def test_a_module_that_mypyc_refuses_leaves_all_interpreted(sources):
    stream = sources / "multislot" / "stream.py"
    stream.write_text(stream.read_text() + '\n\nNUMBER: int = "text"\n')
    built = python(sources, "setup.py", "build_ext", "--inplace")
    assert (built.returncode, built.stderr.count("multislot: not compiled")) == (0, 1)
    assert list(sources.rglob("*.so")) == []


def test_compiling_can_be_declined(sources):
    built = python(sources, "setup.py", "build_ext", "--inplace", MULTISLOT_INTERPRETED="1")
    assert (built.returncode, list(sources.rglob("*.so"))) == (0, [])
