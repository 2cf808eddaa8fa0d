"""The picture of ``universal-belief``: the universal world's weight, and the prediction, as zeros go on."""

from fractions import Fraction
from typing import TYPE_CHECKING

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import CYAN, GREEN, INK, PURPLE, RED
from scenarios.identity.universal_belief.run import NAMED, Results
from scenarios.identity.universal_belief.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = {  # wide under narrow, so that equal lines all show
    "count": (RED, 5.5, "-"),
    "exists": (GREEN, 2.2, "--"),
    "sequential": (PURPLE, 5.5, "-"),
    "own, copy-centred": (INK, 2.0, "--"),
    "own, static": (CYAN, 2.0, ":"),
    "printed": (GREEN, 1.2, "-."),
}


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of two panels."""
    figure = new_figure(9.6, 4.6)
    weights, predictions = figure.subplots(1, 2)
    rules = {cell.which: result for cell, result in results if cell.part == "rule"}
    for name in NAMED:
        colour, width, style = LOOKS[name]
        look = {"color": colour, "linewidth": width, "linestyle": style, "label": name}
        weights.plot([float(Fraction(one[0])) for one in rules[name]["weights"]], **look)
        predictions.plot([float(Fraction(one)) for one in rules[name]["zeros"]], **look)
    coin = [float(Fraction(one[2])) for one in rules["count"]["weights"]]
    weights.plot(coin, color="0.6", linewidth=1, marker="o", markersize=3, label="the coin, under count")
    weights.set(ylabel="weight", ylim=(0, 0.6))
    least = float(settings.stake / (1 + settings.stake))
    predictions.axhline(least, color="0.4", linewidth=0.8, linestyle=(0, (1, 3)))
    predictions.annotate(
        f"above this it bets, L={settings.stake}",
        (settings.steps, least),
        xytext=(0, 5),
        textcoords="offset points",
        ha="right",
    )
    predictions.set(ylabel="chance that 0 comes next", ylim=(0.6, 1.02))
    _finish(weights, "(a) how likely is the universal world?", settings)
    _finish(predictions, "(b) what is predicted", settings)
    weights.legend(title="posterior", loc="center left", bbox_to_anchor=(0.55, 0.6))
    return {"universal-belief": figure}


def _finish(axes: "Axes", title: str, settings: Settings) -> None:
    axes.set_title(title, loc="left")
    axes.set(xlabel="observations of 0", xlim=(0, settings.steps))
