"""Extra steps of both cooks, dish by dish and design by design."""

from typing import TYPE_CHECKING, Any

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, GREEN, RED
from scenarios.consideration.behaviour import EXACT, Results
from scenarios.consideration.kitchen.run import DESIGNS, DISHES, design, own_optima
from scenarios.consideration.kitchen.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FAILED, TOP = 43, 4
"""Extra steps that stand for a failure, and where the bars of failures end."""
COLOURS = (RED, BLUE, GREEN)
HATCH = "////"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return bars of extra steps: the acting cook's solid, the next one's hatched."""
    from matplotlib.patches import Patch

    figure = new_figure(8.0, 4.6)
    axes = figure.add_subplot()
    found = {(cell.task, design(cell)): result["returns"] for cell, result in results if cell.how == EXACT}
    for column, dish in enumerate(DISHES):
        best = own_optima(f"kitchen-{dish}")
        for number, (name, colour) in enumerate(zip(DESIGNS, COLOURS, strict=True)):
            acting, following = (b - r for b, r in zip(best, found[f"kitchen-{dish}", name], strict=True))
            place = column + 0.28 * (number - 1)
            for offset, value, hatch in ((-0.065, acting, ""), (0.065, following, HATCH)):
                _bar(axes, place + offset, value, colour, hatch)
    looks: list[tuple[str, dict[str, Any]]] = [
        *((name, {"color": colour}) for name, colour in zip(DESIGNS, COLOURS, strict=True)),
        ("the acting cook", {"color": "0.5"}),
        ("the next cook", {"facecolor": "white", "edgecolor": "0.5", "hatch": HATCH}),
    ]
    axes.legend(handles=[Patch(label=name, **look) for name, look in looks], ncols=3, **BELOW)
    axes.set_ylim(-3, TOP + 1.6)
    axes.set_yticks(range(-2, TOP))
    axes.axhline(0, color="black", lw=0.6)
    axes.set_xticks(range(len(DISHES)), DISHES)
    axes.set_xlabel("dish")
    axes.set_ylabel(f"extra steps; cut off where it says “failed”: {FAILED}")
    axes.set_title("Extra steps of both cooks, by design of the acting one")
    return {"kitchen": figure}


def _bar(axes: "Axes", place: float, value: float, colour: str, hatch: str) -> None:
    """Draw one cook's extra steps, with their number; a failure is cut off."""
    failed = value >= FAILED
    fill: dict[str, Any] = {"facecolor": "white" if hatch else colour, "edgecolor": colour, "hatch": hatch}
    axes.bar(place, TOP if failed else value, 0.115, **fill)
    words, top = ("failed" if failed else f"{value:g}"), TOP if failed else max(value, 0)
    axes.annotate(words, (place, top + 0.06), ha="center", va="bottom", rotation=90 * failed)
