"""The picture of ``conservative-vs-standard``: four measures, one row an agent, one colour a truth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from multislot.drawing.pictures import draw_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from scenarios.conservatism.conservative_vs_standard.run import (
    MEANS,
    PESSIMISTIC,
    SHARES,
    TRUTHS,
    Cell,
    applies,
    bounds,
    label,
)
from scenarios.conservatism.conservative_vs_standard.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = {"safe": (BLUE, "o"), "deadly": (RED, "D")}
TITLES = {
    "reward": "reward\na step",
    "queries": "queries a life,\nup to a fall",
    "fell": "share of lives\nthat end in a fall",
    "first": "share in which it is the\nfirst on a suspect cell",
}
APART = 0.17


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """Return one figure of four panels that share their rows; whiskers are 95% confidence."""
    figure = new_figure(10, 5.4)
    panels = figure.subplots(1, len(TITLES), sharey=True)
    agents = list(dict.fromkeys(label(cell) for cell, _ in results))
    for panel, name in zip(panels, (*MEANS.values(), *SHARES.values()), strict=True):
        _draw(panel, agents, results, name)
        panel.set_xlabel(TITLES[name])
    _draw_bounds(panels[2:], settings, agents)
    figure.legend(*panels[2].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.suptitle(
        f"A 7×7 world whose short path may be deadly: what pessimism buys and costs\n({settings.seeds} lives of "
        f"{settings.steps} steps; whiskers: 95% confidence)"
    )
    return {"conservative-vs-standard": figure}


def _draw(panel: "Axes", agents: list[str], results: Sequence[tuple[Cell, dict[str, Any]]], name: str) -> None:
    """Draw one measure: a point with whiskers for each agent in each truth."""
    for row in range(0, len(agents), 2):
        panel.axhspan(row - 0.5, row + 0.5, color="black", alpha=0.04, linewidth=0)
    panel.axhline(sum(not agent.startswith(PESSIMISTIC) for agent in agents) - 0.5, color="black", linewidth=0.8)
    for shift, truth in zip((-APART, APART), TRUTHS, strict=True):
        colour, marker = STYLES[truth]
        found = {label(cell): result[name] for cell, result in results if cell.truth == truth and applies(name, cell)}
        style = {"color": colour, "fmt": marker, "label": f"truth: {truth}"}
        draw_rows(panel, found, agents, share=name in SHARES.values(), shift=shift, **style)
    panel.set_xlim(left=-0.03 * panel.get_xlim()[1])


def _draw_bounds(panels: "Sequence[Axes]", settings: Settings, agents: list[str]) -> None:
    """Return the shares that result 3 allows, where they are below 1: of falls if deadly, of being first if safe."""
    for panel, which, shift in zip(panels, (0, 1), (APART, -APART), strict=True):
        promised = {
            agents.index(f"{PESSIMISTIC}, β={beta:g}"): bounds(settings, beta)[which] for beta in settings.betas
        }
        kept = {place + shift: bound for place, bound in promised.items() if bound < 1}
        panel.plot(list(kept.values()), list(kept), "k|", markersize=12, label="bound δ of result 3")
