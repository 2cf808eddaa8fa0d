"""Finishing cells: those that a store holds are taken from it, all others run once and are kept at once."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing
from typing import Any, TypeVar

from multislot.arguments import explains_arguments
from multislot.cells.errors import CellError, ClusterError
from multislot.cells.executors import (
    MOST_JOBS,
    Answer,
    Failed,
    Perform,
    answer,
    answers,
    dask_cluster,
    processes,
)
from multislot.cells.store import CellStore, Finished
from multislot.cells.threads import thread_answers
from multislot.checks import refusal, whole
from multislot.errors import MissingExtraError, MultislotError

C = TypeVar("C")
R = TypeVar("R")

LONGEST_SHOWN = 400
BREAKS = (". ", "; ", ", ", " ")


@explains_arguments
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
        jobs: how many processes; 1 runs the cells in this one, −1 takes one a core.
        threads: how many threads of this process instead, for cells that mostly wait.
        cluster: address of a Dask scheduler to use instead of processes, or ``slurm:file``.
        progress: called with (cells that are done, all cells) after each that is run.
        keep_going: whether the others are finished before a failed cell is reported, as a CellError; otherwise the
            first failed cell's own exception is raised at once.

    Raises:
        CellError: cells failed or a worker died; what is finished is kept.
        ClusterError: the cluster was lost or its workers lack a package; what is finished is kept.
        MissingExtraError: a cell needs an extra that is not installed.
        StoreError: finished cells cannot be kept.
        SettingError: the function or a cell cannot be sent to another process, no cluster answers, or threads are
            asked for together with processes or a cluster.
    """
    if whole("threads", threads, 1, MOST_JOBS) > 1 and (jobs != 1 or cluster):
        raise refusal("threads", threads, "1 together with jobs or a cluster", "give one of them")
    kept = store.finished if store else {}
    results = {key: kept[key].value for key in cells if key in kept}
    missing = {key: cell for key, cell in cells.items() if key not in results}
    failures: list[Failed] = []
    with closing(_answers(perform, missing, jobs, threads, cluster, keep_going)) as batches:
        try:
            for batch in batches:
                _keep(store, batch)
                for one in batch:
                    if isinstance(one, Finished):
                        results[one.key] = one.value
                    else:
                        failures.append(_checked(one, cluster, keep_going))
                    if progress:
                        progress(len(results) + len(failures), len(cells))
        except ClusterError as error:
            finished = f"{len(results)} of {len(cells)} cells were finished and are{_resumed(store)}"
            raise ClusterError(f"{error}; {finished}") from None
    if failures:
        raise CellError(_report(failures, missing, store)) from failures[0].error
    return {key: results[key] for key in cells}


@explains_arguments
def spread(work: Callable[[C], R], items: Sequence[C], jobs: int = 1) -> Iterator[R]:
    """Yield ``work(item)`` of every item, in order, worked out in several processes; nothing is kept.

    Raises:
        CellError: a process died.
    """
    if jobs == 1 or len(items) < 2:
        yield from map(work, items)
        return
    with processes(jobs) as pool:
        try:
            yield from pool.executor.map(work, items)
        except BrokenExecutor as error:
            raise CellError(
                f"a process of this machine died ({type(error).__name__}); run again, or with jobs=1"
            ) from None


def _answers(
    perform: "Perform[C]", cells: Mapping[str, C], jobs: int, threads: int, cluster: str | None, keep_going: bool
) -> Generator[Sequence[Answer]]:
    if not cells:
        return
    if threads > 1:
        yield from thread_answers(perform, cells, threads, keep_going)
        return
    if jobs == 1 and not cluster:
        for key, cell in cells.items():
            yield [answer(perform, key, cell)]
        return
    with dask_cluster(cluster) if cluster else processes(jobs) as pool:
        yield from answers(perform, cells, pool)


def _keep(store: CellStore | None, batch: Sequence[Answer]) -> None:
    """Add what is finished to the store; without any, see that it is still there."""
    if store:
        finished = [one for one in batch if isinstance(one, Finished)]
        if finished:
            store.add(finished)
        else:
            store.check()


def _checked(failed: Failed, cluster: str | None, keep_going: bool) -> Failed:
    """Return a failure that can wait, or raise one that cannot."""
    if cluster and isinstance(failed.error, MissingExtraError):
        raise ClusterError(f"the workers of the cluster at {cluster} lack something: {failed.error}")
    if not keep_going or isinstance(failed.error, MissingExtraError):
        raise failed.error
    return failed


def _resumed(store: CellStore | None) -> str:
    return " kept, run again to go on from them" if store else " lost"


def _report(failures: Sequence[Failed], cells: Mapping[str, object], store: CellStore | None) -> str:
    """Return one sentence about cells that failed: how many, the first, why, how to go on."""
    error = failures[0].error
    reason = str(error) if isinstance(error, MultislotError) else f"{type(error).__name__}: {error}"
    first = next(iter(reason.strip().splitlines()), type(error).__name__)
    failed = f"{len(failures)} of {len(cells)} cells failed, the first being {shortened(str(cells[failures[0].key]))}"
    return f"{failed}: {shortened(first)}; finished cells are{_resumed(store)}"


def shortened(text: str) -> str:
    """Return a text that is not too long: cut after a sentence, or else after a part of it, a word, anywhere."""
    if len(text) <= LONGEST_SHOWN:
        return text
    beginning = text[:LONGEST_SHOWN]
    ends = (beginning.rfind(mark) for mark in BREAKS)
    end = next((end for end in ends if end > LONGEST_SHOWN // 4), LONGEST_SHOWN)
    return f"{beginning[:end].rstrip()} …"
