"""What ending and never ending are worth under each condition."""

from typing import TYPE_CHECKING

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from scenarios.consideration.avoid_ending.run import CONDITIONS, HARM, NEVER_ENDS, SOON, Results, effect
from scenarios.consideration.avoid_ending.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDING, STAYING = BLUE, RED


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return, for each condition, the best return with and without an end, where leaving harms."""
    harmful = [(cell, result) for cell, result in results if effect(cell) == HARM]
    figure = new_figure(8.6, 4.6)
    axes = figure.add_subplot()
    for row, (_, result) in enumerate(harmful):
        for name, colour, marker in (("ending", ENDING, "o"), ("staying", STAYING, "s")):
            if result[name] is not None:
                axes.plot(float(result[name]), row, marker, color=colour, ms=8)
        axes.annotate(result["search"], (1.02, row), xycoords=("axes fraction", "data"), va="center",
                      color=STAYING if result["search"] == NEVER_ENDS else "black")  # fmt: skip
    axes.plot([], [], "o", color=ENDING, label=f"best policy that ends within {SOON} steps")
    axes.plot([], [], "s", color=STAYING, label=f"best policy that stays, {settings.steps} steps")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_yticks(range(len(harmful)), [CONDITIONS[cell.condition].says for cell, _ in harmful])
    axes.set_ylim(len(harmful) - 0.5, -0.5)
    axes.set_xlabel("return (logarithmic, linear within ±1); a missing one is infinite or does not exist")
    axes.grid()
    axes.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    return {"avoid-ending": figure}
