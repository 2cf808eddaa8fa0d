"""A headless Chromium, and what a reader does in it."""

import json
import shutil
import time
from contextlib import contextmanager

import pytest

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 120.0
"""Seconds after which something that should appear on the page is missing."""


class Browser:
    """A page in Chromium."""

    def __init__(self, driver):
        self.driver = driver

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def open(self, url):
        """Load a page, even if it is open already, and wait until it says that it is ready."""
        self.driver.get("about:blank")
        self.driver.get(url)
        self.until("return document.documentElement.dataset.ready === 'true'")

    def until(self, script, *arguments):
        """Wait until a script returns something true, and return it."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, (
                f"{script} stays false; the page says: {self.run('return document.body.innerText')}"
            )
            time.sleep(0.02)
        return found

    def wait_for(self, happened):
        """Wait until something has happened outside the page."""
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end
            time.sleep(0.02)

    def ask(self, requests):
        """Return the replies to questions, asked as the page asks them."""
        script = (
            "const [asked, done] = arguments;"
            "(async () => { const found = []; for (const one of asked) found.push(await multislotAsk(one));"
            " return found })().then(done, (problem) => done(String(problem)))"
        )
        self.driver.set_script_timeout(PATIENCE)
        return self.driver.execute_async_script(script, requests)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def enter(self, selector, value, event="input"):
        """Put a value into a control, as a reader does."""
        script = (
            "const one = document.querySelector(arguments[0]); one.focus(); one.value = arguments[1];"
            "one.dispatchEvent(new Event(arguments[2], {bubbles: true}))"
        )
        self.run(script, selector, value, event)

    def size(self, width, height=900, dark=False):
        phone = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def read_out(self):
        """Return the role, the name and the value of every part of the page that a screen reader has."""
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        read = [
            {key: one.get(key, {}).get("value", "") for key in ("role", "name", "value")}
            for one in nodes
            if not one["ignored"]
        ]
        return [(one["role"], str(one["name"]).strip(), str(one["value"])) for one in read]

    def complaints(self):
        """Return what the browser's console says of errors."""
        return [json.dumps(one) for one in self.driver.get_log("browser") if one["level"] == "SEVERE"]


@contextmanager
def chromium(profile):
    """Start Chromium with a fresh profile; skip the test where it is not installed."""
    paths = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in paths:
        pytest.skip("Chromium is not installed: apt-get install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is not installed: make setup")
    options = webdriver.ChromeOptions()
    options.binary_location = paths[0]
    for argument in (*QUIET, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(paths[1]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
