"""Draw mutations with a seed, try each with the tests that execute its line, write docs/mutants.csv.

Everything happens in a copy of the committed sources without compiled modules, in build/mutants. It can be stopped and
goes on where it was. Usage::

    python -m tests.mutants record             # which test executes which line: half an hour
    python -m tests.mutants try --seed 1       # draws 400, tries what was not tried yet: hours
    python -m tests.mutants write              # counts by package; rows to the table in docs
"""

import argparse
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.mutants import trying
from tests.mutants.drawing import PACKAGES, Mutant, draw_sample, kind_of

ROOT = Path(__file__).parents[2]
BUILD, TABLE = ROOT / "build" / "mutants", ROOT / "docs" / "mutants.csv"
WITHOUT_TESTS = ROOT / "docs" / "mutants_in_experiments.csv"
SOURCES, CONTEXTS = BUILD / "sources", BUILD / "contexts"
HEADER = ("seed", "mutant", "kind", "old", "new", "tests", "noticed", "why")
LEFT_OUT = ("test_cost.py", "test_full_disk.py", "interop", "typing", "mutants", "test_interleavings.py")
"""Tests whose lines are not recorded: they limit time or disks, are of other libraries, or trace lines themselves."""
KERNEL = ("multislot/agents/_one_hot.*.so", "multislot/_compiled.hashes")
"""The trainer written in C: tests of its Python need it."""
MOST = 12.0
"""Seconds of tests, as recorded, that are tried on a mutation; as many again of those that compare stored values."""
MOST_FILES = 20
"""Of how many files: each mutation imports them again."""
ENVIRONMENT = {"MULTISLOT_INTERPRETED": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def copy_sources(commit: str = "HEAD", target: Path = SOURCES) -> None:
    """Copy what is committed and the kernel written in C; modules compiled from Python are not."""
    shutil.rmtree(target, ignore_errors=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(target, filter="data")
    for built in (path for pattern in KERNEL for path in ROOT.glob(pattern)):
        shutil.copy2(built, target / built.relative_to(ROOT))


def record() -> None:
    """Run the tests under coverage, two folders at a time; what was recorded at this commit is not run again."""
    copy_sources()
    CONTEXTS.mkdir(exist_ok=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    def record_folder(folder: Path) -> None:
        tests = [path.relative_to(SOURCES) for path in sorted(folder.glob("*.py"))]
        files = [str(path) for path in tests if path.name.startswith("test_") and not set(LEFT_OUT) & set(path.parts)]
        target = CONTEXTS / "-".join(folder.relative_to(SOURCES).parts)
        made = target.with_suffix(".made")
        if files and not (made.is_file() and made.read_text(encoding="utf-8") == commit):
            environment = {**os.environ, **ENVIRONMENT, "CONTEXTS": str(target), "PYTHONPATH": str(SOURCES)}
            command = [sys.executable, "-m", "pytest", *trying.OPTIONS, "-p", "tests.mutants.contexts", *files]
            subprocess.run(command, cwd=SOURCES, env=environment, check=False)
            made.write_text(commit, encoding="utf-8")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(record_folder, sorted({path.parent for path in (SOURCES / "tests").rglob("test_*.py")})))


def try_sample(seed: int, size: int) -> None:
    """Draw, and try what no stored result names; each result is stored at once."""
    results = BUILD / f"{seed}.jsonl"
    trying.restore_sources(SOURCES)
    executed = trying.read_contexts(CONTEXTS, SOURCES)
    os.environ.update(ENVIRONMENT, PYTHONPATH=str(SOURCES), MPLBACKEND="agg", SDL_VIDEODRIVER="dummy")
    os.chdir(SOURCES)
    sys.path[:0] = [str(SOURCES)]
    runner = trying.Runner(BUILD / f"{seed}.log", executed.seconds)
    tried = {row["mutant"] for row in read_lines(results.read_text(encoding="utf-8") if results.is_file() else "")}
    drawn = [mutant for mutant in draw_sample(SOURCES, size, seed) if mutant.name not in tried]
    trying.import_libraries()
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        del sys.modules[name]  # the copy's own tests are imported
    for mutant in drawn:
        source = (SOURCES / mutant.module).read_text(encoding="utf-8")
        mutated = mutant.mutate(source) or ""
        tests = executed.tests_of(mutant.module, mutant.line, source)
        first = trying.first_tests(tests, executed.seconds, MOST, MOST_FILES)
        noticed = trying.try_twice(trying.run_with_file(runner, SOURCES, mutant.module), source, mutated, first)
        row = {"mutant": mutant.name, "tests": len(tests), "noticed": noticed} | describe(mutant, source, mutated)
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def describe(mutant: Mutant, source: str, mutated: str) -> dict[str, str]:
    """The line before and after, and whether it computes, draws, prints or makes a page."""
    pairs = zip(source.splitlines(), mutated.splitlines(), strict=False)
    old, new = next((old.strip(), new.strip()) for old, new in pairs if old != new)
    return {"kind": kind_of(mutant.module, mutant.line, source), "old": old, "new": new}


def write() -> None:
    """Write the rows of all samples and print the counts; what a person said about a survivor is kept."""
    before = read_table()
    said = {(row["seed"], row["mutant"]): row["why"] for row in before}
    tried = {results.stem: results.read_text(encoding="utf-8") for results in sorted(BUILD.glob("*.jsonl"))}
    rows: list[dict[str, Any]] = [row for row in before if row["seed"] not in tried]
    for seed, lines in tried.items():
        rows += [{"seed": seed, "why": said.get((seed, row["mutant"]), ""), **row} for row in read_lines(lines)]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print("\n".join(count_rows()))


def read_lines(lines: str) -> list[dict[str, Any]]:
    """The rows of a file of results."""
    return [json.loads(line) for line in lines.splitlines()]


def read_table(table: Path = TABLE) -> list[dict[str, str]]:
    """The rows of docs/mutants.csv, or of another table; none before it is first written."""
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def count_rows() -> list[str]:
    """The table of the page on evidence: how many were tried and noticed, by package for the last seed."""
    counted, seeds = [], sorted({row["seed"] for row in read_table()})
    for seed in seeds:
        rows = [row for row in read_table() if row["seed"] == seed]
        for package in (*PACKAGES, "all") if seed in seeds[-1:] else ("all",):
            own = [row for row in rows if package in ("all", row["mutant"].split("/")[0])]
            code = [row for row in own if row["kind"] == "code" and not row["why"].startswith("equivalent")]
            noticed, none = sum(row["noticed"] != "" for row in code), sum(row["tests"] == "0" for row in code)
            cells = f"{seed} {package}".removesuffix(" all"), len(own), len(code), noticed, none
            counted.append("| " + " | ".join(map(str, cells)) + " |")
    return counted


def count_experiments() -> list[str]:
    """The table of the page on evidence: what the quick experiments noticed, by package."""
    counted, rows = [], read_table(WITHOUT_TESTS)
    for package in (*PACKAGES, "all"):
        seen = [row["experiments"] for row in rows if package in ("all", row["mutant"].split("/")[0])]
        executed = [each for each in seen if each != "not executed"]
        noticed, changed = (sum(mark in each for each in executed) for mark in (": ", "changed in "))
        cells = package, noticed, changed, len(executed) - noticed - changed, len(seen) - len(executed)
        counted.append("| " + " | ".join(map(str, cells)) + " |")
    return counted


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("step", choices=("record", "try", "write"))
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--size", type=int, default=400)
    asked = parser.parse_args()
    if asked.step == "try":
        try_sample(asked.seed, asked.size)
    else:
        {"record": record, "write": write}[asked.step]()


if __name__ == "__main__":
    main()
