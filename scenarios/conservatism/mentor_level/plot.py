"""The picture of ``mentor-level``: value above the mentor's over time, in both families of classes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLOURS
from multislot.statistics import class_bootstrap, whiskers
from scenarios.conservatism.apprenticeship import CONTROLS, Family, Kind
from scenarios.conservatism.mentor_level.run import CONTROLS_OF, PESSIMISTIC, Results, chosen, differences
from scenarios.conservatism.mentor_level.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES: dict[Kind, tuple[str, str]] = {
    kind: (COLOURS[number + 1], marker) for number, (kind, marker) in enumerate(zip(CONTROLS, "sDv^", strict=True))
}
APART = 0.05
LINEAR_BELOW = 1
TITLES: dict[Family, str] = {
    "random": "random classes: controls without\na mentor reach it, too",
    "bold mentor": "bold mentor: only an agent that asks\nlearns of the better arm",
}


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure, a panel a family; lines are means over classes and lives, whiskers 95% confidence."""
    figure = new_figure(10, 5.4)
    for panel, family in zip(figure.subplots(1, 2), get_args(Family)[::-1], strict=True):
        _draw_family(panel, settings, results, family)
    figure.suptitle(
        f"{settings.planner} plan; {settings.classes} random classes with {settings.seeds} lives each, "
        f"{settings.bold_seeds} lives with the bold mentor; whiskers: 95% confidence"
    )
    return {"mentor-level": figure}


def _draw_family(panel: "Axes", settings: Settings, results: Results, family: Family) -> None:
    """Draw the pessimistic agent at every β, the controls, and the best policy."""
    from matplotlib import colormaps

    lines = [
        (f"pessimistic, β={beta:g}", chosen(results, family, PESSIMISTIC, beta), "above") for beta in settings.betas
    ]
    shades = colormaps["viridis"](np.linspace(0, 0.8, len(lines)))
    for number, (label, found, name) in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * APART
        _draw(panel, settings.checkpoints, found, name, shift, color=shades[number], fmt="o-", label=label)
    for number, kind in enumerate(CONTROLS_OF[family]):
        colour, marker = STYLES[kind]
        style = {"color": colour, "fmt": f"{marker}:", "label": f"control: {kind}", "alpha": 0.8}
        _draw(panel, settings.checkpoints, chosen(results, family, kind), "above", (number + 1) * APART, **style)
    best = differences(lines[0][1], "possible").mean(axis=(0, 2))
    panel.plot(settings.checkpoints, best, "k--", linewidth=1, label="best policy")
    panel.axhline(0, color="black", linewidth=0.8)
    panel.set_xscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
    panel.set_xticks(settings.checkpoints, [str(step) for step in settings.checkpoints])
    panel.minorticks_off()
    panel.set_xlim(left=-0.3)
    panel.set_xlabel(f"step (logarithmic from {LINEAR_BELOW} on)")
    panel.set_ylabel("value above the mentor's\n(share of the largest value)")
    panel.set_title(TITLES[family])
    panel.grid()
    panel.legend(ncols=2, **BELOW)


def places(checkpoints: Sequence[int], shift: float) -> list[float]:
    """Return where the points of a line are: next to their steps, by the same share of each, so that all are seen."""
    return [step * (1 + shift) if step >= LINEAR_BELOW else step + shift for step in checkpoints]


def _draw(
    panel: "Axes", checkpoints: Sequence[int], found: list[dict[str, Any]], name: str, shift: float, **style: Any
) -> None:
    """Draw a mean over classes and lives with whiskers, at every checkpoint."""
    values = differences(found, name)
    means = values.mean(axis=(0, 2))
    reach = np.hstack([whiskers(means[step], class_bootstrap(values[:, step])) for step in range(len(means))])
    panel.errorbar(places(checkpoints, shift), means, reach, **style)
