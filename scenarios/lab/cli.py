"""The command ``multislot``: which commands it has, what its exit status means, and how it tells an error.

The module of a command is imported when the command is used, so that ``--help`` and ``--version`` answer at once.

Results go to standard output, everything else (progress, notes, errors) to standard error, so that ``--json`` can
be piped. Only "something differs" ends with status 1: Python, too, would end with 1 after an unexpected error. A full
disk behind the output is one sentence and status 4. An output that is closed is lost.
"""

import errno
import gc
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import multislot
from multislot.engine import version as build
from multislot.errors import MultislotError, SettingError
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
EXITS = (
    "Exit status: 0 everything compared agrees (or is not decided), 1 something differs, 2 wrong use, 3 a cell failed, "
    "4 results cannot be read, kept or printed, 5 the cluster was lost or lacks a package, 70 a mistake in multislot "
    "itself, 130 interrupted, 141 nobody reads the output."
)
MISUSE: Any = typer.BadParameter.__base__
STYLE: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,  # its help would show every option's Python type
}


def _examples(*commands: str) -> str:
    """Return examples of a command for the end of its help, one a line: the character keeps them from being joined."""
    lines = "\n".join(f"  multislot {command}" for command in commands)
    return f"\b\nExamples:\n{lines}\n\n"


class Command(TyperCommand):
    """A command whose function is imported when the command is used.

    Args:
        name: what is typed.
        place: its function, as ``"module:name"``.
        summary: a sentence for the list of commands.
        epilog: the end of its help.
    """

    def __init__(self, name: str, place: str, summary: str, epilog: str) -> None:
        super().__init__(name, short_help=summary, epilog=epilog, rich_markup_mode=None)
        self.place = place

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the arguments as the function wants them; the context that is returned calls it."""
        one = typer.Typer(add_completion=False, **STYLE)
        one.command(self.name, short_help=self.short_help, epilog=self.epilog)(resolve_name(self.place))
        command = typer.main.get_command(one)
        for option in command.params:  # typer would take the next option as a second value
            for name in set(option.opts) & set(args) if option.nargs > 1 else ():
                values = args[args.index(name) + 1 :][: option.nargs]
                if len(values) < option.nargs or any(value.startswith("--") for value in values):
                    raise SettingError(f"{name} needs {option.nargs} values. {getattr(option, 'help', '')}")
        return command.make_context(info_name, args, parent, **extra)


COMMANDS = (
    Command("list", "scenarios.lab.commands:list_", "List the experiments.", _examples("list", "list --json")),
    Command(
        "show",
        "scenarios.lab.commands:show",
        "Describe an experiment and its settings.",
        _examples("show copy", "show copy --json"),
    ),
    Command(
        "run",
        "scenarios.lab.commands:run",
        "Run an experiment and compare it with its paper.",
        _examples("run copy", "run copy --set r_2=5 --set discount=1/2", "run newcomb --seeds 20 --jobs 2") + EXITS,
    ),
    Command(
        "solve",
        "scenarios.lab.solving:solve",
        "Work out what every value decides in the world of a file.",
        _examples(
            "solve branch-line",
            "solve copy --set r_2=5 --map r_1 r_2 --value cpy --value caring",
            "solve my_world.toml --all",
        ),
    ),
    Command(
        "worlds",
        "scenarios.lab.worlds:list_worlds",
        "List the worlds that can be solved.",
        _examples("worlds"),
    ),
    Command(
        "new",
        "scenarios.lab.worlds:write_new",
        "Write a new world to start from.",
        _examples("new my_world.toml", "new my_world.toml --from branch-line"),
    ),
    Command(
        "explore",
        "scenarios.explore.serving:explore",
        "Explore worlds in the browser, or save the page for somebody else.",
        _examples("explore", "explore my_world.toml"),
    ),
    Command(
        "profile",
        "scenarios.profile.card:profile",
        "Say what an agent takes itself to be, whom it cares for, when it asks.",
        _examples("profile scripted:cpy", "profile q-learner --json", "profile llama:FILE.gguf --html"),
    ),
    Command(
        "reproduce",
        "scenarios.lab.commands:reproduce",
        "Run every experiment and compare all with the papers.",
        _examples("reproduce --core", "reproduce --jobs 2", "reproduce --full") + EXITS,
    ),
    Command("report", "scenarios.lab.commands:report_", "Write the report on all results.", _examples("report --open")),
)


class Commands(TyperGroup):
    """All commands, in the order of the help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for command in COMMANDS:
            self.add_command(command)


app = typer.Typer(
    cls=Commands,
    epilog=_examples("list", "show copy", "run copy", "reproduce --core", "report --open") + EXITS,
    **STYLE,
)


def main() -> None:
    """Run the command; an error of this project becomes one line on standard error and an exit status.

    Modules in the present folder can be named in settings, ``--set agents=my_module:MyAgent``.
    """
    try:
        sys.path.append(str(Path.cwd()))  # last: it hides nothing that is installed
    except FileNotFoundError:
        print("multislot: the present folder no longer exists; change to another one", file=sys.stderr)
        sys.exit(EXIT_MISUSED)
    try:
        status = app(standalone_mode=False)  # otherwise typer ends with 1 in cases where nothing differs
    except MISUSE as error:
        error.show()
        sys.exit(EXIT_MISUSED)
    except SystemExit as ended:  # typer and rich end so if nobody reads the output
        sys.exit(EXIT_NO_READER if ended.code == 1 else ended.code)
    except typer.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except MultislotError as error:
        from multislot.cells import CellError, ClusterError, StoreError
        from multislot.files.writing import UnwritableFileError
        from scenarios.lab.printing import escape_controls

        print(f"multislot: {escape_controls(str(error))}", file=sys.stderr)
        statuses = {
            CellError: EXIT_FAILED,
            ClusterError: EXIT_NO_CLUSTER,
            StoreError: EXIT_UNSTORED,
            UnwritableFileError: EXIT_UNSTORED,
        }
        sys.exit(statuses.get(type(error), EXIT_MISUSED))
    sys.exit(status if isinstance(status, int) else 0)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"multislot {multislot.__version__} ({'compiled' if build.is_compiled() else 'not compiled'})")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Thought experiments and benchmarks on agents that can be copied, deleted, simulated and asked to care."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def run_command() -> None:
    """Run the command, and end the process with a status that says what happened."""
    gc.freeze()
    gc.enable()
    os.environ["MPLBACKEND"] = "agg"  # commands write files; a notebook's backend may be missing here
    if signal.getsignal(signal.SIGINT) is end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        try:
            main()
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
        traceback.print_exc()
        remedy = "unless the lines above name a file of yours, this is a mistake in multislot; please report it"
        print(f"multislot: {remedy}", file=sys.stderr)
        sys.exit(EXIT_BROKEN)


def _lose_output() -> None:
    """Lead all output nowhere; otherwise Python fails again when it closes the output."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nothing, stream.fileno())
