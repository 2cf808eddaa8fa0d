"""Try a mutation with the tests that execute its line, in a process forked from one that has imported what it can."""

import ast
import importlib
import json
import os
import resource
import shutil
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

from tests.mutants.contexts import PACKAGES

LIBRARIES = (
    *("flint", "gymnasium", "hypothesis", "joblib", "matplotlib.pyplot", "networkx", "pandas", "pettingzoo.utils"),
    *("pydantic", "rich.table", "scipy.optimize", "scipy.stats", "stable_baselines3", "torch", "typer"),
)
WARNINGS = ("ignore::SyntaxWarning", "ignore::pytest.PytestAssertRewriteWarning")
"""The compiler's remarks on `is 1`, for example, are not a test."""
MARKS = "not full"
"""Tests of both tiers, with few examples of the laws."""
PLAIN = "-q -n0 -p no:cacheprovider -p no:benchmark --hypothesis-profile=quick --tb=no"
OPTIONS = (*PLAIN.split(), "-m", MARKS, *(word for warning in WARNINGS for word in ("-W", warning)))
MEMORY = 8 << 30
"""Bytes that a mutated program may fill."""
STORED = "tests/stored"
ROOT = Path(__file__).parents[2]
KEPT = ".kept"
"""The ending of a source while a mutated one stands in its place."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Executed:
    """Which tests execute what.

    Attributes:
        by_line: tests by module and line.
        by_module: tests that execute a function of a module.
        by_name: tests by a name, of a function that mentions it.
        seconds: of a test, while it was recorded.
    """

    by_line: Mapping[tuple[str, int], Sequence[str]]
    by_module: Mapping[str, set[str]]
    by_name: Mapping[str, set[str]]
    seconds: Mapping[str, float]

    def tests_of(self, module: str, line: int, source: str) -> list[str]:
        """The tests of a line; of a declaration, those of functions that mention its name, then those of its module."""
        first = body_lines(source).get(line)
        if first is not None:
            return self.in_order(self.by_line.get((module, first), ()))
        same = self.by_module.get(module, set())
        named = {test for name in declared_names(source, line) for test in self.by_name.get(name, ())}
        ends = f"_declare_is_what_was_stored[{module.split('/')[0]}]"
        stored = [test for test in self.seconds if test.endswith(ends) or "_are_the_stored_ones[registered-" in test]
        return [*self.in_order(named & same), *self.in_order(named ^ same), *stored]

    def in_order(self, tests: Sequence[str] | set[str]) -> list[str]:
        """One of each function first, cheap ones first; those that compare stored values come last."""
        taken, ranked = Counter[str](), []
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            function = test.split("[")[0]
            ranked.append((test.startswith(STORED), taken[function], self.seconds[test], test))
            taken[function] += 1
        return [test for *_, test in sorted(ranked)]


def body_lines(source: str) -> dict[int, int]:
    """The lines inside functions: for each the first line of its innermost statement, which coverage reports."""
    lines: dict[int, int] = {}
    for function in (node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)):
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if isinstance(node, ast.stmt):
                last = getattr(node, "body", [node])[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
                lines |= dict.fromkeys(range(node.lineno, max(node.lineno, last or 0) + 1), node.lineno)
    return lines


def declared_names(source: str, line: int) -> set[str]:
    """What the statements outside functions declare on a line: constants, fields, classes, functions."""
    names = set[str]()
    for node in ast.walk(ast.parse(source)):
        decorators = getattr(node, "decorator_list", [])
        first = min([getattr(node, "lineno", 0), *(decorator.lineno for decorator in decorators)])
        if isinstance(node, ast.stmt) and first <= line <= (node.end_lineno or 0):
            targets = [getattr(node, "target", None), *getattr(node, "targets", [])]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
            names |= {node.name} if isinstance(node, (ast.ClassDef, *FUNCTIONS)) else set()
    return names


def mentioned_names(source: str) -> Iterator[tuple[str, int]]:
    """The names that functions read, each with the first line of the function's body; a function mentions itself."""
    for function in (node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)):
        line = next((part.lineno for part in function.body if not isinstance(part, ast.Expr)), function.body[0].lineno)
        yield function.name, line
        for node in ast.walk(function):
            if isinstance(node, (ast.Name, ast.Attribute)):
                yield node.id if isinstance(node, ast.Name) else node.attr, line


def read_contexts(folder: Path, root: Path) -> Executed:
    """What the recorded runs of the tests say; tests that failed, were skipped or started a process are left out."""
    by_line = defaultdict[tuple[str, int], list[str]](list)
    by_module, by_name = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    seconds = {}
    for record in folder.glob("*.jsonl"):
        for line in record.read_text(encoding="utf-8").splitlines():
            name, spent, outcome = json.loads(line)
            if outcome == "passed":
                seconds[name] = spent
    modules = {str(file.relative_to(root)): file for name in PACKAGES for file in sorted((root / name).rglob("*.py"))}
    sources = {module: file.read_text(encoding="utf-8") for module, file in modules.items()}
    inside = {module: set(body_lines(source).values()) for module, source in sources.items()}
    for data_file in folder.glob("*.cov"):
        data = coverage.CoverageData(str(data_file))
        data.read()
        for module in sources:
            for line, tests in data.contexts_by_lineno(str(root / module)).items():
                if line in inside[module]:
                    by_line[module, line] += [test for test in tests if test in seconds]
                    by_module[module].update(by_line[module, line])
    for module, source in sources.items():
        for name, number in mentioned_names(source):
            by_name[name].update(by_line.get((module, number), ()))
    return Executed(by_line, by_module, by_name, seconds)


def import_libraries() -> None:
    """Import the libraries once; the packages are imported again with each mutation."""
    for library in LIBRARIES:
        importlib.import_module(library)


def first_tests(tests: Sequence[str], seconds: Mapping[str, float], most: float, files: int) -> list[str]:
    """The first tests that fit into so many recorded seconds and files, then as long those of stored values.

    The first test and the last one are always taken.
    """
    chosen: list[str] = []
    held = set[str]()
    left = {False: most, True: most}
    for test in tests:
        file, stored = test.split("::")[0], test.startswith(STORED)
        fits = seconds[test] <= left[stored] and (stored or file in held or len(held) < files)
        if fits or test in (tests[0], tests[-1]):
            chosen.append(test)
            held.add(file)
            left[stored] -= seconds[test]
    return chosen


class Runner:
    """A plugin of pytest that runs tests in a forked process until one fails; the log's last line says whether one did.

    Args:
        log: where the process writes the name of each test before it runs it, and what became of the last.
        seconds: of each test, while it was recorded. A test that uses six times as many and five more is ended.
    """

    def __init__(self, log: Path, seconds: Mapping[str, float]) -> None:
        self.log, self.seconds = log, seconds
        self.tests: Sequence[str] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        if not all(test in items for test in self.tests):
            raise pytest.UsageError(f"not collected: {[test for test in self.tests if test not in items]}")
        chosen = [items[test] for test in self.tests]
        with self.log.open("w", encoding="utf-8", buffering=1) as log:
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                print(item.nodeid, file=log)
                signal.setitimer(signal.ITIMER_VIRTUAL, 5 + 6 * self.seconds[item.nodeid])
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    print("failed", file=log)
                    return True
            print("passed", file=log)
        return True

    def fork(self, run: Callable[[], object], tests: Sequence[str]) -> str:
        """Run something in a forked process.

        Returns:
            The test that failed or did not end, "import" if none could run, "" if all passed.
        """
        self.log.unlink(missing_ok=True)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                os.setsid()
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, 1)
                os.dup2(nothing, 2)
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
                run()
            finally:  # whatever the mutation brings about
                os._exit(0)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
        signal.alarm(int(90 + 6 * sum(self.seconds[test] for test in tests)))  # waits without end use no processor
        os.waitpid(child, 0)
        signal.alarm(0)
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.is_file() else []
        started = [line for line in lines if line not in ("failed", "passed")]
        return "import" if not started else "" if lines[-1] == "passed" else started[-1]


def try_twice(run: Callable[[str, Sequence[str]], str], original: str, mutated: str, tests: Sequence[str]) -> str:
    """Which test notices the mutation; one that fails in the same way without it is left out."""
    left = list(tests)
    while left:
        noticed = run(mutated, left)
        until = left.index(noticed) + 1 if noticed in left else len(left)
        if not noticed or not (failed := run(original, left[:until])):
            return noticed
        left = [test for test in left if test != failed] if failed in left else []
    return ""


def run_with_file(runner: Runner, root: Path, module: str) -> Callable[[str, Sequence[str]], str]:
    """How to run tests with another source of a module, which the forked process imports."""

    def run(source: str, tests: Sequence[str]) -> str:
        path, kept = root / module, (root / module).with_suffix(KEPT)
        runner.tests = tests
        shutil.copy2(path, kept)
        try:
            path.write_text(source, encoding="utf-8")
            options = [*OPTIONS, f"--basetemp={root}-tmp-{os.getpid()}", *tests]
            return runner.fork(lambda: pytest.main(options, plugins=[runner]), tests)
        finally:
            kept.replace(path)

    return run


def restore_sources(root: Path) -> None:
    """Put back the source of a module whose trial was killed."""
    for kept in root.rglob(f"*{KEPT}"):
        kept.replace(kept.with_suffix(".py"))
