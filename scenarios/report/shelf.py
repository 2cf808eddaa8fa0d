"""Which runs a report shows: of every scenario the one that was asked for last, and what became of the others."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from multislot.files.foreign import ForeignFileError, read_json
from scenarios.lab.records import Record, read_record
from scenarios.lab.store import RUN, write_file

LAST = "last.json"
LARGEST_NOTE = 100_000
State: TypeAlias = Literal["shown", "failed", "left_out"]
SHOWN, FAILED, LEFT_OUT = get_args(State)


@dataclass(frozen=True)
class KeptRun:
    """A run and its folder, relative to the folder of results."""

    place: str
    record: Record


@dataclass(frozen=True)
class Shelf:
    """Everything in a folder of results, by scenario: its last run, its others, and why it failed or was left out.

    `unfinished` has the folders of runs that were interrupted or whose record is damaged.
    """

    shown: Mapping[str, KeptRun]
    others: Mapping[str, tuple[KeptRun, ...]]
    unfinished: tuple[str, ...]
    failed: Mapping[str, str]
    left_out: Mapping[str, str]

    @property
    def records(self) -> list[Record]:
        """The records that are shown."""
        return [run.record for run in self.shown.values()]


def read_shelf(results: Path) -> Shelf:
    """Read a folder of results; empty if it does not exist."""
    runs: dict[str, list[KeptRun]] = {}
    unfinished = []
    for described in sorted(results.glob(f"*/*/{RUN}")):
        place = described.parent.relative_to(results).as_posix()
        record = read_record(results, place)
        if record:
            runs.setdefault(record.scenario, []).append(KeptRun(place, record))
        else:
            unfinished.append(place)
    last = {path.parent.name: _read_note(results, path) for path in sorted(results.glob(f"*/{LAST}"))}
    failed, left_out = ({name: note[key] for name, note in last.items() if key in note} for key in (FAILED, LEFT_OUT))
    shown = {name: _last(kept, last.get(name, {})) for name, kept in runs.items() if name not in failed}
    others = {name: tuple(run for run in kept if run is not shown.get(name)) for name, kept in runs.items()}
    left_out = {name: why for name, why in left_out.items() if name not in shown}
    return Shelf(shown, others, tuple(unfinished), failed, left_out)


def _last(runs: list[KeptRun], note: Mapping[str, str]) -> KeptRun:
    """The run that was noted last; without a note, the one that was finished last."""
    noted = (run for run in runs if run.place.endswith(f"/{note.get(SHOWN)}"))
    return next(noted, max(runs, key=lambda run: run.record.finished))


def note(results: Path, name: str, state: State, text: str) -> None:
    """Remember what became of a scenario last.

    Args:
        results: the folder of results.
        name: of the scenario.
        state: ``failed``: its earlier runs are no longer shown; ``left_out``: an earlier run is still shown.
        text: the name of the run's folder, or why there is none.
    """
    write_file(results / name / LAST, json.dumps({state: text}).encode())


def _read_note(results: Path, path: Path) -> Mapping[str, str]:
    """Read the note on a scenario's last run; empty if the file is damaged."""
    try:
        note = read_json(path.relative_to(results), LARGEST_NOTE, results)
        return {str(key): str(value) for key, value in note.items()}
    except (ForeignFileError, AttributeError):
        return {}
