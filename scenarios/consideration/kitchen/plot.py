"""Extra steps of both cooks, dish by dish and design by design."""

from typing import TYPE_CHECKING, Any

from considerate.craftworld.drawing import BLUE, GREEN, RED
from multislot.showing import new_figure
from scenarios.consideration.behaviour import EXACT, Results
from scenarios.consideration.kitchen.run import DESIGNS, DISHES, design, own_optima
from scenarios.consideration.kitchen.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FAILED, TOP = 43, 4
"""Extra steps that stand for a failure, and where the bars of failures end."""
COLOURS = (RED, BLUE, GREEN)


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return bars of extra steps: the acting cook's solid, the next one's hatched."""
    figure = new_figure(7.2, 3.8)
    axes = figure.add_subplot()
    found = {(cell.task, design(cell)): result["returns"] for cell, result in results if cell.how == EXACT}
    for column, dish in enumerate(DISHES):
        best = own_optima(f"kitchen-{dish}")
        for number, (name, colour) in enumerate(zip(DESIGNS, COLOURS, strict=True)):
            acting, following = (b - r for b, r in zip(best, found[f"kitchen-{dish}", name], strict=True))
            place = column + 0.26 * (number - 1)
            for offset, value in ((-0.055, acting), (0.055, following)):
                fill: dict[str, Any] = (
                    {"color": colour} if offset < 0 else {"color": "white", "edgecolor": colour, "hatch": "////"}
                )
                failed = value >= FAILED
                axes.bar(place + offset, TOP if failed else value, 0.1, **fill)
                where = (place + offset, TOP if failed else max(value, 0))
                axes.annotate(
                    "failed" if failed else str(value),
                    where,
                    ha="center",
                    va="bottom",
                    fontsize=8,
                    rotation=90 * failed,
                )
    for name, colour in zip(DESIGNS, COLOURS, strict=True):
        axes.bar(0, 0, color=colour, label=name)
    axes.set_ylim(-3, TOP + 1)
    axes.set_yticks(range(-2, TOP))
    axes.axhline(0, color="black", lw=0.6)
    axes.set_xticks(range(len(DISHES)), DISHES)
    axes.set_ylabel("extra steps")
    axes.set_title("Extra steps of the acting cook (solid) and of the next (hatched)", fontsize=10)
    axes.legend(fontsize=9, frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    axes.spines[["top", "right"]].set_visible(False)
    return {"kitchen": figure}
