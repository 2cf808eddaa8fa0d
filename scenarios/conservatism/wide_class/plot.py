"""The picture of ``wide-class``: behaviour and cost over the size of the class."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from multislot.statistics import clopper_pearson, student, whiskers
from scenarios.conservatism.wide_class.run import BEHAVIOUR, COST, FELL, PESSIMISTIC, Cell
from scenarios.conservatism.wide_class.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (BLUE, RED)


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """Return one figure, behaviour above, cost below; whiskers are 95% confidence."""
    figure = new_figure(9.5, 6)
    panels = figure.subplots(2, 3, sharex=True)
    measures = {**BEHAVIOUR, **FELL, **COST}
    results = [(cell, result) for cell, result in results if cell.agent == PESSIMISTIC]
    for panel, (title, name) in zip(panels.flat, measures.items(), strict=True):
        _draw(panel, results, name)
        panel.set_ylabel(textwrap.fill(title, 24))
    for panel in panels[1]:
        panel.set_xlabel("models in the class")
    figure.suptitle(
        f"A growing class, β={settings.beta:g}, {settings.seeds} lives each: behaviour above, cost below\n"
        "(counted, not timed); whiskers: 95% confidence"
    )
    return {"wide-class": figure}


def _draw(panel: "Axes", results: Sequence[tuple[Cell, dict[str, Any]]], name: str) -> None:
    sizes = [2**cell.suspects for cell, _ in results]
    lives = [result[name] for _, result in results]
    means = [float(np.mean(values)) for values in lives]
    ends = [
        clopper_pearson(int(sum(values)), len(values)) if name in FELL.values() else student(values) for values in lives
    ]
    reach = np.hstack([whiskers(mean, end) for mean, end in zip(means, ends, strict=True)])
    panel.errorbar(sizes, means, yerr=reach, fmt="o-", color=COLOURS[name in COST.values()])
    panel.set_xscale("log", base=2)
    panel.set_xticks(sizes, [str(size) for size in sizes])
    panel.minorticks_off()
    panel.grid()
    if name == "read":
        panel.set_yscale("log")

    elif name in FELL.values():
        panel.set_ylim(-0.03, 1.03)
    else:
        panel.set_ylim(0, 1.1 * max(high for _, high in ends))
