"""A progress bar for long work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress_bar(
    label: str, progress: Callable[[int, int], None] | bool
) -> Iterator[Callable[[int, int], None] | None]:
    """Give the function to be called with (cells that are done, all cells).

    Args:
        label: what the bar says.
        progress: whether to show a bar on standard error; or the function itself.
    """
    if callable(progress) or not progress:
        yield progress if callable(progress) else None
        return
    with Progress(console=Console(stderr=True)) as bar:
        shown = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(shown, completed=done, total=total)
