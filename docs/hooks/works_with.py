"""The table of the page "Works with": what the tests ran with which versions."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAD = "| library | what was run | limits |\n| --- | --- | --- |\n"


CONTRACT_NAMES = {
    "torchrl": "TorchRL",
    "supersuit": "SuperSuit + Stable-Baselines3",
    "ray": "RLlib",
    "tianshou": "Tianshou",
    "agilerl": "AgileRL",
    "cleanrl": "CleanRL style",
}


def contract() -> str:
    """Return the table of views and libraries in Markdown; where a library fails, its error."""
    sys.path.append(str(ROOT))
    from tests.interop.contract import KEPT, VIEWS

    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    rows = ["| library | " + " | ".join(VIEWS) + " |", "| --- " * (len(VIEWS) + 1) + "|"]
    for name, title in CONTRACT_NAMES.items():
        outcomes = (kept[name][view] for view in VIEWS)
        cells = [line if line == "works" else f'`{line}`: give `view="fixed"`' for line in outcomes]
        rows.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def table() -> str:
    """Return the table in Markdown, a row for each library."""
    sys.path.append(str(ROOT))
    from tests.interop.libraries import LIBRARIES, VERSIONS

    kept = json.loads(VERSIONS.read_text(encoding="utf-8"))
    rows = []
    for library in LIBRARIES:
        found = kept[library.package]
        others = f"Gymnasium {found['gymnasium']}, PettingZoo {found['pettingzoo']}, Python {found['python']}"
        name = f"**{library.name}** {found[library.package]} (with {others})"
        cells = [name, f"{library.ran}; given: {library.views}", library.limits]
        rows.append("| " + " | ".join(cells) + " |\n")
    return HEAD + "".join(rows)
