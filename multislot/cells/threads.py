"""Cells in the threads of this process: for work that mostly waits, such as for the answers of a server.

The process is shared, so the cells must not disturb each other; they gain nothing where they compute.
"""

import threading
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from multislot.cells.errors import CellError
from multislot.cells.executors import Answer, Perform, answer

C = TypeVar("C")

_own = threading.local()


def thread_answers(perform: "Perform[C]", cells: Mapping[str, C], threads: int) -> Generator[list[Answer]]:
    """Yield the answer of each cell when it is there; at the end, or at a failure, no thread is left at work."""
    cancelled = threading.Event()

    def work(key: str, cell: C) -> Answer:
        _own.cancelled = cancelled
        return answer(perform, key, cell)

    with ThreadPoolExecutor(threads) as executor:
        futures = [executor.submit(work, key, cell) for key, cell in cells.items()]
        try:
            for future in as_completed(futures):
                yield [future.result()]
        finally:
            cancelled.set()
            executor.shutdown(wait=False, cancel_futures=True)


def end_if_cancelled() -> None:
    """Raise CellError if the results of this thread's work are no longer wanted; ask before what costs something."""
    cancelled = getattr(_own, "cancelled", None)
    if cancelled is not None and cancelled.is_set():
        raise CellError("the work was cancelled, since another part of it failed or the program was interrupted")


def pause(seconds: float) -> None:
    """Wait; return at once if the results of this thread's work are no longer wanted."""
    cancelled = getattr(_own, "cancelled", None)
    if cancelled is None:
        time.sleep(seconds)
    else:
        cancelled.wait(seconds)
