"""What is computed and declared is what was stored, and a difference would be found."""

import pytest

from multislot import Agent
from tests.stored.comparing import differences, read_group
from tests.stored.declared import declared, module_names
from tests.stored.groups import GROUPS

STORED = {group: read_group(group) for group in GROUPS}
DECLARED = read_group("declared")
CASES = [(group, name) for group in GROUPS for name in STORED[group]]
MEANT = "; if the change is meant, run  python -m tests.stored  and look at what it changes"


@pytest.mark.parametrize(("group", "name"), CASES, ids=[f"{group}-{name}" for group, name in CASES])
def test_values_are_the_stored_ones(group, name):
    """Names that are gone are not compared. Most names of a group must still be there."""
    if name not in GROUPS[group].names():
        pytest.skip("was there when values were stored")
    found = GROUPS[group].value(name)
    assert list(differences(STORED[group][name], found)) == [], f"{group}, {name}{MEANT}"


@pytest.mark.compiled
@pytest.mark.parametrize("package", ["multislot", "considerate", "extenv", "scenarios"])
def test_what_modules_declare_is_what_was_stored(package):
    """What is new or gone is not compared: only a number, a default or a flag that is another one is refused."""
    modules = [name for name in module_names() if name.split(".")[0] == package and name in DECLARED]
    found = {f"{module}.{own}": text for module in modules for own, text in declared(module).items()}
    stored = {f"{module}.{own}": text for module, own_texts in DECLARED.items() for own, text in own_texts.items()}
    both = found.keys() & stored.keys()
    assert len(both) > 0.5 * len([name for name in stored if name.split(".")[0] == package])  # some may be compiled
    assert [f"{name}: {stored[name]} -> {found[name]}" for name in sorted(both) if stored[name] != found[name]] == [], (
        MEANT
    )


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


def test_compiled_modules_are_described_as_the_interpreted_build_declares_them():
    """The compiled one does not tell; what is written there keeps what was stored of them."""
    assert DECLARED[Agent.__module__]
