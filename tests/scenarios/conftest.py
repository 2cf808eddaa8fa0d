"""What the tests of scenarios share: the toy scenario and a folder of results."""

import pickle

import pytest

from scenarios.lab import registry, store

TOYS = "tests.scenarios.toys"


@pytest.fixture
def squares():
    return registry.find("squares", TOYS)


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


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
