"""Where cells run: the processes of this machine, the workers of a Dask cluster, or any executor, in batches.

Sending a cell costs milliseconds, so short cells are sent in batches of about `BATCH_SECONDS`. When its time is over, a
worker returns the batch with the cells that it did not reach. So a long cell delays no other cell. Batches are sent as
workers become free, including workers that join a cluster later.
"""

import importlib
import logging
import os
import pickle
import signal
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from multiprocessing import current_process
from typing import Any, TypeAlias, TypeVar, cast

import cloudpickle

from multislot.cells.clusters import open_scheduler
from multislot.cells.errors import CellTimeoutError, ClusterError
from multislot.cells.keys import as_json
from multislot.cells.rows import Finished
from multislot.checks import refusal, whole
from multislot.engine.version import __version__
from multislot.errors import MissingExtraError, SettingError

BATCH_SECONDS = 0.25
MOST_BATCHES_A_SECOND = 200
"""The scheduler gets at most this many batches a second; with more workers, batches are longer."""
MOST_IN_BATCH = 2000
"""Limits the memory for waiting cells, however short the cells are."""
END = object()
QUEUED_BATCHES = 2
"""Batches that each worker has: one that it works on, and one that waits."""
TICK_SECONDS = 1.0
CONNECT_SECONDS = 10
IDLE_SECONDS = 300
"""A process without work ends after this time. On a busy machine its first batch may come late."""
MOST_JOBS, MOST_JOBS_A_CORE = 1000, 8
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

C = TypeVar("C")
Perform: TypeAlias = Callable[[C], object]


@dataclass(frozen=True)
class Failed:
    """A cell that raised an exception, or whose worker died."""

    key: str
    error: BaseException


Answer: TypeAlias = Finished | Failed


def answer(perform: "Perform[C]", key: str, cell: C) -> Answer:
    """Run one cell."""
    began = time.perf_counter()
    try:
        return Finished(key, as_json(perform(cell)), time.perf_counter() - began)
    except Exception as error:
        return Failed(key, error)


def try_again(perform: "Perform[C]", retries: int, seconds: float | None, cell: C) -> object:
    """Run a cell, and again up to `retries` times if it fails or takes longer than `seconds`."""
    for left in reversed(range(retries + 1)):
        try:
            return perform(cell) if seconds is None else _run_limited(perform, cell, seconds)
        except Exception:
            if not left:
                raise
    return None


class _Alarm(BaseException):
    """The time is over. It is no `Exception`, so that a cell that catches those is stopped, too."""


def _run_limited(perform: "Perform[C]", cell: C, seconds: float) -> object:
    """Run a cell, and raise CellTimeoutError when its time is over.

    In the main thread of a process an alarm interrupts Python code, but not code in C that does not return to Python.
    In other threads the cell runs in a thread of its own, which is abandoned when its time is over.
    """
    late = CellTimeoutError(f"took longer than {seconds} seconds")
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        rang = False

        def ring(*_: object) -> None:
            nonlocal rang
            rang = True
            raise _Alarm

        before = signal.signal(signal.SIGALRM, ring)
        result = None
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds, TICK_SECONDS)  # again: the cell may catch all errors
                result = perform(cell)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except _Alarm:
            pass
        finally:
            signal.signal(signal.SIGALRM, before)
        if rang:
            raise late
        return result
    future: Future[object] = Future()

    def work() -> None:
        try:
            future.set_result(perform(cell))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    if not wait([future], seconds).done:
        raise late
    return future.result()


def batch_seconds(workers: int) -> float:
    """Return the seconds that a batch lasts, so that all workers together do not ask for too many batches."""
    return max(BATCH_SECONDS, workers / MOST_BATCHES_A_SECOND)


def answer_batch(packed: bytes, batch: Sequence[tuple[str, C]], seconds: float = BATCH_SECONDS) -> list[Answer]:
    """Run cells until the time of a batch is over, at least one cell; `packed` is the pickled function of a cell."""
    perform: Perform[C] = pickle.loads(packed)
    began = time.perf_counter()
    batch_answers: list[Answer] = []
    for key, cell in batch:
        result = answer(perform, key, cell)
        if isinstance(result, Failed):
            result.error.add_note("".join(traceback.format_exception(result.error)))
            try:
                pickle.loads(pickle.dumps(result.error))
            except Exception:  # it cannot be sent back, but its text can
                result = Failed(key, RuntimeError(f"{type(result.error).__name__}: {result.error}"))
        batch_answers.append(result)
        if time.perf_counter() - began >= seconds:
            break
    return batch_answers


@dataclass(frozen=True)
class Pool:
    """Where batches run.

    Attributes:
        executor: runs them.
        workers: returns how many run at the same time, now.
        place: its name in messages.
        is_remote: whether the workers may lack packages that are installed here.
        ends_itself: whether it stops running batches by itself when a run stops early.
    """

    executor: Executor
    workers: Callable[[], int]
    place: str
    is_remote: bool = False
    ends_itself: bool = False


def answers(perform: "Perform[C]", cells: Iterable[tuple[str, C] | None], pool: Pool) -> Iterator[list[Answer]]:
    """Yield the answers of each batch when it is back, and an empty list every second in between.

    Only as many cells are taken as the workers have room for.

    Args:
        perform: the function of one cell.
        cells: keys and cells; for a None, an empty list is yielded at once.
        pool: where they run.
    """
    packed, source = _pack(perform), iter(cells)
    send: Any = _make_remote_work() if pool.is_remote else _unpack_and_run
    waiting = deque[tuple[str, C]]()
    running: dict[Future[list[Answer]], list[tuple[str, C]]] = {}
    size, ended = 1, False
    try:
        while waiting or running or not ended:
            workers = max(1, pool.workers())
            places, seconds = workers * QUEUED_BATCHES, batch_seconds(workers)
            while not ended and len(waiting) < places * size:
                item = next(source, END)
                if item is END:
                    ended = True
                elif item is None:
                    yield []
                else:
                    waiting.append(cast("tuple[str, C]", item))
            while waiting and len(running) < places:
                batch = [waiting.popleft() for _ in range(min(size, ceil(len(waiting) / places)))]
                sent = _pack((answer_batch, packed, batch, seconds))
                with without_interrupts():  # loky starts its workers here
                    running[pool.executor.submit(send, sent, __version__)] = batch
            if not running:
                continue
            done, _ = wait(running, TICK_SECONDS, FIRST_COMPLETED)
            for future in done:
                batch = running.pop(future)
                received = receive(future, batch, pool.place)
                waiting.extendleft(reversed(batch[len(received) :]))
                # As many cells as long as these fill the next batch.
                taken = sum(result.seconds for result in received if isinstance(result, Finished))
                size = min(max(1, int(seconds * len(received) / taken)), MOST_IN_BATCH) if taken else 1
                if any(isinstance(result, Failed) and isinstance(result.error, BrokenExecutor) for result in received):
                    waiting.clear()
                    ended = True
                yield received
            if not done:
                yield []
    finally:
        if pool.ends_itself:
            wait_until_started(running)
        else:
            for future in running:
                future.cancel()


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from the processes and threads that start in the block; here it takes effect after the block.

    A terminal sends it to all processes. Those that work for another one print a traceback, and end before they are
    told to.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def wait_until_started(futures: Iterable["Future[Any]"]) -> None:
    """Wait until loky has passed everything to its workers, for a second at most."""
    # Otherwise loky's thread may die with a traceback when the workers are killed: it fails on a cancelled future, and
    # on work that was submitted a moment ago (loky 3.6).
    deadline = time.monotonic() + 1
    while not all(future.running() or future.done() for future in futures) and time.monotonic() < deadline:
        time.sleep(0.001)


def _pack(value: object) -> bytes:
    try:
        data: bytes = cloudpickle.dumps(value)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise SettingError(f"the work cannot go to another process ({error}); give jobs=1") from None
    return data


def _unpack_and_run(packed: bytes, version: str) -> object:
    run, *arguments = pickle.loads(packed)
    return run(*arguments)


def _make_remote_work() -> Callable[[bytes, str], Any]:
    """The function that is sent to a worker: it needs only Python there, so that it can say what is missing."""

    def work(packed: bytes, version: str) -> object:
        import pickle

        try:
            from multislot import __version__

            if __version__ != version:
                return {"version": __version__}
            run, *arguments = pickle.loads(packed)
            return run(*arguments)
        except ModuleNotFoundError as error:
            return {"lacks": error.name}

    return work


def receive(future: "Future[Any]", batch: Sequence[tuple[str, C]], place: str) -> list[Answer]:
    """Return the answers of a batch; raise ClusterError if they were lost, or if the worker lacks something."""
    if future.cancelled():
        raise ClusterError(f"{place} was lost")
    error = future.exception()
    if error:  # the worker died
        return [Failed(key, error) for key, _ in batch]
    result = future.result()
    if isinstance(result, dict) and "version" in result:
        there = f"multislot {result['version']}, here it is {__version__}"
        raise ClusterError(f"{place} has {there}; install the same version on both sides")
    if isinstance(result, dict):
        raise ClusterError(f"{place} lacks the package {result['lacks']!r}; install there what is installed here")
    return list(result)


@contextmanager
def processes(jobs: int, cells: int = MOST_JOBS) -> Iterator[Pool]:
    """Open loky's processes, which are kept for the next run; each has one thread, so that they do not share cores.

    Args:
        jobs: how many; −1 is one for each core.
        cells: how many pieces of work there are; more processes than these and than cores are not started.
    """
    from joblib import cpu_count
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.backend import resource_tracker

    cores = cpu_count()
    remedy = f"this machine has {cores} cores, and each process takes memory; −1 starts one process for each core"
    most = min(MOST_JOBS, MOST_JOBS_A_CORE * cores)
    jobs = cores if jobs == -1 else min(whole("jobs", jobs, 1, most, remedy=remedy), max(cells, cores))
    # Otherwise a module that starts a run when it is imported would fork without end.
    if current_process().name.startswith("LokyProcess"):
        raise refusal(
            "jobs",
            jobs,
            "1 inside a worker process",
            "where a module starts a run when it is imported, put that under  if __name__ == '__main__':",
        )
    # Loky replaces a process that ended, and warns in its own thread. If warnings are errors, that thread ends, and
    # the results of the work are lost.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    resource_tracker.ensure_running()  # as in `without_interrupts`
    executor = get_reusable_executor(
        max_workers=jobs, timeout=IDLE_SECONDS, env=ONE_THREAD, initializer=_end_with_parent, initargs=(os.getpid(),)
    )
    try:
        yield Pool(executor, lambda: jobs, "the processes of this machine", ends_itself=True)
    except BaseException:
        executor.shutdown(wait=False, kill_workers=True)
        raise


def _end_with_parent(parent: int) -> None:
    """End a worker soon after its parent was killed; loky alone would let it wait forever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def make_pool(executor: Executor, workers: int | None = None) -> Pool:
    """Return an executor as a pool of so many `workers`; by default the number that it states, or one for each core."""
    if not isinstance(executor, Executor):
        raise refusal("executor", executor, "a concurrent.futures.Executor")
    dask: Any = getattr(executor, "_client", None)
    if workers is not None or not hasattr(dask, "nthreads"):
        count = workers or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        return Pool(executor, lambda: count, "the executor")
    return Pool(executor, lambda: sum(dask.nthreads().values()), "the cluster")


@contextmanager
def dask_cluster(cluster: str) -> Iterator[Pool]:
    """Open a Dask cluster; Dask itself gives the batches of a lost worker to another worker.

    Args:
        cluster: the address of a scheduler, or how to start workers, see `multislot.cells.clusters`.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError("--cluster", "cluster") from None
    with open_scheduler(cluster) as address:
        place = f"the cluster at {address}"
        try:
            distributed.comm.get_address_host_port(address)  # a client that fails on this closes noisily
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise SettingError(f"--cluster {address}: no Dask scheduler answers there ({reason})") from None

        def threads() -> int:
            try:
                return sum(client.nthreads().values())
            except OSError:
                raise ClusterError(f"{place} was lost") from None

        # When the scheduler is lost, Dask prints pages; we say one sentence.
        with distributed.utils.silence_logging_cmgr(logging.CRITICAL + 1), client:
            yield Pool(client.get_executor(pure=False), threads, place, True)
