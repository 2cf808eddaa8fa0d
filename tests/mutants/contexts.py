"""A plugin of pytest that records which lines each test executes, and how long each takes."""

import importlib
import json
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

PACKAGES = ("multislot", "considerate", "extenv", "scenarios")
STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.system")
LONGEST = 12.0
"""Seconds of the processor that a recorded test may use: a longer one is too slow to be tried on many mutations."""


def import_packages() -> None:
    """Import every module of the four packages, so that a line that runs at import belongs to no test."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages([package], f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


class Recorder:
    """Switches the context of coverage with each test; a test that starts a process or takes long is skipped."""

    def __init__(self, target: Path) -> None:
        self.log = target.with_suffix(".jsonl").open("w", encoding="utf-8")
        self.measured = coverage.Coverage(
            data_file=str(target.with_suffix(".cov")), include=[f"{Path.cwd()}/{package}/*" for package in PACKAGES]
        )
        self.outcomes: dict[str, str] = {}
        self.calling = False
        self.measured.start()
        sys.addaudithook(self.refuse_process)
        signal.signal(signal.SIGVTALRM, lambda *_: pytest.skip("takes too long to be recorded"))

    def refuse_process(self, event: str, told: tuple[object, ...]) -> None:
        if self.calling and event in STARTS and told[:1] != ("uname",):  # which says what machine this is
            pytest.skip("starts a process, whose lines are not recorded")

    def pytest_sessionstart(self) -> None:
        import_packages()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if sys.gettrace() is None:  # a test of debuggers ended with none
            self.measured.stop()
            self.measured.start()
        self.measured.switch_context(item.nodeid)
        before = time.process_time()
        try:
            return (yield)
        finally:
            record = item.nodeid, round(time.process_time() - before, 4), self.outcomes.get(item.nodeid)
            self.log.write(json.dumps(record) + "\n")
            self.measured.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        self.calling = True
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.calling = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self.outcomes[report.nodeid] = report.outcome

    def pytest_sessionfinish(self) -> None:
        self.log.close()
        self.measured.stop()
        self.measured.save()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(Path(os.environ["CONTEXTS"])), "recorder")
