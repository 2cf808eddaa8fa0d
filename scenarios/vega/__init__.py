"""Vega, Vega-Lite and Vega-Embed, the chart libraries of every page that this project writes.

The three minified files and the licenses of all that is in them ship with the package, so that pages work without a
network. ``make vega`` fetches them again from the npm registry, in the versions of ``package.json``.
"""

import base64
import functools
import hashlib
import re
from importlib.resources import files

SCRIPTS = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
"""The libraries, in the order in which a page loads them."""


@functools.cache
def script(name: str) -> str:
    """The text of one of `SCRIPTS`."""
    return files("scenarios.vega").joinpath(name).read_text(encoding="utf-8")


def inline(text: str) -> str:
    """A script as an HTML element; nothing in `text` can end the element early."""
    return f"<script>{_escape(text)}</script>"


def _escape(text: str) -> str:
    return re.sub(r"<(?=/script|!--|script)", r"\\x3C", text, flags=re.IGNORECASE)


def hash_of(text: str) -> str:
    """The source of a policy that allows a script with this text, which `inline` wrote or a script adds."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(_escape(text).encode()).digest()).decode()}'"


def rules(scripts: str, further: str = "", *, charts: bool = True) -> str:
    """The content security policy of a page.

    Nothing is loaded from elsewhere and only `scripts` run, whatever text from a file gets into the page. Vega compiles
    the expressions of charts, and browsers count that as ``unsafe-eval``.

    Args:
        scripts: sources of scripts, such as those that `hash_of` returns.
        further: directives of this page alone.
        charts: whether the page has charts.
    """
    scripts += " 'unsafe-eval'" * charts
    rules = f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
    return (rules + f"img-src data:; base-uri 'none'; form-action 'none'; {further}").strip()


def policy(scripts: str, further: str = "", *, charts: bool = True) -> str:
    """The policy of a page that stands alone, as an HTML element for its head; arguments as for `rules`."""
    return f'<meta http-equiv="Content-Security-Policy" content="{rules(scripts, further, charts=charts)}">'


def scripts() -> str:
    """The three libraries as HTML script elements, about 840 kB, for a page that stands alone."""
    return "\n".join(inline(script(name)) for name in SCRIPTS)


def licenses() -> str:
    """The licenses of everything that is in the libraries, as plain text."""
    return files("scenarios.vega").joinpath("LICENSES.txt").read_text(encoding="utf-8")
