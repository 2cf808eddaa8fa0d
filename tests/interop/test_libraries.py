"""What the page "Works with" says is what tests ran."""

import json

from tests.interop.libraries import HERE, LIBRARIES, VERSIONS


def test_every_library_has_its_tests_and_a_version_with_which_they_passed():
    tested = {path.name for path in HERE.glob("test_*.py")} - {"test_libraries.py", "test_contract.py"}
    assert tested == {library.test for library in LIBRARIES}
    assert set(json.loads(VERSIONS.read_text())) == {library.package for library in LIBRARIES}
