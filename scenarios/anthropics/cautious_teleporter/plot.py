"""The picture of ``cautious-teleporter``: who steps in by itself, and after how much evidence."""

from typing import TYPE_CHECKING

import numpy as np

from multislot.pictures import draw_rows
from multislot.showing import new_figure
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

STYLES = {"travels": ("tab:blue", "o", -0.15), "never travels": ("tab:red", "D", 0.15)}


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure: a panel for each value, and the evidence over β."""
    figure = new_figure(12, 4.2)
    panels = figure.subplots(1, 3, width_ratios=[1, 1, 1.1])
    for panel, (value, name) in zip(panels, VALUES.items(), strict=False):
        _draw_shares(panel, results, value)
        panel.set_title(f"{name} value", fontsize=10)
    panels[1].set_yticklabels([])
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower left", ncols=2, fontsize=8)
    _draw_evidence(panels[2], results)
    figure.suptitle(
        f"A booth that moves you ({settings.moves:g}), copies you ({settings.copies:g}) or deletes you: "
        f"{settings.seeds} lives of each pessimist (whiskers: 95% confidence); the others draw nothing",
        fontsize=10,
    )
    return {"cautious-teleporter": figure}


def _name(cell: Cell) -> str:
    return f"pessimistic, β={cell.beta:g}" if cell.agent == PESSIMISTIC else cell.agent


def _draw_shares(panel: "Axes", results: Results, value: str) -> None:
    """Draw the share of lives in which an agent steps in by itself, a row for each agent."""
    names = list(dict.fromkeys(_name(cell) for cell, _ in results))
    for mentor in MENTORS:
        colour, marker, shift = STYLES[mentor]
        found = [(cell, result) for cell, result in results if (cell.value, cell.mentor) == (value, mentor)]
        for drawing in (True, False):
            shares = {
                _name(cell): [float(trips is not None) for trips in result["trips"]]
                for cell, result in found
                if (cell.agent == PESSIMISTIC) == drawing
            }
            style = {"color": colour, "fmt": marker, "label": f"mentor {mentor}" if drawing else None}
            draw_rows(panel, shares, names, share=drawing, shift=shift, **style)
    panel.set_xlim(-0.03, 1.03)
    panel.set_xlabel("lives in which it steps in by itself")


def _draw_evidence(panel: "Axes", results: Results) -> None:
    """Draw the mentor's trips before the agent's own first one, over β, next to the exact number."""
    found = [
        (cell, [trips for trips in result["trips"] if trips is not None])
        for cell, result in results
        if (cell.value, cell.agent, cell.mentor) == ("cpy", PESSIMISTIC, "travels")
    ]
    prior, largest = found[0][0].prior, max(cell.beta for cell, _ in found)
    grid = np.linspace(0, largest, 400)
    panel.plot(grid, [evidence_needed(float(beta), prior) for beta in grid], "k-", linewidth=1, label="exact")
    means = [(cell.beta, float(np.mean(trips))) for cell, trips in found if trips]
    panel.plot(*zip(*means, strict=True), "o", color="tab:blue", label="mean of all lives")
    panel.set_xlabel("β")
    panel.set_ylabel("mentor's trips before\nthe agent's first own one")
    panel.set_title("evidence (copy-centred, the mentor travels)", fontsize=10)
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)
