"""A page in headless Chromium: what is in it once its scripts have run, at any width, and what they complain of."""

import re
import shutil
import subprocess
from dataclasses import dataclass

import pytest

from scenarios.vega import hash_of

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed; pages are not looked at")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr"),
)
PATIENCE_SECONDS = 120
PROBE = """<script>
addEventListener("load", () => setTimeout(() => {{
  document.documentElement.dataset.answer = JSON.stringify({expression});
}}, 2000));
</script></body>"""


@dataclass(frozen=True)
class Seen:
    """What Chromium saw: the page's elements as text, the answer to a question in JavaScript, the console's errors."""

    dom: str
    answer: str
    errors: list[str]


def look_at(page, folder, *, width=1200, dark=False, expression="null"):
    """Open a page, HTML as text, in a window of this width, and ask it something two seconds later."""
    path = folder / "looked-at.html"
    probe = PROBE.format(expression=expression)
    allowed = page.replace("script-src", f"script-src {hash_of(probe[len('<script>') : probe.index('</script>')])}", 1)
    path.write_text(allowed.replace("</body>", probe), encoding="utf-8")
    scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    command = [CHROMIUM, *QUIET, *scheme, f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900"]
    command += ["--virtual-time-budget=8000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True)
    answer = re.search(r'data-answer="(.*?)"', done.stdout)
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line and "rror" in line]
    return Seen(done.stdout, answer[1].replace("&quot;", '"') if answer else "", errors)
