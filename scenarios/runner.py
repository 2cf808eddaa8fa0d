"""Run a scenario's cells, on one core, several, or a cluster, and make its table.

Cells are independent and pure; `multislot.cells` runs them and keeps each as soon as it is finished, so that a run
that is killed goes on where it was.
"""

import importlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from multislot.cells import cell_key, finish
from multislot.errors import MissingExtraError, SettingError
from scenarios.counting import headline
from scenarios.registry import Cell, Result, Scenario, Settings
from scenarios.store import RunFolder, manifest
from scenarios.table import Row, beside_papers, not_covered

RESULTS = Path("results")
PICTURES: dict[str, dict[str, None]] = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
"""Formats of pictures, undated: the same results give the same bytes."""


@dataclass(frozen=True)
class RunOutcome:
    """What a run gave.

    Attributes:
        scenario: what was run.
        settings: with what.
        rows: the table.
        results: every cell with its result, in the scenario's order.
        seconds: how long this call took.
        folder: where everything is kept.
        content: everything the results depend on and its hash, see `scenarios.store.manifest`.
        resumed: how many cells were finished before.
        uncovered: number of rows of ``expected.csv`` that these settings did not measure.
        notes: what a person should know, one sentence each.
    """

    scenario: Scenario
    settings: Settings
    rows: list[Row]
    results: list[tuple[Cell, Result]]
    seconds: float
    folder: Path
    content: dict[str, Any]
    resumed: int
    uncovered: int
    notes: tuple[str, ...] = ()

    @property
    def story(self) -> str:
        """The scenario's own words on its results."""
        return self.scenario.story(self.settings, self.results)

    def as_json(self) -> dict[str, object]:
        """Return the promised form: scenario, rows, seconds, then what else there is to know."""
        return {
            "scenario": self.scenario.name,
            "rows": [row.as_json() for row in self.rows],
            "seconds": round(self.seconds, 3),
            "headline": headline(self.rows).as_json(),
            "settings": self.content["settings"],
            "folder": str(self.folder),
            "hash": self.content["hash"],
            "cells": len(self.results),
            "resumed": self.resumed,
            "uncovered": self.uncovered,
            "story": self.story,
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

    Args:
        scenario: what to run.
        settings: its settings; its defaults if not given.
        jobs: how many processes.
        cluster: address of a Dask scheduler to use instead of processes.
        results: the folder above all results.
        progress: whether to show a bar on the terminal (standard error).

    Raises:
        SettingError: ``jobs`` is not positive, or both it and a cluster are asked for.
        CellError: a cell failed or a worker died; what is finished is kept.
        ClusterError: the cluster was lost; what is finished is kept.
        StoreError: the results cannot be read or written.
        MissingExtraError: a cell needs an extra that is not installed.
    """
    began = perf_counter()
    _check(jobs, cluster)
    settings = scenario.settings() if settings is None else settings
    cells = _distinct(scenario.cells(settings))
    content = manifest(scenario, settings)
    with RunFolder(Path(results), content) as folder:
        resumed = sum(key in folder.cells.finished for key in cells)
        with _bar(scenario.name, len(cells), resumed, progress) as advance:
            work = partial(perform, scenario.package)
            done = finish(work, cells, folder.cells, jobs=jobs, cluster=cluster, progress=advance)
        finished = [(cell, done[key]) for key, cell in cells.items()]
        measured = scenario.table(settings, finished)
        rows = beside_papers(measured, scenario.expected)
        folder.export(rows, finished)
        missing = _draw(scenario, settings, finished, folder)
    return RunOutcome(
        scenario=scenario,
        settings=settings,
        rows=rows,
        results=finished,
        seconds=perf_counter() - began,
        folder=folder.path,
        content=content,
        resumed=resumed,
        uncovered=len(not_covered(measured, scenario.expected)),
        notes=(*folder.notes, *missing),
    )


def _check(jobs: int, cluster: str | None) -> None:
    if jobs < 1:
        raise SettingError(f"--jobs {jobs}: give the number of processes, 1 or more")
    if cluster and jobs > 1:
        raise SettingError(f"--cluster {cluster} brings its own workers; leave --jobs {jobs} out")


def _distinct(cells: Sequence[Cell]) -> dict[str, Cell]:
    keyed = {cell_key(cell): cell for cell in cells}
    if len(keyed) < len(cells):
        raise SettingError(f"{len(cells) - len(keyed)} cells are listed twice; give every cell what makes it different")
    return keyed


def perform(package: str, cell: Cell) -> Result:
    """Return one cell's result; what a worker is sent."""
    with redirect_stdout(sys.stderr):  # standard output is for the table alone
        result: Result = importlib.import_module(f"{package}.run").run_cell(cell)
    return result


@contextmanager
def _bar(name: str, total: int, resumed: int, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on the terminal; yields what moves it."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells,"),
        TimeElapsedColumn(),
        TextColumn("so far,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    is_hidden = not (shown and resumed < total and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=is_hidden) as bar:
        task = bar.add_task(name, total=total, completed=resumed)
        yield lambda done, _: bar.update(task, completed=done)


def _draw(scenario: Scenario, settings: Settings, results: list[tuple[Cell, Result]], folder: RunFolder) -> list[str]:
    """Save the pictures; return a note if an extra is missing for that."""
    if not scenario.draws:
        return []
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        return [str(MissingExtraError("a picture", "plot"))]
    for name, figure in scenario.figures(settings, results).items():
        for kind, metadata in PICTURES.items():
            folder.keep(f"{name}.{kind}", _drawn(figure, kind, metadata))
    return []


def _drawn(figure: Any, kind: str, metadata: dict[str, None]) -> bytes:
    data = io.BytesIO()
    figure.savefig(data, format=kind, metadata=metadata)
    return data.getvalue()
