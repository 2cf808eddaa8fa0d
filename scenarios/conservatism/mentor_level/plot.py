"""The picture of ``mentor-level``: value above the mentor's over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.conservatism.lives import mean_and_error
from scenarios.conservatism.mentor_level.run import Cell
from scenarios.conservatism.mentor_level.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure, a line a β, a faint one a class; whiskers are two standard errors."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(settings.betas), sharey=True))
    places = range(len(settings.checkpoints))
    for panel, beta in zip(panels, settings.betas, strict=True):
        found = [result for cell, result in results if cell.beta == beta]
        for result in found:
            panel.plot(places, [np.mean(lives) for lives in result["above"]], color="tab:blue", alpha=0.2)
        pooled = [[life for result in found for life in result["above"][i]] for i in range(len(settings.checkpoints))]
        means, errors = zip(*map(mean_and_error, pooled), strict=True)
        panel.errorbar(places, means, yerr=2 * np.array(errors), fmt="o-", capsize=3, label="agent")
        best = np.mean([result["possible"] for result in found], axis=0)
        panel.plot(places, best, "--", color="tab:green", label="best policy")
        panel.axhline(0, color="black", linewidth=0.8)
        panel.set_xticks(places, [str(step) for step in settings.checkpoints])
        panel.set_title(f"β = {beta:g}")
        panel.set_xlabel("step")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("value above the mentor's")
    panels[-1].legend(fontsize=8)
    figure.suptitle(f"{settings.planner} plan; thin lines: one class each; whiskers: ±2 s.e.")
    return {"mentor-level": figure}
