"""How the command ``multislot`` ends: its exit status says what happened; `multislot.starting` says how it begins.

- Only "something differs" ends with status 1. Python, too, would end with 1 after an unexpected error.
- A full disk behind the output is one sentence and status 4. An output that is closed is lost.
"""

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from multislot.starting import EXIT_INTERRUPTED, end_at_once

EXIT_DIFFERS = 1
EXIT_MISUSED = 2
EXIT_FAILED = 3
EXIT_UNSTORED = 4
EXIT_NO_CLUSTER = 5
EXIT_BROKEN = 70
EXIT_NO_READER = 141
"""What a shell reports for a program that writes into a closed pipe."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""Errors of a disk or an output that is full, or can only be read."""


@contextmanager
def ending_with_status() -> Iterator[None]:
    """End the process with a status that says what happened in the block."""
    gc.freeze()
    gc.enable()
    if signal.getsignal(signal.SIGINT) is end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, end_at_once)  # Python still waits for threads
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        _lose_output()
        sys.exit(EXIT_NO_READER)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            with suppress(OSError):
                print(f"multislot: nothing more can be written: {error.strerror}", file=sys.stderr, flush=True)
            _lose_output()
            sys.exit(EXIT_UNSTORED)
        import traceback

        traceback.print_exc()
        print("multislot: this error is a mistake in multislot; please report the lines above", file=sys.stderr)
        sys.exit(EXIT_BROKEN)


def _lose_output() -> None:
    """Lead all output nowhere; otherwise Python fails again when it closes the output."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nothing, stream.fileno())
