"""What the tests of scenarios share: the toy scenario and a folder of results."""

import pytest

from scenarios import registry

TOYS = "tests.scenarios.toys"


@pytest.fixture
def squares():
    return registry.find("squares", TOYS)


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"
