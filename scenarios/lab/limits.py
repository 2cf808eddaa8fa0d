"""Limits of time and memory for work that a stranger's file asks for."""

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from multislot.errors import TooLargeError

resource: Any = import_module("resource") if find_spec("resource") else None
"""Not on Windows, where only the time is limited."""

SECONDS = 120.0
GIGABYTES = 4.0
AGAIN = 0.5
"""Seconds between interrupts of a block that has not ended."""
REMEDY = "give a smaller horizon, map or number of copies, or raise the limit"


def limit_memory(gigabytes: float) -> "tuple[int, int] | None":
    """Limit the data of this process from now on; return the limits before, None if the system has none.

    More raises MemoryError. Linux counts all writable memory of the process; other systems may ignore the limit.
    """
    if resource is None:
        return None
    before: tuple[int, int] = resource.getrlimit(resource.RLIMIT_DATA)
    most = min((limit for limit in (int(gigabytes * 2**30), *before) if limit >= 0), default=-1)
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    return before


def out_of_memory(gigabytes: float) -> str:
    """The sentence for work that needs more memory."""
    return f"this needs more than {gigabytes:g} GB of memory: {REMEDY}"


def out_of_time(seconds: float) -> str:
    """The sentence for work that takes longer."""
    return f"no answer within {seconds:g} seconds: {REMEDY}"


@contextmanager
def limit_resources(seconds: float = SECONDS, gigabytes: float = GIGABYTES) -> Iterator[None]:
    """Limit the time and the memory of the block, which runs in the main thread.

    Raises:
        TooLargeError: the block took longer, or needed more.
    """
    expired, ended = threading.Event(), threading.Event()

    def stop() -> None:
        if ended.wait(seconds):
            return
        expired.set()
        _thread.interrupt_main()
        while not ended.wait(AGAIN):  # an interrupt is lost if it comes while a destructor runs
            _thread.interrupt_main()

    timer = threading.Thread(target=stop, daemon=True)
    # A library that is imported meanwhile may have replaced what an interrupt does.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    before = limit_memory(gigabytes)
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        ended.set()
        if not expired.is_set():
            raise
        raise TooLargeError(out_of_time(seconds)) from None
    except MemoryError:
        raise TooLargeError(out_of_memory(gigabytes)) from None
    finally:
        ended.set()
        signal.signal(signal.SIGINT, handler)
        if before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, before)
