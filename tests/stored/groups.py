"""What is compared with stored values, by group and name."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from typer.testing import CliRunner

import considerate.zoo
import extenv.zoo
from multislot.errors import MultislotError
from multislot.exact.files.answers import answer
from multislot.exact.files.worlds import world_names, world_text
from multislot.zoo.registration import ENTRIES, REGISTERED
from scenarios.explore.questions import reply
from scenarios.lab import registry
from scenarios.lab.cli import app
from scenarios.lab.table import Row, beside_papers
from scenarios.profile.subjects import SCRIPTS
from tests.scenarios.lab.small import SMALL
from tests.scenarios.profile.kinds import FOREIGN
from tests.stored import computed, drawn
from tests.stored.comparing import as_stored, without_wording

ZOOS = considerate.zoo, extenv.zoo
"""They register environments when they are imported."""
BRIEF = {"seeds": 2, "rounds": 40, "resolution": 2}
CHANGES = {
    **SMALL,
    **dict.fromkeys(("blind-fork", "copy", "copy-delete", "teleport", "tree", "universal"), BRIEF),
}
"""Settings at which an experiment takes about a second."""
LEFT_OUT = {
    **dict.fromkeys(("copy", "copy-delete", "teleport", "tree"), ("'grid'", "'map'")),
    "blind-fork": ("'grid'",),
    "universal": ("'map'",),
    "comparators": ("'shared-key'", "'box'"),
}
"""Cells that take longer, by what stands in their representation."""
LONG = ("one-life", "released-totals")
"""Experiments that take longer, or train networks, whose last bits depend on the processor."""
SOLVED = {
    "branch-line --map away discount": ("branch-line", "--map", "away", "discount"),
    "copy --map r_2 caring=0..1:5": ("copy", "--map", "r_2", "caring=0..1:5"),
    **{f"{name} --all": (name, "--all") for name in world_names()},
}
ASKED: dict[str, dict[str, Any]] = {
    **{f"caring, {task}": {"view": "caring", "task": task, "criterion": "value"} for task in ("garden", "mail-room")},
    "caution": {"view": "caution", "beta": "0.9", "truth": "safe", "seed": 1},
    "caution, deadly": {"view": "caution", "beta": "0.5", "truth": "deadly", "seed": 2},
    **{f"{view}, start": {"view": view} for view in ("caring", "caution", "reflection", "start")},
    "tree": {"view": "identity", "world": "fission", "tree": {"value": "dyn", "depth": 3}, "lineage": {}},
}


@dataclass(frozen=True)
class Group:
    """Values that are computed alike, each by its name."""

    names: Callable[[], Iterable[str]]
    compute: Callable[[str], Any]

    def value(self, name: str) -> Any:
        """The value as JSON, without the wording of its sentences."""
        return without_wording(as_stored(self.compute(name)))


def small_settings(name: str) -> Any:
    """The settings at which an experiment takes about a second."""
    known = registry.find(name)
    return known.settings(CHANGES[name]) if name in CHANGES else known.settings(preset="QUICK")


def varied_names() -> Iterator[str]:
    """Experiments that take part, each with a setting that is changed."""
    for name in sorted(registry.discover().keys() - {*LONG, "mentor-level"}):
        for field in computed.varied_settings(small_settings(name)):
            yield f"{name}: {field}"


def varied_experiment(name: str) -> dict[str, Any]:
    """An experiment with one setting changed, or the error that says why it may not be."""
    which, _, field = name.partition(": ")
    settings = small_settings(which)
    try:
        changed = replace(settings, **{field: computed.varied_settings(settings)[field]})
        return experiment(which, changed, "'grid'", "'map'", *(["'learner'"] if which in LEFT_OUT else []))
    except (MultislotError, ValueError) as error:
        return {"error": type(error).__name__}


def experiment(name: str, settings: Any = None, *without: str) -> dict[str, Any]:
    """The rows of an experiment on small settings beside what is expected, and its story."""
    known = registry.find(name)
    asked = settings or small_settings(name)
    left_out = (*LEFT_OUT.get(name, ()), *without)
    cells = [cell for cell in known.cells(asked) if not any(part in repr(cell) for part in left_out)]
    results = [(cell, json.loads(json.dumps(known.run_cell(cell), default=str))) for cell in cells]
    rows = beside_papers(known.table(asked, results), known.expected)
    story = "" if left_out else known.story(asked, results)
    found = {f"{row.quantity} | {row.condition}": _described(row) for row in rows}
    assert settings or len(found) == len(rows), "two rows have the same name"
    return found | {"story": story}


def _described(row: Row) -> list[Any]:
    return [row.kind, row.outcome, row.conjecture, row.ours, row.uncertainty, row.paper, row.tolerance, row.interval]


def printed(name: str) -> list[str]:
    """What the command prints."""
    lines = CliRunner().invoke(app, ["solve", *SOLVED[name]], env={"COLUMNS": "100"}).output.splitlines()
    return [line for line in lines if any(letter.isdigit() for letter in line)]


def faulty(name: str) -> dict[str, Any]:
    """What is said of the file of a world without one of its lines, or with a wrong number in it."""
    lines = world_text(name).splitlines()
    found = {}
    for place, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            for changed in ("", line.replace("1", "-7")):
                text = "\n".join([*lines[:place], changed, *lines[place + 1 :]])
                replied = answer({"file": text, "values": ["cpy"], "horizon": 2})
                found[f"{place}: {changed}"] = replied.get("error") or replied["values"]
    return found


def registered(kind: str) -> dict[str, Any]:
    """The entry point and the arguments of each environment of a kind."""
    if kind == "worlds":
        return {name: [one.slots, one.max_agents, one.max_cycles] for name, one in REGISTERED.items()}
    return {name: [place, arguments] for name, (place, arguments) in ENTRIES[kind].items()}


GROUPS = {
    "registered": Group(lambda: (*ENTRIES, "worlds"), registered),
    "answered": Group(lambda: ASKED, lambda name: reply(ASKED[name])),
    "asked": Group(world_names, computed.asked),
    "printed": Group(lambda: SOLVED, printed),
    "faulty": Group(world_names, faulty),
    "experiments": Group(lambda: registry.discover().keys() - LONG, experiment),
    "varied": Group(varied_names, varied_experiment),
    "profiled": Group(lambda: SCRIPTS, computed.profiled),
    "judged": Group(lambda: FOREIGN, computed.judged),
    "played": Group(lambda: computed.SEEDS, computed.played),
    "solved": Group(lambda: drawn.SEEDS, drawn.solved),
    "lived": Group(lambda: drawn.SEEDS, drawn.lived),
}
