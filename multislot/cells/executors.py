"""Where cells run: the processes of this machine or the workers of a Dask cluster, in batches.

Sending a cell costs milliseconds, so short cells are sent in batches of about `BATCH_SECONDS`. A worker gives a batch
back when its time is over, with the cells that it did not come to, so that one long cell delays no other. Batches are
sent as workers become free; workers that join a cluster later get theirs.
"""

import importlib
import logging
import os
import pickle
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, TypeAlias, TypeVar

import cloudpickle

from multislot.cells.clusters import scheduler_of
from multislot.cells.errors import ClusterError
from multislot.cells.keys import as_json
from multislot.cells.store import Finished
from multislot.checks import whole
from multislot.errors import MissingExtraError, SettingError
from multislot.version import __version__

BATCH_SECONDS = 0.25
MOST_BATCHES_A_SECOND = 200
"""A scheduler is sent so many; for more workers batches are longer."""
QUEUED_BATCHES = 2
"""Batches that each worker has, so that the next one is there when it finishes one."""
TICK_SECONDS = 1.0
CONNECT_SECONDS = 10
IDLE_SECONDS = 300
"""After which a process without work ends; on a busy machine one may wait long for its first batch."""
MOST_JOBS = 1000
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


def batch_seconds(workers: int) -> float:
    """Return how long a batch lasts, so that all workers together ask for few enough of them."""
    return max(BATCH_SECONDS, workers / MOST_BATCHES_A_SECOND)


def answer_batch(packed: bytes, batch: Sequence[tuple[str, C]], seconds: float = BATCH_SECONDS) -> list[Answer]:
    """Run cells until the time of a batch is over, at least one; `packed` is the function of a cell, pickled."""
    perform: Perform[C] = pickle.loads(packed)
    began = time.perf_counter()
    found: list[Answer] = []
    for key, cell in batch:
        found.append(_sendable(answer(perform, key, cell)))
        if time.perf_counter() - began >= seconds:
            break
    return found


def _sendable(found: Answer) -> Answer:
    """Return an answer whose exception, with its traceback as a note, survives the way back or becomes its text."""
    if isinstance(found, Failed):
        found.error.add_note("".join(traceback.format_exception(found.error)))
        try:
            pickle.loads(pickle.dumps(found.error))
        except Exception:
            return Failed(found.key, RuntimeError(f"{type(found.error).__name__}: {found.error}"))
    return found


@dataclass(frozen=True)
class Pool:
    """Where batches run.

    Attributes:
        executor: takes them.
        workers: returns how many run at the same time, now.
        place: its name in messages.
    """

    executor: Executor
    workers: Callable[[], int]
    place: str


def answers(perform: "Perform[C]", cells: Mapping[str, C], pool: Pool) -> Iterator[list[Answer]]:
    """Yield the answers of each batch when it is back, and an empty list every second in between.

    Raises:
        SettingError: the function or a cell cannot be sent to another process.
        ClusterError: the cluster was lost, or lacks a package.
    """
    packed = _packed(perform)
    waiting = deque(cells.items())
    running: dict[Future[list[Answer]], list[tuple[str, C]]] = {}
    size = 1
    try:
        while waiting or running:
            workers = max(1, pool.workers())
            places, seconds = workers * QUEUED_BATCHES, batch_seconds(workers)
            while waiting and len(running) < places:
                batch = [waiting.popleft() for _ in range(min(size, ceil(len(waiting) / places)))]
                sent = _packed((answer_batch, packed, batch, seconds))
                running[pool.executor.submit(_work(), sent, __version__)] = batch
            done, _ = wait(running, TICK_SECONDS, FIRST_COMPLETED)
            for future in done:
                batch = running.pop(future)
                found = _found(future, batch, pool.place)
                waiting.extendleft(reversed(batch[len(found) :]))
                size = _batch_size(found, seconds)
                if _broke(found):
                    waiting.clear()
                yield found
            if not done:
                yield []
    finally:
        for future in running:
            future.cancel()


def _packed(value: object) -> bytes:
    try:
        data: bytes = cloudpickle.dumps(value)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise SettingError(f"the work cannot go to another process ({error}); give jobs=1") from None
    return data


def _work() -> Callable[[bytes, str], Any]:
    """Return what a worker is sent: it needs nothing but Python there, so that it can say what is missing."""

    def work(packed: bytes, version: str) -> object:
        import pickle

        try:
            import multislot

            if multislot.__version__ != version:
                return {"version": multislot.__version__}
            run, *arguments = pickle.loads(packed)
            return run(*arguments)
        except ModuleNotFoundError as error:
            return {"lacks": error.name}

    return work


def _found(future: "Future[Any]", batch: Sequence[tuple[str, C]], place: str) -> list[Answer]:
    if future.cancelled():
        raise ClusterError(f"{place} was lost")
    error = future.exception()
    if error:  # the worker died
        return [Failed(key, error) for key, _ in batch]
    found = future.result()
    if isinstance(found, dict) and "version" in found:
        there = f"multislot {found['version']}, here it is {__version__}"
        raise ClusterError(f"{place} has {there}; install the same version on both sides")
    if isinstance(found, dict):
        raise ClusterError(f"{place} lacks the package {found['lacks']!r}; install there what is installed here")
    return list(found)


def _batch_size(found: Sequence[Answer], seconds: float) -> int:
    """Return how many cells as long as these fill a batch of some seconds."""
    taken = sum(one.seconds for one in found if isinstance(one, Finished))
    return max(1, int(seconds * len(found) / taken)) if taken else 1


def _broke(found: Sequence[Answer]) -> bool:
    return any(isinstance(one, Failed) and isinstance(one.error, BrokenExecutor) for one in found)


@contextmanager
def processes(jobs: int) -> Iterator[Pool]:
    """Open loky's processes, which are kept for the next run; one thread each, so that they do not share cores."""
    from joblib import cpu_count
    from joblib.externals.loky import get_reusable_executor

    jobs = cpu_count() if jobs == -1 else whole("jobs", jobs, 1, MOST_JOBS)
    # Loky replaces a process that ended, and warns in its own thread. Were warnings errors, that thread would end, and
    # nobody would hear of the work any more.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    executor = get_reusable_executor(
        max_workers=jobs, timeout=IDLE_SECONDS, env=ONE_THREAD, initializer=_end_with, initargs=(os.getpid(),)
    )
    try:
        yield Pool(executor, lambda: jobs, "the processes of this machine")
    except BaseException:
        executor.shutdown(wait=False, kill_workers=True)
        raise


def _end_with(parent: int) -> None:
    """End a worker soon after its parent was killed, for which loky alone would wait without end."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def dask_cluster(cluster: str) -> Iterator[Pool]:
    """Open a Dask cluster; Dask itself gives the batches of a lost worker to another.

    Args:
        cluster: the address of a scheduler, or how to start workers, see `multislot.cells.clusters`.

    Raises:
        MissingExtraError: Dask, or what starts the workers, is not installed.
        SettingError: no scheduler answers, or the workers cannot be started.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError("--cluster", "cluster") from None
    with scheduler_of(cluster) as address, _connected(distributed, address) as pool:
        yield pool


@contextmanager
def _connected(distributed: Any, address: str) -> Iterator[Pool]:
    try:
        distributed.comm.get_address_host_port(address)  # a client that fails on this closes noisily
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SettingError(f"--cluster {address}: no Dask scheduler answers there ({reason})") from None
    with (
        _silent("distributed"),
        _silent("distributed.client"),
        client,
    ):  # losing the scheduler would print pages; here it is one sentence
        yield Pool(client.get_executor(pure=False), partial(_threads, client, address), _cluster(address))


def _threads(client: Any, address: str) -> int:
    try:
        return sum(client.nthreads().values())
    except OSError:
        raise ClusterError(f"{_cluster(address)} was lost") from None


def _cluster(address: str) -> str:
    return f"the cluster at {address}"


@contextmanager
def _silent(name: str) -> Iterator[None]:
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
