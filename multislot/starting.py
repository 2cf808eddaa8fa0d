"""What the command ``multislot`` does before anything else is imported; `scenarios.lab.cli` says how it ends.

- Ctrl-C ends the command with status 130 and without a traceback, also while modules are imported.
- With ``python -m multislot``, modules in the present folder hide nothing: Python puts that folder first.
- Imports leave no garbage, so that nothing looks for it until they are done: a tenth of the time of a short command.
- A character that the output cannot show is replaced, whatever the encoding.
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
import gc
import signal
from pathlib import Path

EXIT_INTERRUPTED = 130


def start() -> None:
    """Prepare the process; whatever is imported next can be interrupted."""
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
        # The first that is registered is called last. Python then puts back the handler that kills the process.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed; a file that is opened later would get its place
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def end_at_once(*_: object) -> None:
    """End the process; the handler of Ctrl-C while modules are imported, and at the end."""
    os._exit(EXIT_INTERRUPTED)
