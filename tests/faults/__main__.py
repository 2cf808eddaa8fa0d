"""Plant every fault of ``faults.toml`` in a scratch copy, and say which scenario notices it.

A fault is a text of a file and what stands there instead. It is noticed by the first of the scenarios named for its
file in which a row no longer agrees, or that fails. The scratch copy has no compiled modules, so the planted text runs.
Usage::

    python -m tests.faults                   # all of them, to docs/planted_faults.csv; some ten minutes on two cores
    python -m tests.faults --only "equation" # those whose name or file contains this; only their rows are replaced
    python -m tests.faults --unnoticed       # those that nobody noticed the last time
    python -m tests.faults --check           # only whether each text is found exactly once
"""

import argparse
import csv
import importlib
import json
import re
import shutil
import signal
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TABLE, ANSWER = Path(__file__).with_name("faults.toml"), ROOT / "docs" / "planted_faults.csv"
PACKAGES = ("multislot", "considerate", "extenv", "scenarios")
PRELOADED = ("numpy", "scipy.optimize", "scipy.sparse", "scipy.stats", "gymnasium", "pettingzoo", "pydantic", "torch")
"""Libraries that are imported once, before each fault gets a process of its own."""
LONGEST = 300
NOBODY = "nobody"
HEADER = ("fault", "file", "noticed by", "row that differs", "why nobody can")


@dataclass(frozen=True)
class Fault:
    """A planted mistake.

    Attributes:
        name: in words.
        file: below the root.
        old: the text that stands there, once.
        new: what is planted instead.
        equivalent: why no scenario can notice it; empty if one should.
    """

    name: str
    file: str
    old: str
    new: str
    equivalent: str = ""

    @property
    def places(self) -> int:
        """How often the text stands in the file; 1 if the fault can be planted."""
        place = ROOT / self.file
        return place.read_text(encoding="utf-8").count(self.old) if place.is_file() else 0


def read_faults() -> tuple[list[Fault], dict[str, list[str]]]:
    """The faults, and the scenarios to ask by how a file's name begins."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [Fault(**fault) for fault in table["fault"]], table["scenarios"]


def scenarios_for(file: str, by_file: dict[str, list[str]]) -> list[str]:
    """The scenarios of the longest beginning of a file's name."""
    return by_file[max((prefix for prefix in by_file if file.startswith(prefix)), key=len)]


def copy_sources(scratch: Path) -> None:
    """Copy the packages without compiled modules."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, scratch / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))


def find_notice(task: tuple[Fault | None, list[str], Path]) -> tuple[str, str]:
    """Who notices a fault, and by which row; the sources as they are if there is none. It needs a fresh process."""
    fault, scenarios, scratch = task
    sys.path.insert(0, str(scratch))
    sys.dont_write_bytecode = fault is not None
    if fault:
        plant(scratch / fault.file, fault)
    signal.alarm(LONGEST)
    signal.signal(signal.SIGALRM, give_up)
    name = scenarios[0]
    try:
        for name in scenarios:
            row = differing_row(name)
            if row is not None:
                return name, row
    except BaseException as error:  # whatever the fault brings about
        text = re.sub(r" at 0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")  # an address is new in each process
        return name, text.splitlines()[0][:120]
    return NOBODY, ""


def plant(file: Path, fault: Fault) -> None:
    """Let the import of a file find the fault in it."""
    as_it_stands = SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> Any:
        if Path(loader.path) != file:
            return as_it_stands(loader, name)
        text = file.read_text(encoding="utf-8").replace(fault.old, fault.new)
        return compile(text, str(file), "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def give_up(*_: object) -> None:
    """Stop a scenario that does not end."""
    raise TimeoutError(f"it does not end within {LONGEST} s")


def differing_row(name: str) -> str | None:
    """The first row of a scenario that does not agree, at the settings of the reproduction."""
    registry = importlib.import_module("scenarios.lab.registry")
    compare = importlib.import_module("scenarios.lab.table").beside_papers
    as_json = importlib.import_module("multislot.cells").as_json
    scenario = registry.find(name)
    settings = scenario.settings(preset="QUICK")
    results = [(cell, json.loads(as_json(scenario.run_cell(cell)))) for cell in scenario.cells(settings)]
    rows = compare(scenario.table(settings, results), scenario.expected)
    return next((f"{row.quantity}, {row.condition}" for row in rows if row.agrees is False), None)


def plant_all(faults: list[Fault], by_file: dict[str, list[str]], jobs: int) -> Iterator[tuple[Fault, str, str]]:
    """Plant each fault in a process of its own; yield who noticed and how."""
    for library in PRELOADED:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy_sources(scratch)
        groups = {tuple(scenarios_for(fault.file, by_file)) for fault in faults}
        with get_context("fork").Pool(jobs, maxtasksperchild=1) as pool:
            for who, how in pool.imap(find_notice, [(None, list(names), scratch) for names in groups], chunksize=1):
                if who != NOBODY:
                    raise SystemExit(f"{who} differs without any fault: {how}")
            tasks = [(fault, scenarios_for(fault.file, by_file), scratch) for fault in faults]
            for fault, (who, how) in zip(faults, pool.imap(find_notice, tasks, chunksize=1), strict=True):
                yield fault, who, how


def main() -> None:
    """Read the command line, plant, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--only", default="", help="those whose name or file contains this text")
    parser.add_argument("--unnoticed", action="store_true", help="those that nobody noticed in the stored table")
    parser.add_argument("--check", action="store_true", help="only whether each text is found exactly once")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=Path, default=ANSWER)
    asked = parser.parse_args()
    faults, by_file = read_faults()
    every_fault, stored = faults, read_answer(asked.save)
    faults = [fault for fault in faults if asked.only in fault.name or asked.only in fault.file]
    if asked.unnoticed:
        faults = [fault for fault in faults if stored.get(fault.name, [NOBODY])[0] == NOBODY]
    lost = [fault for fault in faults if fault.places != 1]
    for fault in lost:
        print(f"{fault.file}: the text of {fault.name!r} stands there {fault.places} times; mend faults.toml")
    if asked.check or lost:
        raise SystemExit(bool(lost))
    for fault, who, how in plant_all(faults, by_file, asked.jobs):
        print(f"{who:24} {fault.name}: {how}", flush=True)
        stored[fault.name] = [who, how]
    rows = [
        (fault.name, fault.file, *stored[fault.name], fault.equivalent) for fault in every_fault if fault.name in stored
    ]
    print(f"{sum(row[2] != NOBODY for row in rows)} of {len(rows)} noticed")
    with asked.save.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])


def read_answer(path: Path) -> dict[str, list[str]]:
    """Who noticed each fault, and by which row, in a stored table."""
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {name: [who, how] for name, _, who, how, _ in list(csv.reader(file))[1:]}


if __name__ == "__main__":
    main()
