"""The picture of ``wide-class``: behaviour and cost over the size of the class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.conservatism.lives import mean_and_error
from scenarios.conservatism.wide_class.run import MEASURES, Cell
from scenarios.conservatism.wide_class.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure, a panel a measure; whiskers are two standard errors."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    panels = figure.subplots(2, 3, sharex=True)
    sizes = [2**cell.suspects for cell, _ in results]
    for panel, (title, name) in zip(panels.flat, MEASURES.items(), strict=True):
        means, errors = zip(*(mean_and_error(result[name]) for _, result in results), strict=True)
        panel.errorbar(sizes, means, yerr=2 * np.array(errors), fmt="o-", capsize=3)
        panel.set_xscale("log", base=2)
        panel.set_title(title, fontsize=9, wrap=True)
        panel.grid(alpha=0.3)
        if name == "read":
            panel.set_yscale("log")
        elif name == "fell":
            panel.set_ylim(-0.05, 1.05)
        else:
            panel.set_ylim(bottom=0)
    for panel in panels[1]:
        panel.set_xlabel("models in the class")
    figure.suptitle(f"A growing class, β={settings.beta:g} (whiskers: ±2 s.e.; cost below is counted, not timed)")
    return {"wide-class": figure}
