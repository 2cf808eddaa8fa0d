"""What the tests of scenarios share: the toy scenario, a folder of results, a browser, a call of the command, cells."""

import json
import pickle

import pytest
from typer.testing import CliRunner

from multislot.cells import as_json
from scenarios.lab import registry, store
from scenarios.lab.cli import app
from tests.browser import chromium

TOYS = "tests.scenarios.toys"


def output_of(*arguments):
    """What the command prints; an error of it is raised."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def read_back(result):
    """A result as it is read from a store: fractions are texts, and tuples lists."""
    return json.loads(as_json(result))


def finished(run, settings):
    """The cells of a scenario or its module, made in another process, with their results as they are read back."""
    return [(cell, read_back(run.run_cell(cell))) for cell in pickle.loads(pickle.dumps(run.cells(settings)))]


@pytest.fixture
def squares():
    return registry.find("squares", TOYS)


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(autouse=True)
def _sources_stand_still(request, monkeypatch):
    """An edit of the sources while the tests run must not make a second run of them another run."""
    if "edited" not in request.node.name:
        monkeypatch.setattr(store, "code_hash", lambda scenario: "as it is")


@pytest.fixture(autouse=True)
def _cells_come_from_another_process(monkeypatch):
    """Cells are equal to those that were made, but their texts are other objects."""
    cells = registry.Scenario.cells
    monkeypatch.setattr(registry.Scenario, "cells", lambda *given: pickle.loads(pickle.dumps(cells(*given))))
