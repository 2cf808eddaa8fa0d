"""Run cells. Results that a store holds are reused; all other cells run once, and their results are stored at once.

`finish` returns all results; `stream` yields them, for more cells than fit into memory.
"""

import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from dataclasses import is_dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeVar, cast

from multislot.cells.code import code_digest
from multislot.cells.errors import CellError, ClusterError
from multislot.cells.executors import (
    BATCH_SECONDS,
    MOST_IN_BATCH,
    MOST_JOBS,
    Answer,
    Failed,
    Perform,
    Pool,
    answer,
    answers,
    dask_cluster,
    make_pool,
    processes,
    try_again,
)
from multislot.cells.keys import as_json, cell_key
from multislot.cells.rows import Finished
from multislot.cells.store import CellStore
from multislot.checks import checked_callable, checked_float, checked_instance, checked_mapping, refusal, whole
from multislot.errors import MissingExtraError, MultislotError, show_value

C = TypeVar("C")
R = TypeVar("R")

LONGEST_SHOWN = 400
LOOKED_UP_AT_ONCE = 1000
KEPT = "kept, run again to go on from them"


def finish(
    perform: "Perform[C]",
    cells: Mapping[str, C],
    store: CellStore | None = None,
    *,
    jobs: int = 1,
    threads: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    keep_going: bool = True,
) -> dict[str, Any]:
    """Return the result of every cell by key, as JSON values, in the order of the cells.

    Args:
        perform: the function of one cell; its result depends on nothing else, and has a form in JSON.
        cells: the cells by key, see `multislot.cells.cell_key`.
        store: where finished cells are found and kept.
        jobs: number of processes; 1 runs the cells in this process, −1 starts one process for each core.
        threads: number of threads of this process to use instead of processes, for cells that mostly wait.
        cluster: address of a Dask scheduler to use instead of processes, or ``slurm:file``.
        progress: called with (cells that are done, all cells) after each cell that was run.
        keep_going: finish the other cells before a failed cell is reported as a CellError; otherwise the first failed
            cell's own exception is raised at once.

    Raises:
        CellError: cells failed or a worker died; what is finished is kept.
        ClusterError: the cluster was lost or its workers lack a package; what is finished is kept.
        StoreError: finished cells cannot be kept.
    """
    if whole("threads", threads, 1, MOST_JOBS) > 1 and (jobs != 1 or cluster):
        raise refusal("threads", threads, "1 together with jobs or a cluster", "give one of them")
    checked_mapping("cells", cells)
    if progress is not None:
        checked_callable("progress", progress, "a function of two numbers of cells")
    code = code_digest(perform)
    if store is not None:
        checked_instance("store", store, CellStore)
    results = _find_stored(cells, store, code)
    missing = {key: cell for key, cell in cells.items() if key not in results}
    failures: list[Failed] = []
    with closing(_run_cells(perform, missing, jobs, threads, cluster)) as batches:
        try:
            for batch in batches:
                for result in _keep(store, batch, code):
                    if isinstance(result, Finished):
                        results[result.key] = result.value
                    else:
                        failures.append(_raise_or_keep(result, cluster, keep_going))
                    if progress:
                        progress(len(results) + len(failures), len(cells))
        except ClusterError as error:
            finished = f"{len(results)} of {len(cells)} cells were finished and are {KEPT if store else 'lost'}"
            raise ClusterError(f"{error}; {finished}") from None
    if failures:
        first = missing[failures[0].key]
        raise CellError(_report(failures[0], first, len(failures), len(missing), store)) from failures[0].error
    return {key: results[key] for key in cells}


def stream(
    perform: "Perform[C]",
    cells: Iterable[C],
    store: CellStore | str | Path | None = None,
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    retries: int = 0,
    seconds: float | None = None,
) -> Iterator[tuple[C, Any]]:
    """Yield each cell with its result, as a JSON value, in constant memory, in the order in which cells are finished.

    A result is stored before it is yielded. Stored results are used only if the same code made them: they are found by
    the cell and by the `code_digest` of `perform`.

    Args:
        perform: the function of one cell; its result depends on nothing else, and has a form in JSON.
        cells: any iterable of frozen dataclasses or JSON values; it is read as workers become free.
        store: where finished cells are found and kept; a path is opened here.
        jobs: number of processes; 1 runs the cells in this process, −1 starts one process for each core. With an
            executor, its number of workers, if it does not say so itself.
        executor: where cells run instead, any ``concurrent.futures.Executor``; it is not shut down.
        retries: how often a cell that failed is run again.
        seconds: time limit of each attempt; the guide says what it can interrupt.

    Raises:
        CellError: at the end, if cells failed; all others are finished and kept.
        StoreError: finished cells cannot be kept.
    """
    retries = whole("retries", retries, 0)
    seconds = None if seconds is None else checked_float("seconds", seconds, above=0)
    pool = None if executor is None else make_pool(executor, jobs)
    with ExitStack() as stack:
        if isinstance(store, str | Path):
            store = stack.enter_context(CellStore(store))
        if pool is None and jobs not in (None, 1):
            pool = stack.enter_context(processes(jobs))
        yield from _Stream(perform, store).run(cells, pool, retries, seconds)


class _Stream:
    """The state of a `stream`: cells that run, and results that wait to be yielded."""

    def __init__(self, perform: "Perform[Any]", store: CellStore | None) -> None:
        self.perform, self.store, self.code = perform, store, code_digest(perform)
        self.running: dict[str, list[Any]] = {}
        self.ready: deque[tuple[Any, Any]] = deque()
        self.failures = 0
        self.of_other_code = 0

    def run(
        self, cells: Iterable[Any], pool: Pool | None, retries: int, seconds: float | None
    ) -> Iterator[tuple[Any, Any]]:
        missing, first, perform = self.missing(cells), None, self.perform
        if retries or seconds is not None:
            perform = partial(try_again, perform, retries, seconds)
        batches = answers(perform, missing, pool) if pool else _run_here(perform, missing, BATCH_SECONDS)
        with closing(cast("Generator[list[Answer]]", batches)):
            for batch in batches:
                for result in _keep(self.store, batch, self.code):
                    same = self.running.pop(result.key)
                    if isinstance(result, Finished):
                        self.ready += [(cell, result.value) for cell in same]
                    else:
                        first = first or (_raise_or_keep(result, None, True), same[0])
                        self.failures += len(same)
                while self.ready:
                    yield self.ready.popleft()
        if first:
            failed, cell = first
            raise CellError(_report(failed, cell, self.failures, None, self.store)) from failed.error

    def missing(self, cells: Iterable[Any]) -> Iterator[tuple[str, Any] | None]:
        """Yield the cells that must be run, and None whenever stored results are ready."""
        source = iter(cells)
        while chunk := list(islice(source, LOOKED_UP_AT_ONCE)):
            keys = [cell_key(cell) if is_dataclass(cell) else as_json(cell) for cell in chunk]
            known = self.store.find(keys, self.code) if self.store else {}
            self.warn_of_other_code([key for key in keys if key not in known])
            for key, cell in zip(keys, chunk, strict=True):
                if key in known:
                    self.ready.append((cell, known[key].value))
                elif key in self.running:
                    self.running[key].append(cell)
                else:
                    self.running[key] = [cell]
                    yield key, cell
            if self.ready:
                yield None

    def warn_of_other_code(self, missing: Sequence[str]) -> None:
        """Warn once that stored results of other code are not used; count those of the first cells that have any."""
        if self.store is None or self.of_other_code or not missing:
            return
        self.of_other_code = _count_other_code(self.store.find(missing), self.code)
        if self.of_other_code:
            warnings.warn(
                f"{self.of_other_code} stored results were made by other code; they are run again", stacklevel=2
            )


def _find_stored(cells: Mapping[str, C], store: CellStore | None, code: str) -> dict[str, Any]:
    """The results that a store holds; warn where other code made them."""
    if store is None:
        return {}
    same = store.find(list(cells), code)
    others = store.find([key for key in cells if key not in same])
    changed = _count_other_code(others, code)
    if changed:
        warnings.warn(
            f"{changed} results in {store.path} were made by other code; they are returned as they are. To compute "
            "them again, use another store (another file or directory), or stream()",
            stacklevel=3,
        )
    return {key: cell.value for key, cell in (same | others).items()}


def _count_other_code(found: Mapping[str, Finished], code: str) -> int:
    """How many results other code made; another process may just have stored one of this code."""
    return sum(bool(cell.code) and cell.code != code for cell in found.values())


def spread(work: Callable[[C], R], items: Sequence[C], jobs: int = 1) -> Iterator[R]:
    """Yield ``work(item)`` of every item, in order, computed in several processes; nothing is stored.

    Raises:
        CellError: a process died.
    """
    if jobs == 1 or len(items) < 2:
        yield from map(work, items)
        return
    with processes(jobs, len(items)) as pool:
        try:
            yield from pool.executor.map(work, items)
        except BrokenExecutor as error:
            raise CellError(
                f"a process of this machine died ({type(error).__name__}); run again, or with jobs=1"
            ) from None


def _run_cells(
    perform: "Perform[C]", cells: Mapping[str, C], jobs: int, threads: int, cluster: str | None
) -> Generator[Sequence[Answer]]:
    if not cells:
        return
    if threads > 1:
        with ThreadPoolExecutor(threads) as executor:
            try:
                for future in as_completed(
                    [executor.submit(partial(answer, perform), key, cell) for key, cell in cells.items()]
                ):
                    yield [future.result()]
            finally:  # a failure ended the run: start nothing more
                executor.shutdown(wait=False, cancel_futures=True)
        return
    if jobs == 1 and not cluster:
        yield from _run_here(perform, cells.items(), 0)
        return
    with dask_cluster(cluster) if cluster else processes(jobs, len(cells)) as pool:
        yield from answers(perform, cells.items(), pool)


def _run_here(perform: "Perform[C]", cells: Iterable[tuple[str, C] | None], seconds: float) -> Generator[list[Answer]]:
    """Run cells in this process; yield their answers when at least `seconds` have passed since the last yield."""
    done: list[Answer] = []
    last = time.perf_counter()
    for item in cells:
        if item is not None:
            done.append(answer(perform, *item))
        if item is None or len(done) == MOST_IN_BATCH or time.perf_counter() - last >= seconds:
            yield done
            done, last = [], time.perf_counter()
    yield done


def _keep(store: CellStore | None, batch: Sequence[Answer], code: str) -> Sequence[Answer]:
    finished = [
        Finished(result.key, result.result, result.seconds, code) for result in batch if isinstance(result, Finished)
    ]
    if store and finished:
        store.add(finished)
    return batch


def _raise_or_keep(failed: Failed, cluster: str | None, keep_going: bool) -> Failed:
    """Return a failure that can wait, or raise one that cannot."""
    if cluster and isinstance(failed.error, MissingExtraError):
        raise ClusterError(f"the workers of the cluster at {cluster} lack something: {failed.error}")
    if not keep_going or isinstance(failed.error, MissingExtraError):
        raise failed.error
    return failed


def _report(failed: Failed, cell: object, count: int, total: int | None, store: CellStore | None) -> str:
    """One sentence about cells that failed: how many, the first, why, how to go on."""
    error = failed.error
    reason = str(error) if isinstance(error, MultislotError) else f"{type(error).__name__}: {error}"
    first = next(iter(reason.strip().splitlines()), type(error).__name__)
    cells = f"{count} of {total} cells" if total else f"{count} cell{'s' * (count > 1)}"
    finished = f"finished cells are {KEPT if store else 'lost'}"
    shown = cell if isinstance(cell, str) else show_value(cell)
    shown, why = (shorten(text, LONGEST_SHOWN, placeholder=" …") for text in (shown, first))
    return f"{cells} failed, the first being {shown}: {why}; {finished}"
