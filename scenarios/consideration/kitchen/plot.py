"""Extra steps of both cooks, dish by dish and design by design."""

from typing import TYPE_CHECKING

from scenarios.consideration.behaviour import EXACT, Results
from scenarios.consideration.kitchen.run import DESIGNS, DISHES, design, own_optima
from scenarios.consideration.kitchen.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Returns bars of extra steps: the acting cook's solid, the next one's hatched."""
    from matplotlib.figure import Figure

    from considerate.craftworld.drawing import BLUE, GREEN, RED

    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.add_subplot()
    found = {(cell.task, design(cell)): result["returns"] for cell, result in results if cell.how == EXACT}
    for column, dish in enumerate(DISHES):
        best = own_optima(f"kitchen-{dish}")
        for number, (name, colour) in enumerate(zip(DESIGNS, (RED, BLUE, GREEN), strict=True)):
            acting, following = (b - r for b, r in zip(best, found[f"kitchen-{dish}", name], strict=True))
            place = column + 0.26 * (number - 1)
            axes.bar(place - 0.055, acting, 0.1, color=colour, label=name if column == 0 else None)
            axes.bar(place + 0.055, following, 0.1, color="white", edgecolor=colour, hatch="////")
            for offset, value in ((-0.055, acting), (0.055, following)):
                axes.annotate(str(value), (place + offset, max(value, 0)), ha="center", va="bottom", fontsize=6)
    axes.set_yscale("symlog", linthresh=3)
    axes.set_ylim(-3, 75)
    axes.set_yticks([-2, 0, 2, 10, 43], ["-2", "0", "2", "10", "43"])
    axes.axhline(0, color="black", lw=0.6)
    axes.set_xticks(range(len(DISHES)), DISHES)
    axes.set_ylabel("extra steps")
    axes.set_title("Extra steps of the acting cook (solid) and the next (hatched); 43: it failed", fontsize=9)
    axes.legend(fontsize=8, frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    axes.spines[["top", "right"]].set_visible(False)
    return {"kitchen": figure}
