"""A plugin of pytest that records which lines each test executes, and how long each takes."""

import json
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

PACKAGES = ("multislot", "considerate", "extenv", "scenarios")
STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.system")


class Recorder:
    """Switches the context of coverage with each test; a test that starts a process is skipped."""

    def __init__(self, target: Path) -> None:
        self.log = target.with_suffix(".jsonl").open("w", encoding="utf-8")
        self.measured = coverage.Coverage(
            data_file=str(target.with_suffix(".cov")), include=[f"{Path.cwd()}/{package}/*" for package in PACKAGES]
        )
        self.outcomes: dict[str, str] = {}
        self.calling = False
        self.measured.start()
        sys.addaudithook(self.refuse_process)

    def refuse_process(self, event: str, _: object) -> None:
        if self.calling and event in STARTS:
            pytest.skip("starts a process, whose lines are not recorded")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
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
        try:
            return (yield)
        finally:
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
