"""Try a mutation with the tests that execute its line, in a process forked from one that has imported the libraries."""

import ast
import importlib
import json
import os
import re
import resource
import signal
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

PRELOADED = (
    *("flint", "gymnasium", "hypothesis", "joblib", "matplotlib.pyplot", "networkx", "pandas", "pettingzoo.utils"),
    *("pydantic", "rich.table", "scipy.optimize", "scipy.stats", "stable_baselines3", "torch", "typer"),
)
WARNINGS = ("ignore::SyntaxWarning", "ignore::pytest.PytestAssertRewriteWarning")
"""The compiler's remarks on `is 1`, for example, are not a test."""
OPTIONS = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:benchmark", "--hypothesis-profile=quick", "--tb=no"),
    *(word for warning in WARNINGS for word in ("-W", warning)),
)
MEMORY = 4 << 30
"""Bytes that a mutated program may fill."""


@dataclass(frozen=True)
class Executed:
    """Which tests execute what.

    Attributes:
        by_line: tests by module and line.
        by_module: tests that execute a function of a module.
        seconds: of a test, while it was recorded.
    """

    by_line: Mapping[tuple[str, int], Sequence[str]]
    by_module: Mapping[str, Sequence[str]]
    seconds: Mapping[str, float]

    def tests_of(self, root: Path, module: str, line: int) -> list[str]:
        """The tests of a line, or of its module if it runs at import: one of each function first, cheap ones first."""
        first = body_lines(root / module).get(line)
        tests = self.by_module.get(module, ()) if first is None else self.by_line.get((module, first), ())
        ordered, taken = sorted(tests, key=lambda test: (self.seconds[test], test)), Counter[str]()
        ranked = []
        for test in ordered:
            function = test.split("[")[0]
            ranked.append((taken[function], self.seconds[test], test))
            taken[function] += 1
        return [test for *_, test in sorted(ranked)]


def body_lines(path: Path) -> dict[int, int]:
    """The lines inside functions: for each the first line of its innermost statement, which coverage reports."""
    lines: dict[int, int] = {}
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in (node for node in ast.walk(tree) if isinstance(node, functions)):
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if isinstance(node, ast.stmt):
                last = getattr(node, "body", [node])[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
                lines |= dict.fromkeys(range(node.lineno, max(node.lineno, last or 0) + 1), node.lineno)
    return lines


def read_contexts(folder: Path, root: Path) -> Executed:
    """What the recorded runs of the tests say; tests that failed, were skipped or started a process are left out."""
    by_line, by_module = defaultdict[tuple[str, int], list[str]](list), defaultdict[str, set[str]](set)
    seconds = {}
    for record in folder.glob("*.jsonl"):
        for line in record.read_text(encoding="utf-8").splitlines():
            name, spent, outcome = json.loads(line)
            if outcome == "passed":
                seconds[name] = spent
    for data_file in folder.glob("*.cov"):
        data = coverage.CoverageData(str(data_file))
        data.read()
        for file in (file for file in data.measured_files() if file.endswith(".py")):
            module = str(Path(file).relative_to(root))
            inside = body_lines(Path(file))
            for line, contexts in data.contexts_by_lineno(file).items():
                tests = [test for test in contexts if test in seconds]
                by_line[module, line] += tests
                if line in inside:
                    by_module[module].update(tests)
    return Executed(by_line, {module: sorted(tests) for module, tests in by_module.items()}, seconds)


def preload() -> None:
    """Import the libraries once; the packages themselves are imported by each forked process."""
    for library in PRELOADED:
        importlib.import_module(library)


def run_tests(root: Path, tests: Sequence[str], seconds: float) -> str:
    """Run tests in a forked process until one fails.

    Args:
        root: of a copy of the sources without compiled modules.
        tests: their ids.
        seconds: of the processor that the process may use.

    Returns:
        The test that failed, "import" if they could not be imported, "time" or "crash"; "" if all passed.
    """
    output = root / "output.txt"
    output.write_text("")
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.setsid()
        file = os.open(output, os.O_WRONLY | os.O_APPEND)
        os.dup2(file, 1)
        os.dup2(file, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        os.chdir(root)
        code = 70
        try:
            code = int(pytest.main([*OPTIONS, "-rfE", f"--basetemp={root}-tmp", *tests]))
        except BaseException:  # whatever the mutation brings about
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(int(20 * seconds))  # waits without end use no processor
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    if os.WIFSIGNALED(status):
        return "time" if os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXCPU) else "crash"
    failed = re.search(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", output.read_text(errors="replace"), re.MULTILINE)
    return "" if not os.WEXITSTATUS(status) else failed[1] if failed else "import"


def batches(tests: Iterable[str], seconds: Mapping[str, float], limits: Sequence[float]) -> list[list[str]]:
    """Split tests into batches of at most so many seconds each; what goes beyond the last is left out."""
    split: list[list[str]] = [[]]
    spent = 0.0
    for test in tests:
        if split[-1] and spent + seconds[test] > limits[len(split) - 1]:
            if len(split) == len(limits):
                break
            split.append([])
            spent = 0
        split[-1].append(test)
        spent += seconds[test]
    return [batch for batch in split if batch]


def try_mutant(root: Path, module: str, mutated: str, tests: Sequence[str], executed: Executed, most: float) -> str:
    """Put the mutated source into its place, run the tests by and by, put the old source back."""
    path = root / module
    original, times = path.read_bytes(), path.stat()
    try:
        path.write_text(mutated, encoding="utf-8")
        for batch in batches(tests, executed.seconds, (2, 13, most)):
            limit = 20 + 3 * sum(executed.seconds[test] for test in batch)
            if noticed := run_tests(root, batch, limit):
                return noticed
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return ""
