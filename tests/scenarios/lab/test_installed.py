"""Agents of one's own on the command line, scenarios of installed packages, and a folder that hides the project's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenarios.lab import registry, store
from scenarios.lab.cli import app
from tests.build import ROOT
from tests.scenarios.toys import squares

AGENT = """
from multislot import Agent


class Stubborn(Agent):
    def __init__(self, n_observations, n_actions, stream):
        self.choice = {choice}

    def act(self, observation):
        return self.choice

    def learn(self, observation, action, reward, next_observation):
        pass


def no_factory():
    return 3
"""
SCENARIO = Path(squares.__file__).read_text(encoding="utf-8")
"""A scenario as a file of another package, or of one's own."""


@pytest.fixture
def own_agent(tmp_path, monkeypatch):
    """Write a module with an agent and make it importable, once more as often as it is called."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(choice):
        (tmp_path / "stubborn_module.py").write_text(AGENT.format(choice=choice))
        sys.modules.pop("stubborn_module", None)

    yield write
    sys.modules.pop("stubborn_module", None)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Plant a package with a scenario, and the metadata that installing it would leave."""
    site = tmp_path / "site"
    folder = site / "counting_package" / "counts"
    folder.mkdir(parents=True)
    (folder / "count_up.py").write_text(SCENARIO)
    for package in (folder, folder.parent):
        (package / "__init__.py").write_text('"""A package."""')
    metadata = site / "counting_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: counting-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[multislot.scenarios]\ncounting = counting_package\n")
    monkeypatch.syspath_prepend(site)
    return metadata


def command(*arguments, cwd, path=ROOT):
    a_notebooks = {"MPLBACKEND": "of a notebook"}  # those who call the command from one have it
    environment = {**os.environ, **a_notebooks, "PYTHONPATH": str(path), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "multislot", *arguments], capture_output=True, text=True, cwd=cwd, env=environment
    )


def test_an_agent_in_the_present_folder_is_run_by_its_place(tmp_path):
    (tmp_path / "stubborn_module.py").write_text(AGENT.format(choice=0))
    asked = (
        "run",
        "newcomb",
        "--set",
        "agents=Q,stubborn_module:Stubborn,RC(stubborn_module:Stubborn)",
        "--set",
        "steps=100",
        "--seeds",
        "1",
    )
    done = command(*asked, "--json", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    conditions = " ".join(row["condition"] for row in json.loads(done.stdout)["rows"])
    assert "stubborn_module:Stubborn" in conditions
    assert "RC(stubborn_module:Stubborn)" in conditions


def test_another_version_of_ones_own_agent_is_another_run(own_agent):
    newcomb = registry.find("newcomb")
    hashes = []
    for choice in (0, 1, 0):
        own_agent(choice)
        settings = newcomb.settings({"agents": "stubborn_module:Stubborn"})
        hashes.append(store.manifest(newcomb, settings)["hash"])
    assert hashes[0] == hashes[2] != hashes[1]
    assert "own_code" not in store.manifest(newcomb, newcomb.settings())


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("stubborn_module:Stuborn", "did you mean 'Stubborn'"),
        ("no_such_module:Agent", "install it, or start where no_such_module.py is"),
        ("stubborn_module:no_factory", "does not take n_observations"),
        ("stubborn_module:", "module:attribute"),
    ],
)
def test_what_is_no_agent_is_refused_before_work_starts(own_agent, place, message):
    own_agent(0)
    with pytest.raises(registry.SettingError, match=message):
        registry.find("tempting-button").settings({"agents": place})


def sum_of(printed):
    return next(row["ours"] for row in json.loads(printed)["rows"] if row["quantity"] == "sum")


def test_a_scenario_of_an_installed_package_is_listed_and_run(installed, tmp_path):
    listed = CliRunner().invoke(app, ["list", "--json"])
    assert {"count-up"} == {one["name"] for one in json.loads(listed.stdout) if one["family"] == "counts"}
    ran = CliRunner().invoke(app, ["run", "count-up", "--json", "--results", str(tmp_path / "kept")])
    assert ran.exit_code == 0, ran.exception or ran.output
    assert sum_of(ran.stdout) == 2.5
    assert registry.find("copy").module == "scenarios.identity.copy"


def test_an_entry_may_name_the_module_of_one_scenario(installed):
    (installed / "entry_points.txt").write_text("[multislot.scenarios]\ncounting = counting_package.counts.count_up\n")
    assert registry.find("count-up").family == "counts"


def test_a_scenario_in_a_file_is_run_by_its_path_and_its_code_counts(tmp_path):
    (tmp_path / "count_up.py").write_text(SCENARIO)
    hashes = []
    for source, status in ((SCENARIO, 0), (SCENARIO.replace("cell.seed**2", "2 * cell.seed**2"), 1)):
        (tmp_path / "count_up.py").write_text(source)
        done = command("run", "count_up.py", "--jobs", "2", "--json", cwd=tmp_path)
        assert done.returncode == status, done.stderr
        found = json.loads(done.stdout)
        hashes.append(found["hash"])
    assert (found["scenario"], sum_of(done.stdout), found["resumed"]) == ("count-up", 5, 0)
    assert found["command"] == "multislot run count_up.py"
    assert hashes[0] != hashes[1]
    shown = command("show", "count_up.py", cwd=tmp_path)
    assert "A stand-in for a scenario" in shown.stdout
    unknown = command("show", "./count_up.py", "--results", "none", cwd=tmp_path)
    assert "not run yet: multislot run ./count_up.py\n" in unknown.stdout


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("gone", None, "this file does not exist"),
        ("prints", "print(3)", "is not an experiment: give a Python file with a class Settings"),
        ("lacks_a_package", "import no_such_package\n" + SCENARIO, "No module named 'no_such_package'"),
        ("is_no_python", SCENARIO + "def (:", "SyntaxError: invalid syntax .is_no_python.py, line"),
        ("has_no_table", SCENARIO.replace("def table(", "def tables("), "did you mean 'tables'"),
        ("has_a_plain_class", "class Settings:\n    pass\ncells = run_cell = table = print\n", "expected a dataclass"),
    ],
)
def test_a_file_that_is_not_a_scenario_is_one_sentence(tmp_path, monkeypatch, name, text, told):
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / f"{name}.py"
    if text:
        file.write_text(text)
    with pytest.raises(registry.SettingError, match=told):
        registry.register(file)


@pytest.mark.parametrize(
    ("rows", "told"), [("[]", "expected at least one row"), ("[3]", "expected an instance of Row")]
)
def test_a_table_without_rows_is_one_sentence(tmp_path, rows, told):
    (tmp_path / "counts_nothing.py").write_text(SCENARIO + f"\n\ndef table(settings, results):\n    return {rows}\n")
    done = command("run", "counts_nothing.py", cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr


def test_an_entry_that_names_no_package_is_left_out_with_a_warning(installed):
    (installed / "entry_points.txt").write_text("[multislot.scenarios]\ncounting = no_such_package.scenarios\n")
    with pytest.warns(UserWarning, match="counting-package says that its scenarios are in 'no_such_package.scenarios'"):
        assert "copy" in registry.discover()


def test_a_folder_called_scenarios_on_the_path_is_told_in_a_sentence(tmp_path):
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "__init__.py").touch()
    done = command("list", cwd=tmp_path, path=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 2
    assert done.stderr == (
        f"multislot: {tmp_path / 'scenarios'} hides multislot's own package 'scenarios'; "
        "rename it, or start in another folder\n"
    )


def test_the_shell_completes_names_of_scenarios():
    asked = {"_MULTISLOT_COMPLETE": "complete_bash", "COMP_WORDS": "multislot show copy", "COMP_CWORD": "2"}
    names = CliRunner().invoke(app, env=asked, prog_name="multislot").output.split()
    assert "copy-delete" in names
    assert all(name.startswith("copy") for name in names)
