"""Runs a scenario's cells, on one core, several, or a cluster, and makes its table.

Cells are independent and pure, so any `concurrent.futures` executor will do: the processes of loky, or a Dask
cluster's. Each finished cell is stored before the next is waited for; a run that is killed goes on where it was.
"""

import importlib
import io
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from multislot.errors import CellError, MissingExtraError, MultislotError, SettingError
from scenarios.registry import Cell, Result, Scenario, Settings
from scenarios.store import Store, as_json, cell_key, manifest
from scenarios.table import Row, beside_papers, not_covered

RESULTS = Path("results")
PICTURES: dict[str, dict[str, None]] = {"png": {}, "pdf": {"CreationDate": None}}  # undated: same results, same bytes
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
CONNECT_SECONDS = 10
DOTS_PER_INCH = 150
LONGEST_SHOWN = 300


@dataclass(frozen=True)
class Outcome:
    """What a run gave.

    Args:
        scenario: what was run.
        settings: with what.
        rows: the table.
        results: every cell with its result, in the scenario's order.
        seconds: how long this call took.
        folder: where everything is kept.
        resumed: how many cells were finished already when it began.
        uncovered: rows of ``expected.csv`` that these settings did not measure.
        notes: what a person should know, one sentence each.
    """

    scenario: Scenario
    settings: Settings
    rows: list[Row]
    results: list[tuple[Cell, Result]]
    seconds: float
    folder: Path
    resumed: int
    uncovered: int
    notes: tuple[str, ...] = ()

    @property
    def story(self) -> str:
        """The scenario's own words on its results."""
        return self.scenario.story(self.settings, self.results)

    def as_json(self) -> dict[str, object]:
        """The promised form: scenario, rows, seconds."""
        return {
            "scenario": self.scenario.name,
            "rows": [row.as_json() for row in self.rows],
            "seconds": round(self.seconds, 3),
        }


def run(
    scenario: Scenario,
    settings: Settings = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    results: Path | str = RESULTS,
    progress: bool = False,
) -> Outcome:
    """Runs what is not finished yet, stores it and makes the table, the pictures and the files.

    Args:
        scenario: what to run.
        settings: its settings; its defaults if not given.
        jobs: how many processes.
        cluster: address of a Dask scheduler to use instead of processes.
        results: the folder above all results.
        progress: whether to show a bar on the terminal (standard error).

    Raises:
        SettingError: ``jobs`` is not positive, or both it and a cluster are asked for.
        CellError: a cell failed or a worker died; what is finished stays.
        MissingExtraError: a cell needs an extra that is not installed.
    """
    began = time.perf_counter()
    _check(jobs, cluster)
    settings = scenario.settings() if settings is None else settings
    cells = _distinct(scenario.cells(settings))
    with Store(Path(results), manifest(scenario, settings)) as store:
        done = store.finished()
        missing = [cell for key, cell in cells.items() if key not in done]
        _work_off(scenario, missing, store, jobs, cluster, _bar(scenario, len(cells), len(missing), progress))
        done = store.finished() if missing else done
    finished = [(cell, done[key][0]) for key, cell in cells.items()]
    measured = scenario.table(settings, finished)
    rows = beside_papers(measured, scenario.expected)
    notes = store.export(rows, finished) + _draw(scenario, settings, finished, store)
    return Outcome(
        scenario=scenario,
        settings=settings,
        rows=rows,
        results=finished,
        seconds=time.perf_counter() - began,
        folder=store.folder,
        resumed=len(cells) - len(missing),
        uncovered=len(not_covered(measured, scenario.expected)),
        notes=tuple(notes),
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


def perform(package: str, cell: Cell) -> tuple[str, float]:
    """One cell's result as JSON and the seconds it took; what a worker is sent."""
    began = time.perf_counter()
    with redirect_stdout(sys.stderr):  # standard output is for the table alone
        result = importlib.import_module(f"{package}.run").run_cell(cell)
    return as_json(result), time.perf_counter() - began


def _work_off(
    scenario: Scenario, cells: Sequence[Cell], store: Store, jobs: int, cluster: str | None, bar: Progress
) -> None:
    """Stores each cell as it finishes; a failing one does not keep the others from finishing."""
    failures: list[tuple[Cell, BaseException]] = []
    with bar:
        for cell, future in _finished(scenario, cells, jobs, cluster):
            bar.advance(bar.task_ids[0])
            error = future.exception()
            if error is None:
                store.add(cell, *future.result())
            elif isinstance(error, MissingExtraError):
                raise error
            else:
                failures.append((cell, error))
    if failures:
        raise CellError(_failure(failures, len(cells))) from failures[0][1]


def _finished(
    scenario: Scenario, cells: Sequence[Cell], jobs: int, cluster: str | None
) -> Iterator[tuple[Cell, "Future[tuple[str, float]]"]]:
    if not cells:
        return
    if jobs == 1 and not cluster:
        for cell in cells:
            yield cell, _now(scenario.package, cell)
        return
    with _cluster(cluster) if cluster else _processes(jobs) as executor:
        futures = {executor.submit(perform, scenario.package, cell): cell for cell in cells}
        try:
            for future in as_completed(futures):
                yield futures[future], future
        finally:
            for future in futures:
                future.cancel()


def _now(package: str, cell: Cell) -> "Future[tuple[str, float]]":
    future: Future[tuple[str, float]] = Future()
    try:
        future.set_result(perform(package, cell))
    except Exception as error:
        future.set_exception(error)
    return future


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """Loky's processes, kept for the next scenario; one thread each, so that they do not fight over cores."""
    from joblib.externals.loky import get_reusable_executor

    yield get_reusable_executor(max_workers=jobs, env=ONE_THREAD, initializer=_end_with, initargs=(os.getpid(),))


def _end_with(parent: int) -> None:
    """Ends a worker soon after its parent was killed, which loky leaves waiting for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """A Dask cluster's executor; Dask itself gives the cells of a lost worker to another."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError("--cluster", "cluster") from None
    try:
        distributed.comm.get_address_host_port(address)  # a client that fails on this closes noisily
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SettingError(f"--cluster {address}: no Dask scheduler answers there ({reason})") from None
    with client, client.get_executor() as executor:
        yield executor


def _failure(failures: Sequence[tuple[Cell, BaseException]], total: int) -> str:
    cell, error = failures[0]
    reason = f"{type(error).__name__}: {error}" if not isinstance(error, MultislotError) else str(error)
    first = (reason.strip().splitlines() or [type(error).__name__])[0]
    return (
        f"{len(failures)} of {total} cells failed, the first being {_shortened(str(cell))}: {_shortened(first)}; "
        "finished cells are kept, the same command goes on from them"
    )


def _shortened(text: str) -> str:
    """One that can be read at a glance: beginning and end."""
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]} … {text[-half:]}"


def _bar(scenario: Scenario, total: int, missing: int, shown: bool) -> Progress:
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
    bar = Progress(*columns, console=console, transient=True, disable=not (shown and missing and console.is_terminal))
    bar.add_task(scenario.name, total=total, completed=total - missing)
    return bar


def _draw(scenario: Scenario, settings: Settings, results: list[tuple[Cell, Result]], store: Store) -> list[str]:
    """Saves the pictures; without the extra, one note says what they need."""
    if not scenario.draws:
        return []
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        return [str(MissingExtraError("a picture", "plot"))]
    notes: list[str] = []
    for name, figure in scenario.figures(settings, results).items():
        for kind, metadata in PICTURES.items():
            notes += store.keep(f"{name}.{kind}", _drawn(figure, kind, metadata))
    return notes


def _drawn(figure: Any, kind: str, metadata: dict[str, None]) -> bytes:
    data = io.BytesIO()
    figure.savefig(data, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return data.getvalue()
