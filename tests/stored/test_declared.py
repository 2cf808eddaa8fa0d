"""What modules declare is what was stored; the interpreted build tells it of compiled modules, too."""

import pytest

from multislot import Agent
from tests.stored.comparing import MEANT, read_group
from tests.stored.declared import declared, module_names

DECLARED = read_group("declared")


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


def test_compiled_modules_are_described_as_the_interpreted_build_declares_them():
    """The compiled one does not tell; what is written there keeps what was stored of them."""
    assert DECLARED[Agent.__module__]
