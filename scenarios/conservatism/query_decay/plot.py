"""The picture of ``query-decay``: share of steps deferred over time, by β and plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from scenarios.conservatism.apprenticeship import Planner
from scenarios.conservatism.query_decay.run import Cell, queries_of, share_with_interval, windows
from scenarios.conservatism.query_decay.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure, a panel a plan, a line a β, with 95% confidence bands."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    spans = windows(settings.steps)
    middles = [(first + last) / 2 for first, last in spans]
    for panel, planner in zip(panels, get_args(Planner), strict=True):
        for beta in settings.betas:
            queries = queries_of(results, planner, beta)
            found = [share_with_interval(queries, i, last - first) for i, (first, last) in enumerate(spans)]
            share, low, high = np.array(found).T
            (line,) = panel.plot(middles, share, "o-", markersize=3, label=f"β = {beta:g}")
            panel.fill_between(middles, low, high, alpha=0.2, color=line.get_color())
        panel.set_xscale("log", base=2)
        panel.set_title(f"{planner} plan")
        panel.set_xlabel("step")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("share of steps deferred to the mentor")
    panels[0].legend(fontsize=8)
    figure.suptitle(f"{settings.classes} random classes, {settings.lives} lives each; bands: 95% confidence")
    return {"query-decay": figure}
