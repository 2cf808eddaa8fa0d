"""Registers the tutorial's task, as a package outside this one would; pytest loads it with ``-p``."""

import re

from considerate.zoo import register_task
from tests.build import ROOT

TEXT = re.search(
    r'parse_task\("""\n(.*?)"""\)',
    (ROOT / "docs" / "tutorials" / "craftworld.md").read_text(encoding="utf-8"),
    re.DOTALL,
)[1]


def pytest_configure(config):
    """Register the task before tests are collected."""
    register_task(TEXT)
