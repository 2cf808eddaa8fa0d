"""Run a scenario's cells, on one core, several, or a cluster, and make its table.

Cells are independent and pure. `multislot.cells` runs them and keeps each as soon as it is finished, so a killed run
continues where it stopped.
"""

import importlib
import io
import pickle
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter, time
from typing import Any

import cloudpickle

from multislot.cells import CellStore, cell_key, finish, spread
from multislot.cells.progress import progress_bar
from multislot.drawing.styling import house_style
from multislot.errors import MissingExtraError, SettingError
from scenarios.lab.exports import files_of_run
from scenarios.lab.records import RECORD, Record
from scenarios.lab.registry import Cell, Result, Scenario, Settings
from scenarios.lab.store import CELLS, RunFolder, manifest, presentation, write_file
from scenarios.lab.table import Row, beside_papers, headline, not_covered

__all__ = ["RunOutcome", "run"]

RESULTS = Path("results")
PICTURES: dict[str, dict[str, Any]] = {
    "png": {},
    "pdf": {"metadata": {"CreationDate": None}},
    "svg": {"metadata": {"Date": None}},
    "webp": {"dpi": 80, "pil_kwargs": {"quality": 70}},
}
"""Formats of pictures, undated: the same results give the same bytes. The page of the report holds the small WebP."""


@dataclass(frozen=True)
class RunOutcome:
    """The result of a run: its record and folder, how many cells were finished before, and how long it took."""

    scenario: Scenario
    settings: Settings
    record: Record
    seconds: float
    folder: Path
    resumed: int
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> list[Row]:
        """The table."""
        return list(self.record.rows)

    @cached_property
    def results(self) -> list[tuple[Cell, Result]]:
        """Every cell with its result, in the scenario's order, read from the store."""
        with CellStore(self.folder / CELLS) as store:
            finished = store.finished
        return [(cell, finished[cell_key(cell)].value) for cell in self.scenario.cells(self.settings)]

    def as_json(self) -> dict[str, object]:
        """The promised form: scenario, rows and seconds first."""
        record = self.record
        return {
            "scenario": self.scenario.name,
            "rows": [row.as_json() for row in self.rows],
            "seconds": round(self.seconds, 3),
            "headline": headline(self.rows).as_json(),
            "settings": record.content["settings"],
            "command": record.command,
            "folder": str(self.folder),
            "hash": record.content["hash"],
            "versions": record.content["versions"],
            "cells": record.cells,
            "resumed": self.resumed,
            "uncovered": record.uncovered,
            "computing_seconds": round(record.computing_seconds, 3),
            "story": record.story,
            "notes": list(self.notes),
        }


def run(
    scenario: Scenario,
    settings: Settings = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    results: Path | str = RESULTS,
    progress: bool = False,
) -> RunOutcome:
    """Run what is not finished yet, keep it and make the table, the pictures and the files.

    What is finished and unchanged is neither computed nor drawn again.

    Args:
        scenario: what to run.
        settings: its settings; its defaults if not given.
        jobs: how many processes.
        cluster: address of a Dask scheduler to use instead of processes, or ``slurm:file``.
        results: the folder above all results.
        progress: whether to show a bar on the terminal (standard error).

    Raises:
        CellError: a cell failed or a worker died; what is finished is kept.
        ClusterError: the cluster was lost; what is finished is kept.
        StoreError: the results cannot be read or written.
    """
    began = perf_counter()
    if jobs < 1:
        raise SettingError(f"--jobs {jobs}: give the number of processes, 1 or more")
    if cluster and jobs > 1:
        raise SettingError(f"--cluster {cluster} brings its own workers; leave --jobs {jobs} out")
    settings = scenario.settings() if settings is None else settings
    named, content = scenario.name_settings(settings), manifest(scenario, settings)
    made_from = presentation(scenario, content)
    folder = RunFolder(Path(results), content, named.folder)
    with folder.cells:
        record = folder.read_finished_record(made_from)
        if record:
            resumed = record.cells
        else:
            resumed, finished = _finish(scenario, settings, folder, jobs, cluster, progress)
            about = {"label": named.label, "command": named.command, "made_from": made_from, "content": content}
            record = _make_record(scenario, settings, finished, folder, jobs, about)
            write_file(folder.path / RECORD, record.encode())
    notes = (*folder.notes, *record.notes)
    return RunOutcome(scenario, settings, record, perf_counter() - began, folder.path, resumed, notes)


def _finish(
    scenario: Scenario, settings: Settings, folder: RunFolder, jobs: int, cluster: str | None, progress: bool
) -> tuple[int, list[tuple[Cell, Result]]]:
    """Run the cells that are not finished; return how many were, and all with their results."""
    listed = scenario.cells(settings)
    cells = {cell_key(cell): cell for cell in listed}
    if len(cells) < len(listed):
        twice = len(listed) - len(cells)
        raise SettingError(f"{twice} cells are listed twice; add a field that tells them apart")
    resumed = len(folder.cells.find(list(cells)))
    with progress_bar(scenario.name, progress and resumed < len(cells)) as advance:
        work = partial(perform, scenario.module)
        done = finish(work, cells, folder.cells, jobs=jobs, cluster=cluster, progress=advance)
    return resumed, [(cell, done[key]) for key, cell in cells.items()]


def _make_record(
    scenario: Scenario,
    settings: Settings,
    results: list[tuple[Cell, Result]],
    folder: RunFolder,
    jobs: int,
    about: dict[str, Any],
) -> Record:
    """Make the table, the story, the pictures and the files of finished cells."""
    measured = scenario.table(settings, results)
    rows = tuple(beside_papers(measured, scenario.expected))
    for name, data in files_of_run(rows, results, about["content"]):
        folder.keep(name, data)
    figures, notes = _draw(scenario, settings, results, folder, jobs)
    return Record(
        scenario=scenario.name,
        family=scenario.family,
        paper=scenario.paper,
        description=scenario.description,
        rows=rows,
        story=scenario.story(settings, results),
        figures=figures,
        cells=len(results),
        uncovered=len(not_covered(measured, scenario.printed)),
        computing_seconds=sum(cell.seconds for cell in folder.cells.finished.values()),
        finished=time(),
        notes=notes,
        files=folder.written,
        **about,
    )


def perform(module: str, cell: Cell) -> Result:
    """Result of one cell; workers receive this function."""
    with redirect_stdout(sys.stderr):  # standard output is for the table alone
        result: Result = importlib.import_module(module).run_cell(cell)
    return result


def _draw(
    scenario: Scenario, settings: Settings, results: list[tuple[Cell, Result]], folder: RunFolder, jobs: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Save the pictures; return their names, and a note if an extra is missing for that."""
    try:
        figures = scenario.figures(settings, results)
    except MissingExtraError as error:
        return (), (str(error),)
    packed = {name: cloudpickle.dumps(figure) for name, figure in figures.items()}
    pictures = [(name, figure, kind) for name, figure in packed.items() for kind in PICTURES]
    for (name, _, kind), data in zip(pictures, spread(_draw_picture, pictures, jobs), strict=True):
        folder.keep(f"{name}.{kind}", data)
    return tuple(figures), ()


def _draw_picture(picture: tuple[str, bytes, str]) -> bytes:
    """The file of a named figure in one format.

    Drawing changes a figure a little, so each format is drawn from a copy of its own: the bytes depend neither on the
    order nor on the process. The project's style also names the parts of an SVG the same way every time.
    """
    _, packed, kind = picture
    data, figure = io.BytesIO(), pickle.loads(packed)
    with house_style():
        figure.savefig(data, format=kind, **PICTURES[kind])
    return data.getvalue()
