"""What a wheel holds, and what happens where there is no compiler."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

from tests.build import ROOT, load_script

INSTALLED = re.search(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split(",")
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


@pytest.mark.slow
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
    stream = sources / "multislot" / "engine" / "stream.py"
    stream.write_text(stream.read_text() + '\n\nNUMBER: int = "text"\n')
    built = python(sources, "setup.py", "build_ext", "--inplace")
    assert (built.returncode, built.stderr.count("multislot: not compiled")) == (0, 1)
    assert list(sources.rglob("*.so")) == []


def test_the_source_distribution_holds_every_file_of_the_project(sources):
    tracked = set(subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")) - {
        ""
    }
    if not tracked:
        pytest.skip("this is no clone, so that nobody knows which files belong to the project")
    for name in tracked:
        place = sources / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() and (ROOT / name).exists():
            shutil.copyfile(ROOT / name, place)
    listed = python(sources, "setup.py", "-q", "egg_info", MULTISLOT_INTERPRETED="1")
    assert listed.returncode == 0, listed.stderr
    held = set((sources / "multislot.egg-info" / "SOURCES.txt").read_text().split("\n"))
    assert sorted(name for name in tracked - held if (ROOT / name).exists()) == []


def test_links_of_what_is_published_lead_to_the_repository():
    published = load_script(".ci/published.py")
    given = '[a](docs/a.md) ![b](docs/b.png) [c](https://c.org) [d](#d) <img src="docs/e.png">'
    there = "https://example.org/owner/name"
    assert published.linked(given, there, "v1") == (
        f"[a]({there}/blob/v1/docs/a.md) ![b]({there}/raw/v1/docs/b.png) [c](https://c.org) [d](#d) "
        f'<img src="{there}/raw/v1/docs/e.png">'
    )
    assert (
        published.linked("[d](docs/index.md)", "https://github.com/Owner/name", "v1")
        == "[d](https://owner.github.io/name/)"
    )
    readme = published.linked((ROOT / "README.md").read_text(encoding="utf-8"), there, "v1")
    assert published.LINK.search(readme) is None
    assert (ROOT / "pyproject.toml").read_text(encoding="utf-8").count("[project.scripts]") == 1


def test_the_lowest_versions_of_the_workflow_are_those_that_are_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    bounds = [
        one.split(">=") for one in (*project["dependencies"], *extras["deep"], *extras["plot"], *extras["cluster"])
    ]
    declared = {name.partition("[")[0]: version.split(",")[0] for name, version in bounds}
    lines = (ROOT / "constraints" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    assert {name: (version + ".0.0").split(".")[:3] for name, version in declared.items()} == {
        name: (tested[name] + ".0.0").split(".")[:3] for name in declared
    }


@pytest.mark.parametrize("how", [{"MULTISLOT_INTERPRETED": "1"}, {"CC": "no-such-compiler"}])
def test_a_wheel_into_which_nothing_was_compiled_is_for_any_machine(sources, how):
    built = python(sources, "-m", "build", "--wheel", "--no-isolation", **how)
    assert built.returncode == 0, built.stderr
    (wheel,) = (sources / "dist").glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as held:
        assert not [name for name in held.namelist() if name.endswith(".so") or ".data/" in name]


def test_the_lock_file_has_hashes_of_everything_that_development_needs():
    text = (ROOT / "constraints" / "development.txt").read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if "==" in entry.split("\n")[0] and entry[0] != "#"]
    assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []
    locked = {entry.split("==")[0].lower() for entry in entries}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(name for extra in INSTALLED for name in extras[extra])]
    names = {re.split(r"[\[>=<;]", name)[0].lower().replace("_", "-") for name in wanted} - {"torch"}
    assert names - {name.replace("_", "-") for name in locked} == set()


def test_inspect_finds_the_tasks_under_the_package_that_it_derives():
    """Inspect loads the entry point that has the name of the task's package, the first part of its module."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, module in project["entry-points"]["inspect_ai"].items():
        assert name == module.partition(".")[0]
