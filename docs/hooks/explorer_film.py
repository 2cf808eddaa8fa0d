"""Film the explorer for README: ``python docs/hooks/explorer_film.py`` writes docs/static/explorer.gif.

It opens the page in headless Chromium, as a reader does, moves sliders and takes a picture of each position. It needs
Chromium, ChromeDriver and Selenium.
"""

import io
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from selenium import webdriver

FILM = Path(__file__).parents[1] / "static" / "explorer.gif"
WIDTH, HEIGHT, SHOWN = 1080, 1060, 720
PORT = 8917
COLORS = 96
MILLISECONDS, REST = 160, 1600
PATIENCE_SECONDS = 600
READY = "return document.documentElement.dataset.ready === 'true' && document.querySelector('.maps').dataset.drawn > 20"
MOVE = """
const slider = document.querySelector(`[data-key="${arguments[0]}"] input[type=range]`);
slider.value = arguments[1];
slider.dispatchEvent(new Event("input", {bubbles: true}));
"""
QUIET = "return !document.querySelector('.stale')"
STORY = [
    *(("p.away", away / 4) for away in range(12, 1, -1)),
    *(("p.away", away / 4) for away in range(2, 17)),
    *(("p.stay", stay / 4) for stay in range(4, 12)),
    *(("alpha", alpha / 10) for alpha in range(5, 11)),
]
"""Sliders of the branch line, one position a picture."""


def open_page(url: str) -> webdriver.Chrome:
    """Open the explorer in Chromium, and wait until its maps are drawn."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium") or ""
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(url)
    wait_for(driver, READY)
    return driver


def wait_for(driver: webdriver.Chrome, script: str) -> None:
    """Wait until a script answers with something true."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not driver.execute_script(script):
        if time.monotonic() > end:
            raise TimeoutError(f"the page does not come to: {script}")
        time.sleep(0.05)


def take_pictures(driver: webdriver.Chrome) -> Iterator[Image.Image]:
    """Yield a picture of the page at first, and after each step of the story."""
    yield picture(driver)
    for key, position in STORY:
        driver.execute_script(MOVE, key, str(position))
        time.sleep(0.3)
        wait_for(driver, QUIET)
        yield picture(driver)


def picture(driver: webdriver.Chrome) -> Image.Image:
    """Take a picture of the window, in the size and the colors of the film."""
    taken = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    return taken.resize((SHOWN, SHOWN * HEIGHT // WIDTH)).quantize(COLORS)


def main() -> None:
    """Start the explorer, film it and write the file."""
    command = [sys.executable, "-m", "multislot", "explore", "--no-browser", "--port", str(PORT)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server:
        try:
            assert server.stderr is not None
            server.stderr.readline()  # it says where it is once it listens
            driver = open_page(f"http://127.0.0.1:{PORT}/#world=branch-line")
            first, *others = take_pictures(driver)
            driver.quit()
        finally:
            server.terminate()
    times = [REST, *[MILLISECONDS] * (len(others) - 1), REST]
    first.save(FILM, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    print(f"{FILM}: {FILM.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
