"""The picture of ``mentor-level``: value above the mentor's over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.statistics import bounded_student, class_bootstrap, whiskers
from scenarios.conservatism.mentor_level.run import Cell, differences
from scenarios.conservatism.mentor_level.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AGENT, BEST = "tab:blue", "tab:green"
APART = 0.06


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """Return one figure, a panel a β; faint lines for classes, a bold one for their mean, with 95% confidence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.8), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(settings.betas), sharey=True))
    for panel, beta in zip(panels, settings.betas, strict=True):
        _draw(panel, differences(results, beta, "possible"), APART, BEST, "best policy")
        _draw(panel, differences(results, beta, "above"), -APART, AGENT, "agent")
        _draw_classes(panel, [result for cell, result in results if cell.beta == beta])
        panel.axhline(0, color="black", linewidth=0.8)
        panel.set_xticks(range(len(settings.checkpoints)), [str(step) for step in settings.checkpoints])
        panel.set_title(f"β = {beta:g}")
        panel.set_xlabel("step")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("value above the mentor's")
    panels[-1].legend(fontsize=8, loc="lower right")
    figure.suptitle(
        f"{settings.planner} plan, {settings.classes} classes, {settings.lives} lives each; faint: the agent in "
        "one class; whiskers: 95% confidence (bold: resampling classes and lives)",
        fontsize=10,
    )
    return {"mentor-level": figure}


def _draw(panel: "Axes", values: Any, shift: float, colour: str, label: str) -> None:
    """Return the mean over classes [C, steps, L] with whiskers."""
    steps = range(values.shape[1])
    means = values.mean(axis=(0, 2))
    reach = np.hstack([whiskers(means[step], class_bootstrap(values[:, step])) for step in steps])
    style = "o-" if colour == AGENT else "s--"
    panel.errorbar(np.array(steps) + shift, means, reach, fmt=style, markersize=4, capsize=3, color=colour, label=label)


def _draw_classes(panel: "Axes", results: Sequence[dict[str, Any]]) -> None:
    """Return each class with the interval by which it is judged."""
    for number, result in enumerate(results):
        means = [float(np.mean(lives)) for lives in result["above"]]
        ends = [bounded_student(lives, *result["extremes"]) for lives in result["above"]]
        reach = np.hstack([whiskers(mean, end) for mean, end in zip(means, ends, strict=True)])
        places = np.arange(len(means)) + APART * (2 + number / len(results))
        panel.errorbar(places, means, reach, fmt="-", color=AGENT, alpha=0.2, linewidth=1)
