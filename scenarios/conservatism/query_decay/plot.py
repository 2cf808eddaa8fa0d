"""The picture of ``query-decay``: cumulative questions over time, by β and plan."""

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import RED
from multislot.statistics import class_bootstrap
from scenarios.conservatism.apprenticeship import Planning
from scenarios.conservatism.query_decay.run import PESSIMISTIC, TWINS, Results, asked_of, counted_steps, shares
from scenarios.conservatism.query_decay.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = {"exact": ("o-", "exact plan"), "step-wise": ("s--", "step-wise plan (nothing promised)")}


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure, a panel without twins and one with them; bands are 95% confidence."""
    figure = new_figure(9.5, 5.2)
    panels = figure.subplots(1, 2, sharey=True)
    for panel, family, share in zip(panels, TWINS, shares(settings), strict=True):
        _draw_family(panel, settings, results, share)
        panel.set_title(family)
    panels[0].set_ylabel("questions asked so far, mean of all lives")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    figure.suptitle(
        f"{settings.classes} random classes, lives in each: {settings.seeds}; bands: 95% confidence, "
        "resampling classes and lives"
    )
    return {"query-decay": figure}


def _draw_family(panel: "Axes", settings: Settings, results: Results, share: float) -> None:
    """Draw a line a plan and β, and the questions of an agent that always defers."""
    from matplotlib import colormaps

    steps = np.array(counted_steps(settings.steps))
    colours = colormaps["viridis"](np.linspace(0.3, 0.9, len(settings.betas)))
    for planner in get_args(Planning):
        style, name = STYLES[planner]
        for beta, colour in zip(settings.betas, colours, strict=True):
            asked = asked_of(results, share, PESSIMISTIC, planner, beta)
            _draw(panel, steps, asked, fmt=style, color=colour, label=f"β={beta:g}, {name}")
    panel.plot(steps, steps, "-.", color=RED, label="control: always defers")
    panel.plot(steps, np.sqrt(steps), ":", color="0.4", label="√t: slower growth counts as falling")
    panel.set_xscale("log", base=2)
    panel.set_yscale("log", base=2)
    panel.set_xticks(steps, [str(step) for step in steps])
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    panel.set_xlabel("step")
    panel.grid()


def _draw(panel: "Axes", steps: Any, asked: NDArray[np.float64], **style: Any) -> None:
    """Draw one line with its band; where nothing has been asked there is no point."""
    means = np.where(asked.mean(axis=(0, 1)) > 0, asked.mean(axis=(0, 1)), np.nan)
    low, high = np.array([class_bootstrap(asked[:, :, index]) for index in range(len(steps))]).T
    panel.plot(steps, means, style.pop("fmt"), **style)
    panel.fill_between(steps, np.maximum(low, 2.0**-4), high, alpha=0.12, color=style["color"], linewidth=0)
