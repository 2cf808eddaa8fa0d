"""One change, one place: what is registered from outside the package passes every test that goes through its kind."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from scenarios.lab import registry
from scenarios.lab.cli import app
from tests.build import ROOT


def test_a_registered_task_passes_all_tests_that_go_through_the_tasks():
    """In a process of its own, since tests are collected for the tasks that are registered by then."""
    plugins = ("-p", "tests.considerate.bottles", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-n", "0", "-k", "bottles", "tests/considerate"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert "failed" not in done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 9


SCENARIO = '''"""How often do coins fall heads?

Half of the time.
"""

from dataclasses import dataclass
from random import Random
from typing import Annotated

from pydantic import Field

from scenarios.lab.table import Row

MORAL = "Coins are fair."


@dataclass(frozen=True)
class Settings:
    """How many coins."""

    seeds: Annotated[int, Field(ge=1, description="coins")] = 400


QUICK = Settings(seeds=100)


@dataclass(frozen=True)
class Cell:
    """One coin."""

    seed: int


def cells(settings):
    """List the coins."""
    return [Cell(seed) for seed in range(settings.seeds)]


def run_cell(cell):
    """Toss one."""
    return {"heads": Random(cell.seed).random() < 0.5}


def table(settings, results):
    """Compare the share of heads with one half."""
    share = sum(result["heads"] for _, result in results) / len(results)
    return [Row("share of heads", f"{settings.seeds} coins", share, paper=0.5, tolerance=0.2)]
'''


@pytest.fixture
def own_scenario(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tossed_coins.py").write_text(SCENARIO)
    return registry.register(tmp_path / "tossed_coins.py")


def multislot(*arguments):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.exception or done.output
    return done.stdout


def test_a_scenario_is_its_own_file(own_scenario):
    assert "tossed-coins" in multislot("list")
    (listed,) = [one for one in json.loads(multislot("list", "--json")) if one["name"] == "tossed-coins"]
    assert (listed["family"], listed["summary"]) == ("own", "How often do coins fall heads?")
    assert "Coins are fair." in multislot("show", "tossed-coins")
    found = json.loads(multislot("run", "tossed-coins", "--quick", "--json"))
    assert [(row["quantity"], row["agrees"]) for row in found["rows"]] == [("share of heads", True)]
    page = own_scenario.path.parent / multislot("report").strip()
    assert '<article id="tossed-coins"' in page.read_text()
    assert "Made by another version" not in page.read_text()
