"""Do ahead of Sphinx, in several processes, what takes long: run the gallery's scenarios and execute the pages' blocks.

What was executed is put into the cache in which MyST-NB looks. A page that fails here fails once more when Sphinx
reads it, which says so and ends the build.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cells import read_page
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution

WRITTEN_BY_HOOKS = ("_build", "_pictures", "environments", "gallery")


def do(tasks: Iterable[Callable[[], object]], docs: Path, cache: str, timeout: int) -> None:
    """Do tasks and execute all pages, as many at once as there are cores.

    Args:
        tasks: what else is to be done; the longest first.
        docs: the folder of the pages.
        cache: the folder of jupyter-cache.
        timeout: seconds for one block.

    Raises:
        Exception: what a task raised.
    """
    fresh = multiprocessing.get_context("spawn")  # this process imports the packages from their sources
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, mp_context=fresh, initializer=one_thread) as pool:
        done = [pool.submit(task) for task in tasks]
        executed = {page: pool.submit(execute, page, timeout) for page in pages_to_execute(docs, cache)}
        for page, future in executed.items():
            keep(page, future, cache)
        for one in done:
            one.result()


def one_thread() -> None:
    """Let numerical libraries use one thread: there is a process for each core."""
    os.environ["OMP_NUM_THREADS"] = "1"


def pages_to_execute(docs: Path, cache: str) -> list[Path]:
    """Return the pages with blocks that the cache does not hold, the longest first."""
    pages = [page for page in docs.rglob("*.md") if page.relative_to(docs).parts[0] not in WRITTEN_BY_HOOKS]
    return sorted(
        (page for page in pages if has_cells(page) and not is_kept(page, cache)), key=lambda page: -page.stat().st_size
    )


def has_cells(page: Path) -> bool:
    """Return whether a page has anything to execute."""
    return any(cell.cell_type == "code" for cell in notebook(page).cells)


def is_kept(page: Path, cache: str) -> bool:
    """Return whether the cache holds a page with the same blocks."""
    with suppress(KeyError):
        return bool(get_cache(cache).match_cache_notebook(notebook(page)))
    return False


def notebook(page: Path) -> Any:
    """Return a page as MyST-NB reads it."""
    return read_page(page.read_text(encoding="utf-8"))


def execute(page: Path, timeout: int) -> tuple[Any, float] | None:
    """Execute a page in an empty folder; return it with its outputs and the seconds.

    None if a block failed, or if no kernel came up: two that start at once may choose one port. Sphinx tries again.
    """
    read = notebook(page)
    with TemporaryDirectory() as folder:
        try:
            result = single_nb_execution(read, cwd=folder, allow_errors=False, timeout=timeout, meta_override=True)
        except RuntimeError:
            return None
    return None if result.err else (read, result.time)


def keep(page: Path, future: "Future[tuple[Any, float] | None]", cache: str) -> None:
    """Put an executed page into the cache."""
    if found := future.result():
        read, seconds = found
        bundle = CacheBundleIn(read, str(page), data={"execution_seconds": seconds})
        get_cache(cache).cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
