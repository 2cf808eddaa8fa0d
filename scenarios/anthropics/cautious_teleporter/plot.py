"""The picture of ``cautious-teleporter``: who steps in by itself, and after how much evidence."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from multislot.bayes.events import AGENT
from multislot.drawing.pictures import draw_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from scenarios.anthropics.cautious_teleporter.run import (
    MENTORS,
    PESSIMISTIC,
    VALUES,
    Cell,
    Results,
    evidence_needed,
)
from scenarios.anthropics.cautious_teleporter.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Happened: TypeAlias = Callable[[dict[str, Any]], list[float]]
STYLES = {"travels": (BLUE, "o", -0.15), "never travels": (RED, "D", 0.15)}
COLUMNS = 2


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure: who steps in by each value, who makes the first copy, and the evidence over β."""
    shares = {
        f"the booth moves, {name} value:\nlives in which it steps in by itself": ("moves", value, _steps_in)
        for value, name in VALUES.items()
    }
    shares["the booth copies:\nlives in which it makes the first copy"] = "copies", "cpy", _copies_first
    shares = {title: panel for title, panel in shares.items() if panel[0] in settings.truths}
    rows = -(-(len(shares) + 1) // COLUMNS)
    figure = new_figure(10, 0.8 + 3.4 * rows)
    every_panel = figure.subplots(rows, COLUMNS, squeeze=False)
    *panels, last = every_panel.flat[: len(shares) + 1]
    for unused in every_panel.flat[len(shares) + 1 :]:
        unused.set_visible(False)
    for panel, (title, (true, value, happened)) in zip(panels, shares.items(), strict=True):
        own = [(cell, result) for cell, result in results if (cell.true, cell.value) == (true, value)]
        _draw_shares(panel, own, happened)
        panel.set_title(title)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    _draw_evidence(last, results)
    figure.suptitle(
        f"A booth that moves you ({settings.moves:g}), copies you ({settings.copies:g}) or deletes you:\n"
        f"{settings.seeds} lives of each pessimist (whiskers: 95% confidence); the others draw nothing"
    )
    return {"cautious-teleporter": figure}


def _steps_in(result: dict[str, Any]) -> list[float]:
    return [float(trips is not None) for trips in result["trips"]]


def _copies_first(result: dict[str, Any]) -> list[float]:
    return [float(who == AGENT) for who in result["first copy"]]


def _name(cell: Cell) -> str:
    return f"pessimistic, β={cell.beta:g}" if cell.agent == PESSIMISTIC else cell.agent


def _draw_shares(panel: "Axes", results: Results, happened: Happened) -> None:
    """Draw the share of lives in which something happened, a row for each agent."""
    names = list(dict.fromkeys(_name(cell) for cell, _ in results))
    for mentor in MENTORS:
        colour, marker, shift = STYLES[mentor]
        found = [(cell, result) for cell, result in results if cell.mentor == mentor]
        for drawing in (True, False):
            shares = {_name(cell): happened(result) for cell, result in found if (cell.agent == PESSIMISTIC) == drawing}
            style = {"color": colour, "fmt": marker, "label": f"mentor {mentor}" if drawing else None}
            draw_rows(panel, shares, names, share=drawing, shift=shift, **style)
    panel.set_xlim(-0.03, 1.03)
    panel.set_xlabel("share of lives")


def _draw_evidence(panel: "Axes", results: Results) -> None:
    """Draw the mentor's trips before the agent's own first one, over β, next to the exact number."""
    found = [
        (cell, [trips for trips in result["trips"] if trips is not None])
        for cell, result in results
        if (cell.true, cell.value, cell.agent, cell.mentor) == ("moves", "cpy", PESSIMISTIC, "travels")
    ]
    if not found:
        return
    prior, largest = found[0][0].prior, max(cell.beta for cell, _ in found)
    grid = np.linspace(0, largest, 400)
    panel.plot(grid, [evidence_needed(float(beta), prior) for beta in grid], "k-", linewidth=1, label="exact")
    means = [(cell.beta, float(np.mean(trips))) for cell, trips in found if trips]
    panel.plot(*zip(*means, strict=True), "o", color=BLUE, label="mean of all lives")
    panel.set_xlabel("β")
    panel.set_ylabel("mentor's trips before\nthe agent's first own one")
    panel.set_title("evidence (copy-centred,\nthe mentor travels)")
    panel.grid()
    panel.legend()
