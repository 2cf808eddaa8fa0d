"""What is computed is what was stored, and a difference would be found."""

import pytest

from tests.stored.comparing import MEANT, differences, read_group
from tests.stored.groups import GROUPS

STORED = {group: read_group(group) for group in GROUPS}
CASES = [(group, name) for group in GROUPS for name in STORED[group]]


@pytest.mark.parametrize(("group", "name"), CASES, ids=[f"{group}-{name}" for group, name in CASES])
def test_values_are_the_stored_ones(group, name):
    """Names that are gone are not compared. Most names of a group must still be there."""
    if name not in GROUPS[group].names():
        pytest.skip("was there when values were stored")
    found = GROUPS[group].value(name)
    assert list(differences(STORED[group][name], found)) == [], f"{group}, {name}{MEANT}"


@pytest.mark.parametrize("group", GROUPS)
def test_most_of_what_was_stored_is_still_there(group):
    names = set(GROUPS[group].names())
    assert len(names & STORED[group].keys()) > 0.8 * len(STORED[group])


@pytest.mark.parametrize(
    ("stored", "found", "differs"),
    [
        (0.1, 0.1 * (1 + 1e-9), False),
        (0.1, 0.1 * (1 + 1e-5), True),
        (0.0, 1e-6, True),
        (float("nan"), float("nan"), False),
        (1, True, True),
        ("1/3", "1/4", True),
        ([{"a": [1, 2]}], [{"a": [1, 2], "b": 3}], True),
        ({"a": [1, 2]}, {"a": [1]}, True),
        ({"a": [1, 2]}, {"a": [1, 2], "b": 3}, False),
    ],
    ids=repr,
)
def test_a_difference_is_found(stored, found, differs):
    assert bool(list(differences(stored, found))) == differs
