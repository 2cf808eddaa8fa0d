"""Cells in the threads of this process: for work that mostly waits, such as for the answers of a server.

The process is shared, so the cells must not disturb each other; they gain nothing where they compute.
"""

import threading
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from multislot.cells.errors import CellError
from multislot.cells.executors import Answer, Failed, Perform, answer

C = TypeVar("C")

_own = threading.local()


class CancelledError(CellError):
    """The results of a thread's work are no longer wanted."""


def thread_answers(
    perform: "Perform[C]", cells: Mapping[str, C], threads: int, keep_going: bool = True
) -> Generator[list[Answer]]:
    """Yield the answer of each cell when it is there; at the end no thread is left at work.

    Args:
        perform: the function of one cell.
        cells: the cells by key.
        threads: how many at the same time.
        keep_going: whether the others go on when a cell has failed; otherwise nothing is begun any more.
    """
    cancelled = threading.Event()

    def work(key: str, cell: C) -> Answer:
        _own.cancelled = cancelled
        if cancelled.is_set():
            return Failed(key, CancelledError())
        found = answer(perform, key, cell)
        if isinstance(found, Failed) and not keep_going:
            cancelled.set()
        return found

    with ThreadPoolExecutor(threads) as executor:
        futures = [executor.submit(work, key, cell) for key, cell in cells.items()]
        try:
            for future in as_completed(futures):
                found = future.result()
                if not (isinstance(found, Failed) and isinstance(found.error, CancelledError)):
                    yield [found]
        finally:
            cancelled.set()
            executor.shutdown(wait=False, cancel_futures=True)


def end_if_cancelled() -> None:
    """Raise CancelledError if nobody wants the results of this thread any more; call it before what costs something."""
    cancelled = getattr(_own, "cancelled", None)
    if cancelled is not None and cancelled.is_set():
        raise CancelledError("the work was cancelled, since another part of it failed or the program was interrupted")


def pause(seconds: float) -> None:
    """Wait; return at once if the results of this thread's work are no longer wanted."""
    cancelled = getattr(_own, "cancelled", None)
    if cancelled is None:
        time.sleep(seconds)
    else:
        cancelled.wait(seconds)
