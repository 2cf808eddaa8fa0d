"""What all tests share: no test runs against a stale compiled module, and a run says which build it tested."""

import os

import pytest
from hypothesis import settings

from tests.build import built, compiled_sources, stale_modules

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")


def pytest_configure(config: pytest.Config) -> None:
    stale = [source.name for source in stale_modules()]
    if stale:
        raise pytest.UsageError(
            f"compiled modules are older than their sources: {', '.join(stale)}; rebuild with  make setup"
        )
    os.environ.setdefault("MPLBACKEND", "agg")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")


def pytest_report_header() -> str:
    sources = compiled_sources()
    compiled = sum(bool(built(source)) for source in sources)
    return f"build: {compiled} of {len(sources)} compilable modules are compiled"
