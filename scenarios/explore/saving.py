"""The explorer as one file for somebody else, with a story and its settings inside: ``--save FILE.html``."""

import html
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from multislot.errors import MultislotError, SettingError
from multislot.exact.files.answers import Asked
from multislot.exact.files.worlds import FileKernel, world_names, world_text
from multislot.files.writing import write_file
from scenarios.explore.building import BUILT, SOURCES, hash_sources
from scenarios.explore.questions import reply

OPENED = '<script type="application/json" id="opened">{}</script>'
"""The place in the page for what it shows first."""
TITLE = re.compile(r"<title>.*?</title>")
REMEDY = (
    "run  make explorer  in a clone of the repository, then its .venv/bin/multislot (a wheel of a release contains the "
    "page)"
)


def read_page() -> str:
    """Read the built page; SettingError if there is none, or if it was built from other sources."""
    if not BUILT.exists():
        raise SettingError(f"this installation has no built page of the explorer; {REMEDY}")
    page = BUILT.read_text(encoding="utf-8")
    if SOURCES.format(hash_sources()) not in page:
        raise SettingError(f"the page of the explorer was built from other sources than those installed; {REMEDY}")
    return page


def is_built() -> bool:
    """Whether a page can be saved."""
    try:
        return bool(read_page())
    except SettingError:
        return False


def save_page(path: Path, kernel: FileKernel | None = None, settings: Mapping[str, str] | None = None) -> None:
    """Write the page into a file that any browser opens, without a network.

    Args:
        path: the file; an existing one is replaced.
        kernel: the world that the page shows first.
        settings: what the page's address would hold, such as ``{"p.left": "2", "discount": "1/2"}``.

    Raises:
        SettingError: there is no built page, or the file cannot be written.
    """
    opened: dict[str, Any] = {"settings": dict(settings or {})}
    page = read_page()
    if kernel is not None:
        text = kernel.document.text
        is_known = kernel.name in world_names() and text == world_text(kernel.name)
        texts = {key: getattr(kernel.form, key) for key in ("question", "title", "story", "source")}
        opened |= {"world": kernel.name} if is_known else {"file": text, "texts": texts}
        if "x" not in opened["settings"]:
            with suppress(MultislotError):  # the page says why it has no map
                opened["settings"] |= dict(zip("xy", Asked({"file": text}).axes(), strict=True))
        opened |= _first_answers(opened)
        page = TITLE.sub(lambda _: f"<title>{html.escape(kernel.form.question or kernel.name)}</title>", page, count=1)
    inside = json.dumps(opened, ensure_ascii=False).replace("<", r"\u003c")
    write_file(path, page.replace(OPENED, OPENED.replace("{}", inside), 1))


def _first_answers(opened: Mapping[str, Any]) -> dict[str, Any]:
    """The first answer and the first map of the page, which it shows before Python has started in the browser."""
    settings = opened["settings"]
    caring = list(dict.fromkeys((settings.get("alpha", "1"), "1", "0")))
    asked = {"view": "identity", **{key: opened[key] for key in ("world", "file") if key in opened}, "caring": caring}
    asked["parameters"] = {key[2:]: value for key, value in settings.items() if key.startswith("p.")}
    asked |= {key: kind(settings[key]) for key, kind in (("discount", str), ("horizon", int)) if key in settings}
    axes = {"x": settings.get("x"), "y": settings.get("y"), "caring": caring[0]}
    asked["lineage"] = {"value": "cpy", "copying": True}
    answer = reply(asked | {"map": axes})
    return {"map": answer.pop("map", None), "answers": [(asked, answer)]}


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
