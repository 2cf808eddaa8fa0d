"""Keeps with which version of which library these tests passed: ``RECORD_VERSIONS=1 pytest tests/interop``.

The page "Works with" is made of what is kept, ``versions.json``, and of ``libraries.toml``.
"""

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.interop.libraries import LIBRARIES, VERSIONS

outcomes: dict[str, set[str]] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        outcomes.setdefault(Path(report.nodeid.partition("::")[0]).name, set()).add(report.outcome)


def pytest_sessionfinish() -> None:
    if os.environ.get("RECORD_VERSIONS") != "1":
        return
    kept = json.loads(VERSIONS.read_text()) if VERSIONS.exists() else {}
    for library in LIBRARIES:
        if outcomes.get(library.test) == {"passed"}:
            versions = {name: version(name) for name in (library.package, "gymnasium", "pettingzoo")}
            kept[library.package] = versions | {"python": platform.python_version()}
    VERSIONS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
