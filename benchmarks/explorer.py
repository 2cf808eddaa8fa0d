"""The explorer against the times it promises: the first answer, served and static, then a slider's table and map.

Run with ``python benchmarks/explorer.py [tries]`` on an idle machine, after ``make explorer``; it needs Chromium and
chromedriver. Times are by the wall clock, as a reader waits for them. The last line is the processor time of a decision
map without a browser.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for the tests' browser

from multislot.exact import decision_map  # noqa: E402
from multislot.exact.maps.mapping import between  # noqa: E402
from tests.browser import Browser, chromium  # noqa: E402

STATIC = ROOT / "build" / "explorer" / "explorer.html"
LOCAL_START, STATIC_START, TABLE, MAP, NATIVE_MAP = 3.0, 8.0, 0.1, 0.5, 1.0
"""Targets, in seconds."""
WORLD = "#world=copy-delete"
MOVED = """
const [value, done] = arguments;
const slider = document.querySelector("[data-key='p.r_2'] input[type=range]");
const [table, maps] = [document.querySelector("#answer table"), document.querySelector(".maps")];
const found = {};
const started = performance.now();
const shown = (name) => { found[name] ??= (performance.now() - started) / 1000; };
delete maps.dataset.drawn;
const watching = new MutationObserver(() => {
  if (document.querySelector("#answer table") !== table) shown("table");
  if (maps.dataset.drawn) shown("map");
  if (found.table && maps.dataset.drawn > 9) { watching.disconnect(); done(found); } // the fine map has come as well
});
watching.observe(document.body, { childList: true, subtree: true, attributes: true });
slider.value = value;
slider.dispatchEvent(new Event("input", { bubbles: true }));
"""


@contextmanager
def local() -> Iterator[str]:
    """Start ``multislot explore``; yield the address of the page."""
    command = [sys.executable, "-m", "multislot", "explore", "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            yield server.stderr.readline().split()[4]
        finally:
            server.terminate()


@contextmanager
def static() -> Iterator[str]:
    """Yield the address of the static page."""
    yield STATIC.as_uri()


def opened(browser: Browser, page: Callable[[], Any]) -> float:
    """Return the seconds until a page has answered; the server starts within them."""
    browser.driver.get("about:blank")
    started = time.perf_counter()
    with page() as address:
        browser.driver.get(address + WORLD)
        browser.until("return document.documentElement.dataset.ready === 'true'")
        return time.perf_counter() - started


def moved(browser: Browser, page: Callable[[], Any], tries: int) -> tuple[list[float], list[float]]:
    """Return the seconds after a slider has moved until the table is new, and until the map is."""
    with page() as address:
        browser.open(address + WORLD)
        browser.until("return document.querySelector('.maps').dataset.drawn > 9")
        found = [browser.driver.execute_async_script(MOVED, str(1 + k / 10)) for k in range(tries + 1)]
    return [one["table"] for one in found[1:]], [one["map"] for one in found[1:]]


def told(name: str, seconds: list[float], target: float) -> None:
    print(f"{name:<34}{min(seconds):6.3f} s at best, {median(seconds):6.3f} s at the median (target: {target:g} s)")


def main() -> None:
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    if not STATIC.exists():
        sys.exit("there is no static page; run: make explorer")
    with tempfile.TemporaryDirectory() as profile, chromium(profile) as browser:
        browser.driver.set_script_timeout(60)
        opened(browser, local)  # the first start reads everything from the disk
        told("first answer, multislot explore", [opened(browser, local) for _ in range(tries)], LOCAL_START)
        told("first answer, static page", [opened(browser, static) for _ in range(tries)], STATIC_START)
        for name, page in (("multislot explore", local), ("static page", static)):
            tables, maps = moved(browser, page, 2 * tries)
            told(f"slider to table, {name}", tables, TABLE)
            told(f"slider to map, {name}", maps, MAP)
    axes = {"x": ("r_2", between(0, 4, 20)), "y": ("discount", between(0, 1, 20))}
    started = time.process_time()
    decision_map("copy-delete", **axes)
    print(
        f"decision map, 400 points × 3 values: {time.process_time() - started:.3f} s of CPU (target: {NATIVE_MAP:g} s)"
    )


if __name__ == "__main__":
    main()
