"""What all tests share: no test runs against a stale compiled module, and a run says which build it tested."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.build import built, compiled_sources, stale_modules

SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").splitlines())
"""Tests of the second tier, `make test-all`, not marked slow where they stand: ids, without parameters all of them."""

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("project", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("project")
executed = 0
registered: set[str] = set()  # tasks that a plugin registered before the first test: they stay


@pytest.fixture
def one_thread():
    """PyTorch on one thread: sums in another order have other last bits, and two threads that share a core are slow."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def pytest_itemcollected(item: pytest.Item) -> None:
    if not SLOW.isdisjoint((item.nodeid, item.nodeid.partition("[")[0])):
        item.add_marker("slow")


def pytest_configure(config: pytest.Config) -> None:
    stale = [source.name for source in stale_modules()]
    if stale:
        raise pytest.UsageError(
            f"compiled modules were built from other sources: {', '.join(stale)}; rebuild with  make setup"
        )
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: Ctrl-C is tested all the same
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("MPLBACKEND", "agg")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")


def pytest_report_header() -> str:
    sources = compiled_sources()
    compiled = sum(bool(built(source)) for source in sources)
    return f"build: {compiled} of {len(sources)} compilable modules are compiled"


def pytest_collection_finish() -> None:
    if tasks := sys.modules.get("considerate.craftworld.files"):
        registered.update(tasks.TASKS)


def pytest_runtest_teardown() -> None:
    """Close the figures of pyplot, and forget tasks that a test registered: later tests would depend on them."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if tasks := sys.modules.get("considerate.craftworld.files"):
        for name in tasks.TASKS.keys() - tasks.PAPER_TASKS.keys() - registered:
            del tasks.TASKS[name]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    global executed
    executed += report.when == "call" and not report.skipped


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run in which everything was skipped has shown nothing: it fails as one that found no test does."""
    is_worker = hasattr(session.config, "workerinput")
    if not is_worker and not session.config.option.collectonly and exitstatus == pytest.ExitCode.OK and not executed:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
