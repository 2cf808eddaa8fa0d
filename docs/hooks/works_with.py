"""Write the tables of the page "Works with" again: ``python docs/hooks/works_with.py``.

They say what tests and ``python -m tests.interop.contract`` stored beside them.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))
from multislot.zoo import require_fixed_view  # noqa: E402
from tests.interop.contract import KEPT, VIEWS, outcome  # noqa: E402
from tests.interop.libraries import LIBRARIES, VERSIONS  # noqa: E402

PAGE = ROOT / "docs" / "works_with.md"
CONTRACT_NAMES = {
    "torchrl": "TorchRL",
    "supersuit": "SuperSuit + Stable-Baselines3",
    "ray": "RLlib",
    "tianshou": "Tianshou",
    "agilerl": "AgileRL",
    "cleanrl": "CleanRL style",
}


def contract() -> str:
    """Return the table of views and libraries in Markdown, and the error with `require_fixed_view`."""
    outcomes = json.loads(KEPT.read_text(encoding="utf-8"))
    rows = ["| library | " + " | ".join(VIEWS) + " |", "| --- " * (len(VIEWS) + 1) + "|"]
    for name, title in CONTRACT_NAMES.items():
        cells = [outcomes[name][view] for view in VIEWS]
        rows.append(f"| {title} | " + " | ".join(cell if cell == "works" else "refused" for cell in cells) + " |")
    words = "Where the table says “refused”, libraries raise errors of their own, which do not all say what to change."
    remedy = f"With `require_fixed_view` the error is always `{outcome(require_fixed_view, 'dynamic', False)}`."
    return "\n".join([*rows, "", words, remedy])


def table() -> str:
    """Return the table of libraries and versions in Markdown."""
    stored = json.loads(VERSIONS.read_text(encoding="utf-8"))
    rows = ["| library | what was run | limits |", "| --- | --- | --- |"]
    for library in LIBRARIES:
        versions = stored[library.package]
        name = f"**{library.name}** {versions[library.package]}, PettingZoo {versions['pettingzoo']}"
        rows.append(f"| {name} | {library.ran}; given: {library.views} | {library.limits} |")
    return "\n".join(rows)


def page() -> str:
    """Return the page with its tables made again, each between two comments."""
    text = PAGE.read_text(encoding="utf-8")
    for title, made in (("libraries", table()), ("views", contract())):
        text = re.sub(rf"(<!-- {title}: .*? -->\n\n).*?(\n\n<!-- end -->)", rf"\g<1>{made}\g<2>", text, flags=re.S)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
