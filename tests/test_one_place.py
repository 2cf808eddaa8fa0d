"""One change, one place: what is registered from outside the package passes every test that goes through its kind."""

import subprocess
import sys

from tests.build import ROOT


def test_a_registered_task_passes_all_tests_that_go_through_the_tasks():
    """In a process of its own, since tests are collected for the tasks that are registered by then."""
    plugins = ("-p", "tests.considerate.bottles", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-n", "0", "-k", "bottles", "tests/considerate"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert "failed" not in done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 9
