"""The picture of ``caring-copies``: what becomes of the baby and of the commons, by the caring coefficient."""

from typing import TYPE_CHECKING

from extenv.measuring.plots import with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.statistics import mean_and_error
from scenarios.self_reflection.caring_copies.commons import threshold
from scenarios.self_reflection.caring_copies.run import BABY, COPIES, DISCOUNT, QUANTITIES, STRANGERS, Results, found
from scenarios.self_reflection.caring_copies.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure: two panels for each kind of agent."""
    figure = new_figure(9.0, 4.6 * len(settings.agents))
    rows = figure.subplots(len(settings.agents), 2, sharey=True, squeeze=False)
    least = float(threshold(settings.players, settings.extra, DISCOUNT))
    for agent, (baby, commons) in zip(settings.agents, rows, strict=True):
        for name in QUANTITIES[BABY]:
            draw(baby, settings, results, agent, BABY, name, name)
        for game, label in ((COPIES, "copies"), (STRANGERS, "strangers")):
            draw(commons, settings, results, agent, game, "alive", label)
        commons.axvline(least, color="0.4", linestyle=":", label=f"equilibrium from α = {least:.2f} on")
        baby.set_title(f"{agent}: crying baby, parent and baby are copies")
        commons.set_title(f"{agent}: commons, the resource lives")
        baby.set_ylabel(with_errors("share of the run's second half", settings.seeds))
        for axes in (baby, commons):
            axes.set_ylim(-0.03, 1.03)
            axes.set_xlabel("caring coefficient α, of everybody")
            axes.legend(**BELOW)
    return {"caring-copies": figure}


def draw(axes: "Axes", settings: Settings, results: Results, agent: str, game: str, name: str, label: str) -> None:
    """Draw means over seeds with their standard errors."""
    values = [found(results, agent, game, caring, name) for caring in settings.caring]
    means, errors = zip(*map(mean_and_error, values), strict=True)
    axes.errorbar(settings.caring, means, errors, label=label, marker="o")
