"""The table of views and libraries says what happens; those that are installed here are run again."""

import importlib.util
import json

import pytest

from multislot.errors import SettingError
from multislot.zoo import make, require_fixed_view
from tests.interop import contract

KEPT = json.loads(contract.KEPT.read_text(encoding="utf-8"))
HERE = {"torchrl": "torchrl", "cleanrl": "torch", "supersuit": "supersuit"}
"""Which package each needs."""
INSTALLED = [name for name, package in HERE.items() if importlib.util.find_spec(package)]


def test_every_library_has_a_line_and_takes_the_fixed_view_bare_and_in_caring():
    assert KEPT.keys() == contract.LIBRARIES.keys()
    for outcomes in KEPT.values():
        assert outcomes.keys() == contract.VIEWS.keys()
        assert (outcomes["bare, fixed"], outcomes["Caring, fixed"]) == ("works", "works")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", contract.VIEWS)
@pytest.mark.parametrize("name", INSTALLED)
def test_the_line_is_what_happens(name, title):
    assert contract.outcome(contract.LIBRARIES[name], *contract.VIEWS[title]) == KEPT[name][title]


@pytest.mark.parametrize("title", contract.VIEWS)
def test_whoever_requires_a_fixed_view_is_told_its_name(title):
    view, caring = contract.VIEWS[title]
    result = contract.outcome(require_fixed_view, view, caring)
    assert result == "works" if view == "fixed" else 'view="fixed"' in result


def test_a_fixed_view_turn_by_turn_is_one_too():
    environment = make("aec", "multislot/copy-v1", view="fixed")
    assert require_fixed_view(environment) is environment
    with pytest.raises(SettingError, match='with view="fixed"'):
        require_fixed_view(make("aec", "multislot/copy-v1"))
