"""Eight criteria on nine tasks: what caring costs the acting agent and what it brings the others."""

from typing import TYPE_CHECKING, Any

from considerate.criteria import CRITERIA
from multislot.drawing.showing import new_figure
from scenarios.consideration.formulations.run import EQUATIONS, Results, falls, losers, others_totals, own_returns
from scenarios.consideration.formulations.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RISES, FALLS, STAYS, LINE = "#cfe0f0", "#f9cfd6", "#ececec", "#b8b8b8"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return a grid: rows are equations, columns are tasks."""
    from matplotlib.patches import Patch

    found = {(cell.criterion, cell.task): result for cell, result in results}
    figure = new_figure(10, 8.4)
    axes = figure.add_subplot()
    for row, criterion in enumerate(CRITERIA):
        for column, task in enumerate(settings.tasks):
            _write(axes, row, column, found[criterion, task])
    axes.set_xlim(-0.5, len(settings.tasks) - 0.5)
    axes.set_ylim(len(CRITERIA) - 0.5, -0.5)
    names = [task.replace("-", "\n", 1) for task in settings.tasks]
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(CRITERIA)), [f"{EQUATIONS[name]}\n{name}" for name in CRITERIA])
    axes.set_title("From not caring to caring without bound: own cost, gain of the others, who loses")
    axes.set_xlabel("task")
    axes.set_ylabel("equation and criterion")
    meanings = {"the others' total rises": RISES, "it falls somewhere": FALLS, "it stays": STAYS}
    figure.legend(
        handles=[Patch(facecolor=colour, edgecolor=LINE, label=says) for says, colour in meanings.items()],
        loc="outside lower center",
        ncols=3,
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return {"formulations": figure}


def _write(axes: Any, row: int, column: int, result: Any) -> None:
    """Fill one place: blue where the others' total rises, red where it falls, grey where nothing changes."""
    from matplotlib.patches import Rectangle

    if "pieces" not in result:
        text, colour = "not\ndefined", "#ffffff"
    else:
        own, others, losing = own_returns(result), others_totals(result), losers(result)
        colour = FALLS if falls(result) else RISES if others[-1] > others[0] else STAYS
        text = f"own {float(own[-1] - own[0]):+g}\nothers {float(others[-1] - others[0]):+g}"
        text += "\n" + ", ".join(losing).replace("_", " ") + "\nloses" if losing else ""
    axes.add_patch(Rectangle((column - 0.48, row - 0.46), 0.96, 0.92, facecolor=colour, edgecolor=LINE, lw=0.6))
    axes.text(column, row, text, ha="center", va="center", fontsize="small")
