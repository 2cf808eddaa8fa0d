"""The explorer as one file for somebody else, with a story and its settings inside: ``--save FILE.html``."""

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multislot.errors import SettingError
from multislot.writing import write_file
from scenarios.explore.building import BUILT, SOURCES, hash_sources

OPENED = '<script type="application/json" id="opened">{}</script>'
"""The place in the page for what it shows first."""
TITLE = re.compile(r"<title>.*?</title>")
REMEDY = "run  make explorer  in a clone of the repository (a wheel of a release contains the page)"


def read_page() -> str:
    """Read the built page; SettingError if there is none, or if it was built from other sources."""
    if not BUILT.exists():
        raise SettingError(f"this installation has no built page of the explorer; {REMEDY}")
    page = BUILT.read_text(encoding="utf-8")
    if SOURCES.format(hash_sources()) not in page:
        raise SettingError(f"the page of the explorer was built from other sources than those installed; {REMEDY}")
    return page


def save_page(path: Path, opened: Mapping[str, Any], title: str = "") -> None:
    """Write the page into a file that any browser opens, without a network.

    Args:
        path: the file; an existing one is replaced.
        opened: what the page shows first: ``{"file": text}`` or ``{"world": name}``, and ``"settings"``, the texts
            that its address would hold, such as ``{"p.left": "2", "discount": "1/2"}``.
        title: of the window; the explorer's by default.

    Raises:
        SettingError: there is no built page, or the file cannot be written.
    """
    inside = json.dumps(opened, ensure_ascii=False).replace("<", r"\u003c")
    page = read_page().replace(OPENED, OPENED.replace("{}", inside), 1)
    if title:
        page = TITLE.sub(lambda _: f"<title>{html.escape(title)}</title>", page, count=1)
    write_file(path, page)


def address_settings(request: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a request (see `multislot.exact.files.answers.REQUEST`), as the address of the page holds them.

    Raises:
        SettingError: the horizon is endless, which needs NumPy and so a server.
    """
    if "horizon" in request and request["horizon"] is None:
        raise SettingError("a saved page cannot compute an endless future; give a number, such as --horizon 50")
    settings = {f"p.{name}": str(value) for name, value in request.get("parameters", {}).items()}
    settings |= {key: str(request[key]) for key in ("discount", "horizon") if key in request}
    axes = request.get("map", {})
    names = {way: axes[way] if isinstance(axes[way], str) else axes[way]["name"] for way in "xy" if way in axes}
    caring = request.get("caring", [])
    return settings | names | ({"alpha": str(caring[-1])} if caring else {})
