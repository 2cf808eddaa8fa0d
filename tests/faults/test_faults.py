"""Every planted fault still has its place; planting is done by ``python -m tests.faults``."""

import pytest

from scenarios.lab.registry import find
from tests.faults.__main__ import read_faults, scenarios_for

FAULTS, BY_FILE = read_faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_of_a_fault_stands_in_its_file_once(fault):
    assert fault.places == 1
    assert fault.new != fault.old


def test_there_are_enough_with_names_of_their_own_and_scenarios_that_exist():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 120
    assert all(find(name) for fault in FAULTS for name in scenarios_for(fault.file, BY_FILE))
