"""Ctrl-C is for the process that a person started, and not for those that work for it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


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
