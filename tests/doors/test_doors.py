"""No public callable answers malformed input with a raw exception, a hang or a crash."""

import os
import random
import sys
import warnings
from pathlib import Path

import pytest

from multislot.checks import whole
from multislot.errors import SettingError
from tests.build import built, compiled_sources
from tests.doors.fitting import FITTING, MADE_HERE, MODULES
from tests.doors.harness import call_of, knock, public

INPUTS = int(os.environ.get("DOOR_INPUTS", "8"))
"""For each door; `make fuzz` gives more."""
NOT_BUILT = {source for source in compiled_sources() if not built(source)}
DOORS = {
    name: door
    for name, door in public(MODULES, MADE_HERE)
    if Path(getattr(sys.modules[door.__module__], "__file__", None) or "built in") not in NOT_BUILT
}
"""An interpreted build does not check the types that compiled modules declare, so their doors are left out there."""


@pytest.mark.parametrize("name", DOORS)
def test_malformed_input_is_refused_in_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(name)
    faults = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(INPUTS):
            fault = knock(name, DOORS[name], *call_of(DOORS[name], rng, FITTING))
            faults += [fault] if fault else []
    assert faults == []


def attribute_of_a_number(number):
    return number.real.no_such_attribute


def endless(number):
    while True:
        number += 1


@pytest.mark.parametrize(("door", "error"), [(attribute_of_a_number, "AttributeError"), (endless, "no answer")])
def test_a_door_that_breaks_is_found(monkeypatch, door, error):
    monkeypatch.setattr("tests.doors.harness.SECONDS", 1)
    assert error in knock("door", door, [1], {}).error


def test_a_refusal_and_a_wrong_signature_are_no_faults():
    assert knock("whole", whole, ["steps", "many"], {}) is None
    assert knock("whole", whole, [], {"no": 1}) is None
    with pytest.raises(SettingError):
        whole("steps", "many")


def test_there_are_doors_in_every_module():
    assert {name.rpartition(".")[0] for name in DOORS} == set(MODULES)
