"""Write the gallery: every scenario with its picture and its moral, from short runs that are kept between builds."""

import hashlib
import re
import shutil
from itertools import groupby
from pathlib import Path

from multislot.drawing.styling import house_style
from scenarios.lab import registry
from scenarios.lab.previews import keep_one_panel
from scenarios.lab.records import closing_paragraph
from scenarios.lab.registry import Scenario
from scenarios.lab.store import manifest, presentation

FAMILIES = {
    "identity": "Which future is mine?",
    "anthropics": "Caring for one's copies",
    "self-reflection": "What would I do elsewhere?",
    "consideration": "What is left to others",
    "conservatism": "Acting with care",
}


def names() -> list[str]:
    """Return the scenarios that have a short run, in the order of the page."""
    return [scenario.name for scenario in known() if scenario.in_quick]


def known() -> list[Scenario]:
    """Return all scenarios, families in order."""
    return sorted(registry.discover().values(), key=lambda one: list(FAMILIES).index(one.family))


def make(name: str, results: str) -> None:
    """Run a scenario at its quick settings and keep its first picture and its moral; what is kept is not made again.

    Args:
        name: the scenario.
        results: the folder of what is kept.
    """
    scenario = registry.find(name)
    place, settings = kept(scenario, results), scenario.settings(preset="QUICK")
    if (place / "moral.txt").exists():
        return
    shutil.rmtree(place.parent, ignore_errors=True)  # of other code
    place.mkdir(parents=True)
    found = [(cell, scenario.run_cell(cell)) for cell in scenario.cells(settings)]
    for figure in list(scenario.figures(settings, found).values())[:1] if scenario.draws else []:
        with house_style():
            figure.savefig(place / "whole.png")
            keep_one_panel(figure).savefig(place / "picture.png")
    (place / "moral.txt").write_text(closing_paragraph(scenario.story(settings, found)), encoding="utf-8")


def kept(scenario: Scenario, results: str) -> Path:
    """Return the folder of a short run; its name depends on the code that runs and draws it."""
    content = manifest(scenario, scenario.settings(preset="QUICK"))
    made_from = hashlib.sha256(presentation(scenario, content).encode()).hexdigest()[:12]
    return Path(results) / scenario.name / made_from


def write(folder: str, results: str, draw: bool) -> None:
    """Write ``index.md`` and a picture for each scenario.

    Args:
        folder: where.
        results: the folder of what `make` kept.
        draw: whether to show it; otherwise there are no pictures and no morals.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    parts = [HEAD]
    for family, scenarios in groupby(known(), key=lambda one: one.family):
        parts.append(f"## {FAMILIES[family]}")
        for scenario in scenarios:
            parts += entry(scenario, place, results, draw)
    (place / "index.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


HEAD = """# Gallery

Every scenario: its question, its picture, what came out. A picture shows one panel; click on it to see them
all. The pictures are of short runs, made when this page was built.
`multislot run NAME` runs one at its own size and compares it with its paper; [scenarios](../scenarios.md) says how."""


def entry(scenario: Scenario, place: Path, results: str, draw: bool) -> list[str]:
    """Return a scenario's part of the page."""
    parts = [f"### {scenario.name}", scenario.summary]
    moral = ""
    if draw and scenario.in_quick:
        made = kept(scenario, results)
        moral = (made / "moral.txt").read_text(encoding="utf-8")
        if (made / "picture.png").exists():
            shutil.copy(made / "picture.png", place / f"{scenario.name}.png")
            shutil.copy(made / "whole.png", place / f"{scenario.name}-whole.png")
            parts.append(f"[![{plain(scenario.summary)}]({scenario.name}.png)]({scenario.name}-whole.png)")
    parts.append(plain(moral or what_it_asks(scenario)))
    parts.append(f"```console\n$ multislot run {scenario.name}\n```")
    return [part for part in parts if part]


def what_it_asks(scenario: Scenario) -> str:
    """Return the first paragraph below the summary of a scenario's description."""
    _, *paragraphs = scenario.description.split("\n\n")
    return paragraphs[0] if paragraphs else ""


def plain(text: str) -> str:
    """Return text in one line; options become code, and Markdown's signs but backticks stand for themselves."""
    escaped = re.sub(r"([*_\[\]<>$])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?<![`\w-])--[a-z][a-z-]*", r"`\g<0>`", escaped)
