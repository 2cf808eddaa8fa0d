"""The picture of ``conservative-vs-standard``: four measures, one row an agent, one colour a truth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scenarios.conservatism.conservative_vs_standard.run import MEASURES, PESSIMISTIC, TRUTHS, Cell, label
from scenarios.conservatism.conservative_vs_standard.settings import Settings
from scenarios.conservatism.lives import interval, mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"safe": "tab:blue", "deadly": "tab:orange"}
SHARES = ("fell", "first")
TITLES = ("reward a step", "queries a life", "lives that end\nin a fall", "agent is the first\non a suspect cell")


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure of four panels that share their rows; whiskers are two standard errors, 95% confidence for shares."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5.5), layout="constrained")
    panels = figure.subplots(1, len(MEASURES), sharey=True)
    agents = list(dict.fromkeys(label(cell) for cell, _ in results))
    for panel, name, title in zip(panels, MEASURES.values(), TITLES, strict=True):
        _draw(panel, agents, results, name)
        panel.set_title(title, fontsize=10)
        panel.grid(axis="x", alpha=0.3)
    panels[0].set_yticks(range(len(agents)), agents)
    panels[0].invert_yaxis()
    split = sum(not agent.startswith(PESSIMISTIC) for agent in agents) - 0.5
    for panel in panels:
        panel.axhline(split, color="black", linewidth=0.8)
    panels[2].legend(title="truth", loc="lower right", fontsize=8)
    figure.suptitle(
        "A 7×7 world whose short way may be deadly: what pessimism buys and costs (whiskers: ±2 s.e., 95% for shares)"
    )
    return {"conservative-vs-standard": figure}


def _draw(panel: "Axes", agents: list[str], results: Sequence[tuple[Cell, dict[str, Any]]], name: str) -> None:
    for shift, truth in zip((-0.2, 0.2), TRUTHS, strict=True):
        found = {label(cell): result[name] for cell, result in results if cell.truth == truth}
        places = [agents.index(agent) + shift for agent in found]
        means = [mean_and_error(values)[0] for values in found.values()]
        whiskers = list(zip(*(_whiskers(name, values) for values in found.values()), strict=True))
        panel.barh(places, means, 0.38, xerr=whiskers, color=COLOURS[truth], label=truth)


def _whiskers(name: str, values: Sequence[float]) -> tuple[float, float]:
    """How far the uncertainty reaches to the left and right of the mean."""
    mean, error = mean_and_error(values)
    if name not in SHARES:
        return 2 * error, 2 * error
    low, high = interval(int(sum(values)), len(values))
    return mean - low, high - mean
