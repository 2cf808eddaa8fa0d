"""Try mutations as somebody would who runs no test: with the quick experiments that execute the line."""

import ast
import builtins
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tests.mutants.trying import KEPT, MEMORY, body_lines, declared_names

SHOWN = ("rows", "headline", "story", "uncovered")
"""What is compared of the JSON of a run; seconds and folders are not."""
MOST = 12.0
"""Seconds of experiments, as recorded, that are tried on a mutation, quickest first, and one at least."""
Row: TypeAlias = Mapping[str, str]
Place: TypeAlias = tuple[str, int]
"""A module and a line."""
Ending: TypeAlias = Mapping[str, Any]
"""How a run ended and what it showed: "status", negative if it was killed, and the answers of `SHOWN`."""


def draw_rows(table: Sequence[Row], seed: int, size: int) -> list[Row]:
    """A random order of the mutations of a seed that count: code, with an effect."""
    counted = [row for row in table if row["seed"] == str(seed) and row["kind"] == "code"]
    counted = [row for row in counted if not row["why"].startswith("equivalent")]
    return random.Random(seed).sample(counted, min(size, len(counted)))


def find_statements(source: str, module: str, line: int, mentions: Sequence[tuple[str, Place]]) -> set[Place]:
    """The statements that need a line: its own; for what is declared, the first of each function that mentions it."""
    first = body_lines(source).get(line)
    if first is not None:
        return {(module, first)}
    names = declared_names(source, line)
    named = {place for name, place in mentions if name in names}
    own = {place for _, place in mentions if place[0] == module}
    return named & own or named or own


def insert_probes(source: str, probes: Mapping[int, Iterable[str]]) -> str:
    """A module that says, before each statement on a line, which mutations it belongs to."""
    tree = ast.parse(source)
    for node in list(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            statements: Any = getattr(node, field, None)
            for each in list(statements) if isinstance(statements, list) else ():
                calls = "\n".join(f"PROBE({name!r})" for name in probes.get(each.lineno, ()))
                place = statements.index(each)
                statements[place:place] = ast.parse(calls).body
    return ast.unparse(ast.fix_missing_locations(tree))


def run_experiment(name: str, folder: Path, limit: float, hits: Path | None = None) -> Ending:
    """Run a quick experiment, without pictures, in a forked process and from the sources of the present folder.

    Args:
        name: of the experiment.
        folder: for its results, which are removed.
        limit: seconds of the processor until it is ended; a run that only waits is ended, too.
        hits: where the probes that it met are stored.
    """
    output, results, status, met = folder / "output.json", folder / "results", 70, set[str]()
    sys.stdout.flush()
    if not (child := os.fork()):
        try:
            os.setsid()
            signal.setitimer(signal.ITIMER_VIRTUAL, limit)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            for number in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), number)
            vars(builtins)["PROBE"] = met.add
            sys.modules["matplotlib"] = None  # type: ignore[assignment]
            sys.argv = ["multislot", "run", name, "--quick", "--json", "--results", str(results)]
            with output.open("w", encoding="utf-8") as sys.stdout:
                importlib.import_module("multislot.__main__").main()
        except SystemExit as ended:
            status = int(ended.code or 0)
            if hits:
                hits.write_text(json.dumps(sorted(met)), encoding="utf-8")
        finally:  # whatever the mutation brings about
            os._exit(status)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(int(60 + 30 * limit))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(0)
    shutil.rmtree(results, ignore_errors=True)
    try:
        answer = json.loads(output.read_text(encoding="utf-8"))
        return {"status": status} | {key: answer[key] for key in SHOWN}
    except (OSError, ValueError, KeyError, TypeError):
        return {"status": min(status, 0) or 70}


def record_experiments(names: Iterable[str], folder: Path) -> dict[str, Any]:
    """What each experiment shows, how long it takes and which probes it meets; this is stored."""
    recorded = {}
    for name in names:
        stored, hits = folder / f"{name}.json", folder / "hits"
        if not stored.is_file():
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            ending = run_experiment(name, folder, 600, hits)
            seconds = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 2)
            print(name, ending["status"], seconds, flush=True)
            made = {"ending": ending, "seconds": seconds, "hits": json.loads(hits.read_bytes())}
            stored.write_text(json.dumps(made), encoding="utf-8")
        recorded[name] = json.loads(stored.read_bytes())
    return recorded


def judge(before: Ending, after: Ending) -> str:
    """How a user notices: "time-out", "error", "a row"; "changed" if only numbers differ that nothing compares."""
    if after["status"] < 0:
        return "time-out"
    if after["status"] not in (0, 1):
        return "error"
    agreed, agree = (sum(row["agrees"] is True for row in ending["rows"]) for ending in (before, after))
    return "a row" if after["status"] or agree < agreed else "changed" if after != before else ""


def replace_source(module: str, text: str) -> None:
    """Write another source of a module of the present folder; `trying.restore_sources` puts the first one back."""
    shutil.copy2(module, Path(module).with_suffix(KEPT))
    Path(module).write_text(text, encoding="utf-8")


def try_mutation(names: Sequence[str], recorded: Mapping[str, Any]) -> str:
    """Run experiments on the mutated sources of the present folder until one notices; say which and how.

    Returns:
        If none notices: how many were tried, of how many, and which show other numbers.
    """
    changed, tried, left = [], 0, MOST
    for name in sorted(names, key=lambda name: (recorded[name]["seconds"], name)):
        seconds = recorded[name]["seconds"]
        if tried and seconds > left:
            break
        tried, left = tried + 1, left - seconds
        seen = judge(recorded[name]["ending"], run_experiment(name, Path(".."), 3 + 4 * seconds))
        if seen not in ("", "changed"):
            return f"{name}: {seen}"
        changed += [name] if seen else []
    count = f"{tried} of {len(names)}" if names else "not executed"
    return f"changed in {' '.join(changed)}; {count}" if changed else count
