"""Pyright accepts what users write: subclasses of compiled agents, and a world from a file as a kernel."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.build import ROOT

USER_CODE = Path(__file__).with_name("user_code.py")


def faults(folder, text):
    """The messages of Pyright's standard mode about a file with this text."""
    (folder / "user_code.py").write_text(text)
    settings = {"include": ["user_code.py"], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return [fault["message"] for fault in json.loads(done.stdout)["generalDiagnostics"] if fault["severity"] == "error"]


@pytest.mark.full
def test_pyright_accepts_what_users_write_and_finds_a_fault(tmp_path):
    text = USER_CODE.read_text()
    assert faults(tmp_path, text) == []
    (fault,) = faults(tmp_path, text + "\nnumber: int = run\n")
    assert "int" in fault
