"""No public callable answers malformed input with a raw exception, a hang or a crash."""

import os
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from multislot.checks import whole
from multislot.errors import MultislotError, SettingError
from tests.build import built, compiled_sources
from tests.doors.fitting import (
    FITTING,
    INTERNAL,
    MADE_HERE,
    MODULES,
    OBJECTS,
    UNCOVERED,
    hooks,
    maker,
    public_classes,
)
from tests.doors.harness import call_of, knock, methods, public

INPUTS = int(os.environ.get("DOOR_INPUTS", "6"))
"""For each door; `make fuzz` gives more."""
SEED = os.environ.get("DOOR_SEED", "")
MOST_DATA = 2**33
"""Bytes of this process."""
NOT_BUILT = {source for source in compiled_sources() if not built(source)}
DOORS = {
    name: door
    for name, door in public(MODULES, MADE_HERE)
    if Path(getattr(sys.modules[door.__module__], "__file__", None) or "built in") not in NOT_BUILT
}
"""An interpreted build does not check the types that compiled modules declare, so their doors are left out there."""


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Where stores and traces are written."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("doors"))
    yield
    os.chdir(before)


@pytest.fixture(scope="module", autouse=True)
def memory():
    """A call that would fill the memory of the machine ends in a MemoryError."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


def faults_of(doors):
    """What is wrong with how calls of some doors end; the seed of a door is its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls = ((name, door, random.Random(name + SEED)) for name, door in doors)
        tried = [knock(name, door, *call_of(door, rng, FITTING)) for name, door, rng in calls for _ in range(INPUTS)]
    return [fault for fault in tried if fault]


@pytest.mark.parametrize("name", OBJECTS)
def test_methods_refuse_malformed_input_in_a_sentence(name, folder):
    found = methods({name: OBJECTS[name]})
    assert faults_of((method, door) for method, door in found if method not in INTERNAL) == []


CLASSES = {
    name: kind
    for name, kind in public_classes()
    if name not in UNCOVERED and name.rpartition(".")[2] not in OBJECTS  # the methods of those are tried above
}


@pytest.mark.full
@pytest.mark.parametrize("name", CLASSES)
def test_methods_of_every_public_class_refuse_malformed_input_in_a_sentence(name, folder):
    """The list is that of the reference; a new class there needs an object in `fitting`, or a reason."""
    short = name.rpartition(".")[2]
    left_out = {f"{name}.{method}" for method in hooks(CLASSES[name])}
    left_out |= {f"{name}.{method.rpartition('.')[2]}" for method in INTERNAL if method.startswith(f"{short}.")}
    found = methods({name: maker(name, CLASSES[name])})
    assert faults_of((method, door) for method, door in found if method not in left_out) == []


def test_the_reasons_are_given_for_classes_that_exist():
    assert UNCOVERED.keys() <= dict(public_classes()).keys()


@pytest.mark.parametrize("name", DOORS)
def test_malformed_input_is_refused_in_a_sentence(name, folder):
    assert faults_of([(name, DOORS[name])]) == []


def attribute_of_a_number(number):
    return number.real.no_such_attribute


def endless(number):
    while True:
        number += 1


def greedy(number):
    return [0] * 2**28


@pytest.mark.parametrize(
    ("door", "error"), [(attribute_of_a_number, "AttributeError"), (endless, "no answer"), (greedy, "took ")]
)
def test_a_door_that_breaks_is_found(monkeypatch, door, error):
    monkeypatch.setattr("tests.doors.harness.SECONDS", 1)
    assert error in knock("door", door, [1], {}).error


def takes_an_int(number):
    if type(number) is not int:
        raise TypeError("int object expected")


class UnprintableError(MultislotError):
    def __str__(self):
        raise ValueError


def refuses_without_a_text(number):
    raise UnprintableError


def test_a_refusal_of_a_number_of_numpy_or_without_a_text_is_found():
    assert "int object expected" in knock("door", takes_an_int, [np.int64(1)], {}).error
    assert knock("door", takes_an_int, ["1"], {}) is None
    assert knock("door", takes_an_int, [np.float64(0.5)], {}) is None
    assert "has no text" in knock("door", refuses_without_a_text, [1], {}).error


def test_a_refusal_and_a_wrong_signature_are_no_faults():
    assert knock("whole", whole, ["steps", "many"], {}) is None
    assert knock("whole", whole, [], {"no": 1}) is None
    with pytest.raises(SettingError):
        whole("steps", "many")


def test_there_are_doors_in_every_module():
    assert {name.rpartition(".")[0] for name in DOORS} == set(MODULES)
