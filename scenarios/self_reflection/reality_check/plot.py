"""The picture of ``reality-check``: gain by environment with bootstrap intervals, sorted."""

from typing import TYPE_CHECKING

from multislot.showing import new_figure
from scenarios.self_reflection.reality_check.run import Results, compared
from scenarios.self_reflection.reality_check.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure."""
    comparison = compared(settings, results)
    differences = sorted(comparison.by_environment, key=lambda d: d.difference)
    figure = new_figure(7.0, 6.5)
    axes = figure.subplots()
    for place, found in enumerate(differences):
        color = "tab:green" if found.low > 0 else "tab:red" if found.high < 0 else "tab:gray"
        axes.plot([found.low, found.high], [place, place], color=color)
        axes.plot(found.difference, place, "o", color=color)
    axes.set_yticks(range(len(differences)), [found.environment for found in differences])
    axes.axvline(0.0, color="black", linewidth=0.6)
    axes.set_xlabel(f"reward per step, {comparison.second} less {comparison.first}")
    return {"gains": figure}
