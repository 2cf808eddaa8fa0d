"""What the command ``multislot`` does before anything else is imported, and how it ends.

- Ctrl-C ends the command with status 130 and without a traceback, also while modules are imported.
- With ``python -m multislot``, modules in the present folder hide nothing: Python puts that folder first.
- Imports leave no garbage, so that nothing looks for it until they are done: a tenth of the time of a short command.
- A character that the output cannot show is replaced, whatever the encoding.
- Only "something differs" ends with status 1. Python, too, would end with 1 after an unexpected error.
- A full disk behind the output is one sentence and status 4. An output that is closed is lost.
"""

# ruff: noqa: E402, PTH100, PTH119, PTH120, PTH122
# A module in the present folder hides what is imported before `_leave_folder`, but not these.
import os
import sys
from itertools import pairwise

COMMAND = "multislot"


def is_command() -> bool:
    """Whether this process runs the command, and does not import the package as a library."""
    first, typed = (getattr(sys, "argv", None) or [""])[0], getattr(sys, "orig_argv", [])
    if first == "-m":  # what Python puts there until it has found the module
        following = pairwise(typed)
        return any(option[:1] == "-" and option[-1:] == "m" and name == COMMAND for option, name in following)
    return first in typed and os.path.splitext(os.path.basename(first))[0] == COMMAND


def _leave_folder() -> None:
    """Keep the present folder, in which Python looks first with ``-m``, from hiding modules."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if is_command() and sys.argv[0] == "-m" and not sys.flags.safe_path and os.path.realpath(sys.path[0]) != here:
        del sys.path[0]


_leave_folder()

import atexit
import errno
import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

EXIT_UNSTORED = 4
EXIT_BROKEN = 70
EXIT_INTERRUPTED = 130
EXIT_NO_READER = 141
"""What a shell reports for a program that writes into a closed pipe."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""Errors of a disk or an output that is full, or can only be read."""


def start() -> None:
    """Prepare the process; whatever is imported next can be interrupted."""
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
        # The first that is registered is called last. Python then puts back the handler that kills the process.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed; a file that is opened later would get its place
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


@contextmanager
def ending_with_status() -> Iterator[None]:
    """End the process with a status that says what happened in the block."""
    gc.freeze()
    gc.enable()
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, _end_at_once)  # Python still waits for threads
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


def _lose_output() -> None:
    """Lead all output nowhere; otherwise Python fails again when it closes the output."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nothing, stream.fileno())


def _end_at_once(*_: object) -> None:
    os._exit(EXIT_INTERRUPTED)
