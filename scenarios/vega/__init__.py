"""Vega, Vega-Lite and Vega-Embed, the chart libraries of every page that this project writes.

The three minified files and the licences of all that is in them ship with the package, so that pages work without a
network. ``make vega`` fetches them again from the npm registry, in the versions of ``package.json``.
"""

import functools
import re
from importlib.resources import files

SCRIPTS = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
"""The libraries, in the order in which a page loads them."""


@functools.cache
def script(name: str) -> str:
    """Return the text of one of `SCRIPTS`."""
    return files("scenarios.vega").joinpath(name).read_text(encoding="utf-8")


def inline(text: str) -> str:
    """Return a script as an HTML element; nothing in `text` can end the element early."""
    escaped = re.sub(r"<(?=/script|!--|script)", r"\\x3C", text, flags=re.IGNORECASE)
    return f"<script>{escaped}</script>"


def scripts() -> str:
    """Return the three libraries as HTML script elements, about 840 kB, for a page that stands alone."""
    return "\n".join(inline(script(name)) for name in SCRIPTS)


def licences() -> str:
    """Return the licences of everything that is in the libraries, as plain text."""
    return files("scenarios.vega").joinpath("LICENSES.txt").read_text(encoding="utf-8")
