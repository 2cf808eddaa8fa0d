"""Write the gallery: every experiment with its picture and its moral, from short runs that are kept between builds."""

import hashlib
import re
import shutil
import textwrap
from html import escape
from itertools import groupby
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.transforms import ScaledTranslation

from multislot.drawing.styling import house_style
from scenarios.lab import registry
from scenarios.lab.records import closing_paragraph
from scenarios.lab.registry import Scenario
from scenarios.lab.store import manifest, presentation

WIDTH_INCHES, HEIGHT_INCHES, LEGEND_INCHES, LEGEND_BELOW = 4.6, 3.5, 0.8, 0.6
"""Of a card's picture, and the room for a legend below it."""
TITLE_LETTERS = 46
FAMILIES = {
    "identity": "Which future is mine?",
    "anthropics": "Caring for one's copies",
    "self-reflection": "What would I do elsewhere?",
    "consideration": "What is left to others",
    "conservatism": "Acting with care",
    "studies": "What the papers do not ask",
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
    """Write ``index.md``, a grid of cards, and a page and a picture for each experiment.

    Args:
        folder: where.
        results: the folder of what `make` kept.
        draw: whether to show it; otherwise there are no pictures and no morals.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    parts = [HEAD]
    for family, scenarios in groupby(known(), key=lambda one: one.family):
        cards = []
        for scenario in scenarios:
            moral = take_run(scenario, place, results) if draw and scenario.in_quick else scenario.moral
            (place / f"{scenario.name}.md").write_text(own_page(scenario, place, moral), encoding="utf-8")
            cards.append(card(scenario, place, moral))
        parts += [
            f"## {FAMILIES[family]}",
            "\n".join(["```{raw} html", '<div class="gallery">', *cards, "</div>", "```"]),
        ]
    (place / "index.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


HEAD = """# Gallery

Every experiment: its question, a picture where there is one, and what came out. A click leads to its page. The pictures
are of short runs, made when these pages were built."""
LONGEST_SENTENCE = 25
SHORTEST_SENTENCE = 7
"""Words of the sentence of a card."""


def take_run(scenario: Scenario, place: Path, results: str) -> str:
    """Copy the pictures of a run to its page, and return its moral."""
    made = kept(scenario, results)
    for kind, name in (("picture", scenario.name), ("whole", f"{scenario.name}-whole")):
        if (made / f"{kind}.png").exists():
            shutil.copy(made / f"{kind}.png", place / f"{name}.png")
    return (made / "moral.txt").read_text(encoding="utf-8")


def card(scenario: Scenario, place: Path, moral: str) -> str:
    """Return the card of an experiment: its question, its picture and one sentence."""
    picture = (
        f'<img src="{scenario.name}.png" alt="" loading="lazy">' if (place / f"{scenario.name}.png").exists() else ""
    )
    question, sentence = escape(scenario.summary), escape(one_sentence(moral or what_it_asks(scenario)))
    inside = f"{picture}<strong>{question}</strong><span>{sentence}</span>"
    return f'<a class="card" href="{scenario.name}.html">{inside}</a>'


def one_sentence(text: str) -> str:
    """Return the first sentence that is short enough, or the beginning of the first one."""
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(text.replace("`", "").split()))
    short = [sentence for sentence in sentences if SHORTEST_SENTENCE <= len(sentence.split()) <= LONGEST_SENTENCE]
    return short[0] if short else " ".join(sentences[0].split()[: LONGEST_SENTENCE - 1]).rstrip(",;:") + " …"


def own_page(scenario: Scenario, place: Path, moral: str) -> str:
    """Return the page of an experiment."""
    parts = ["---\norphan: true\n---", f"# {scenario.name}", f"**{plain(scenario.summary)}**"]
    if (place / f"{scenario.name}-whole.png").exists():
        parts.append(f"![{plain(scenario.summary)}]({scenario.name}-whole.png)")
    parts += [plain(moral)] if moral else []
    parts += [plain(paragraph) for paragraph in scenario.description.split("\n\n")[1:]]
    quick = " --quick" if scenario.in_quick else ""
    parts.append(f"```console\n$ multislot run {scenario.name}{quick}\n```")
    return "\n\n".join([*parts, "[All experiments](index.md)"]) + "\n"


def what_it_asks(scenario: Scenario) -> str:
    """Return the first paragraph below the summary of a scenario's description."""
    _, *paragraphs = scenario.description.split("\n\n")
    return paragraphs[0] if paragraphs else ""


def plain(text: str) -> str:
    """Return text in one line; options become code, and Markdown's signs but backticks stand for themselves."""
    escaped = re.sub(r"([*_\[\]<>$])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?<![`\w-])--[a-z][a-z-]*", r"`\g<0>`", escaped)


def keep_one_panel(figure: Figure) -> Figure:
    """Remove all panels but the first, with the color bars of the others; a figure of one panel stays as it is."""
    panels = [axes for axes in figure.axes if not _owners(axes)]
    if len(panels) < 2:
        return figure
    kept = panels[0]
    for axes in list(figure.axes):
        if axes is not kept and kept not in _owners(axes):
            axes.remove()
    bars = [axes for axes in figure.axes if axes is not kept]
    if kept.get_subplotspec() is not None and all(bar.get_subplotspec() is None for bar in bars):
        kept.set_subplotspec(GridSpec(1, 1, figure=figure)[0])
    for place in ("left", "center", "right"):
        title = " ".join(kept.get_title(loc=place).split())
        kept.set_title(textwrap.fill(re.sub(r"^\([a-z]\) ", "", title), TITLE_LETTERS), loc=place)
    height = HEIGHT_INCHES + (LEGEND_INCHES if figure.legends else 0)
    legend = kept.get_legend()
    if legend and legend.get_bbox_to_anchor().y1 < kept.bbox.y0:  # below: the panel is less high now
        below = ScaledTranslation(0, -LEGEND_BELOW, figure.dpi_scale_trans)
        legend.set_bbox_to_anchor((0.5, 0), transform=kept.transAxes + below)
        height += max(0, legend.get_window_extent().height / figure.dpi - LEGEND_INCHES)
    if figure.get_suptitle():
        figure.suptitle("")
    figure.set_size_inches(WIDTH_INCHES, height)
    return figure


def _owners(axes: Axes) -> list[Axes]:
    """The plots that a color bar belongs to; an empty list if these axes are not a color bar."""
    return list((getattr(axes, "_colorbar_info", None) or {}).get("parents", []))
