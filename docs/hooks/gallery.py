"""Write the gallery: every scenario with its picture and its moral, from short runs that are kept between builds."""

import re
import shutil
from itertools import groupby
from pathlib import Path

from scenarios import registry, runner
from scenarios.registry import Scenario

FAMILIES = {
    "identity": "Which future is mine?",
    "anthropics": "Caring for one's copies",
    "self-reflection": "What would I do elsewhere?",
    "consideration": "What is left to others",
    "conservatism": "Acting with care",
}
JOBS = 2


def write(folder: str, results: str, draw: bool) -> None:
    """Write ``index.md`` and a picture for each scenario.

    Args:
        folder: where.
        results: the folder of results; what stands there is not run again.
        draw: whether to run anything; otherwise there are no pictures and no morals.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    known = sorted(registry.discover().values(), key=lambda one: list(FAMILIES).index(one.family))
    parts = [HEAD]
    for family, scenarios in groupby(known, key=lambda one: one.family):
        parts.append(f"## {FAMILIES[family]}")
        for scenario in scenarios:
            parts += entry(scenario, place, results, draw)
    (place / "index.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


HEAD = """# Gallery

Every scenario: its question, its picture, what came out. The pictures are of short runs, made when this page was built.
`multislot run NAME` runs one at its own size and compares it with its paper; [scenarios](../scenarios.md) says how."""


def entry(scenario: Scenario, place: Path, results: str, draw: bool) -> list[str]:
    """Return a scenario's part of the page."""
    parts = [f"### {scenario.name}", scenario.summary]
    if draw and scenario.in_quick:
        outcome = runner.run(scenario, settings=scenario.settings(preset="QUICK"), jobs=JOBS, results=results)
        for name in outcome.record.figures[:1]:
            shutil.copy(outcome.folder / f"{name}.png", place / f"{scenario.name}.png")
            parts.append(f"```{{image}} {scenario.name}.png\n:alt: {scenario.summary}\n:width: 640px\n```")
        parts.append(plain(outcome.record.moral or what_it_asks(scenario)))
    else:
        parts.append(plain(what_it_asks(scenario)))
    parts.append(f"```console\n$ multislot run {scenario.name}\n```")
    return [part for part in parts if part]


def what_it_asks(scenario: Scenario) -> str:
    """Return the first paragraph below the summary of a scenario's description."""
    _, *paragraphs = scenario.description.split("\n\n")
    return paragraphs[0] if paragraphs else ""


def plain(text: str) -> str:
    """Return text in one line, with Markdown's signs standing for themselves."""
    return re.sub(r"([*_`\[\]<>$])", r"\\\1", " ".join(text.split()))
