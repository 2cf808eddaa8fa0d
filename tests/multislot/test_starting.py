"""What the command's process is told by: how Python was called."""

import sys

import pytest

from multislot import starting


@pytest.mark.parametrize(
    ("seen", "typed", "expected"),
    [
        ("-m", ["python", "-m", "multislot"], True),
        ("-m", ["python", "-Im", "multislot", "run"], True),
        ("-m", ["python", "-m", "pytest", "multislot"], False),
        ("-m", ["python", "m", "multislot"], False),
        ("-m", ["python", "-mx", "multislot"], False),
        ("/bin/multislot", ["python", "/bin/multislot"], True),
        ("/bin/multislot.exe", ["/bin/multislot.exe"], True),
        ("/bin/multislot", ["python"], False),
        ("/bin/other", ["python", "/bin/other"], False),
    ],
)
def test_the_command_is_told_by_how_python_was_called(monkeypatch, seen, typed, expected):
    monkeypatch.setattr(sys, "argv", [seen, "list"])
    monkeypatch.setattr(sys, "orig_argv", typed)
    assert starting.is_command() is expected
