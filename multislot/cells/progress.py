"""A progress bar for long work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress_bar(
    label: str, progress: Callable[[int, int], None] | bool
) -> Iterator[Callable[[int, int], None] | None]:
    """Give the function to be called with (cells that are done, all cells).

    Args:
        label: the text of the bar.
        progress: whether to show a bar on standard error, if that is a terminal, or a notebook with
            ipywidgets; or the function itself.
    """
    if callable(progress) or not progress:
        yield progress if callable(progress) else None
        return
    console, times = Console(stderr=True), (TimeElapsedColumn(), "so far,", TimeRemainingColumn(), "left")
    in_notebook = console.is_jupyter and find_spec("ipywidgets") is not None  # without it rich prints a warning
    hidden = not (console.is_terminal or in_notebook)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), "cells,", *times)
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        shown = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(shown, completed=done, total=total)
