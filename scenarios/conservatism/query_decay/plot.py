"""The picture of ``query-decay``: share of steps deferred over time, by β and plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from multislot.statistics import class_bootstrap, share_bootstrap, whiskers
from scenarios.conservatism.apprenticeship import Planning
from scenarios.conservatism.query_decay.run import TARGET, TWINS, Cell, families, in_window, queries_of, windows
from scenarios.conservatism.query_decay.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """Return one figure, a row without twins and one with them; whiskers and bands are 95% confidence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 8), layout="constrained")
    rows = figure.subplots(2, 3, width_ratios=[4, 4, 2.5])
    for panels, family, share in zip(rows, TWINS, families(settings).values(), strict=True):
        _draw_family(panels, settings, results, share)
        panels[0].set_ylabel(f"{family}\nshare of steps deferred to the mentor")
    rows[0, 0].legend(fontsize=8)
    figure.suptitle(
        f"{settings.classes} random classes, lives in each: {settings.lives}; "
        "bands and whiskers: 95% confidence, resampling classes and lives",
        fontsize=11,
    )
    return {"query-decay": figure}


def _draw_family(panels: Any, settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]], share: float) -> None:
    """Return A panel a plan with a line a β, and beside them the queries of a life."""
    panels[1].sharey(panels[0])
    for panel, planner in zip(panels[:2], get_args(Planning), strict=True):
        for beta in settings.betas:
            _draw(panel, settings, queries_of(results, share, planner, beta), f"β = {beta:g}")
        panel.axhline(TARGET, color="black", linestyle=":", linewidth=1, label=f"target, {TARGET:.0%}")
        panel.set_title(f"{planner} plan" + ("" if planner == "exact" else " (result 2 is not promised)"))
        _name_steps(panel, settings.steps)
    panels[0].set_ylim(bottom=0)
    _draw_totals(panels[2], settings, results, share)


def _draw(panel: "Axes", settings: Settings, queries: Any, label: str) -> None:
    """Return one line with its band, a point a window."""
    places = range(queries.shape[2])
    shares = [in_window(settings, queries, index) for index in places]
    low, high = np.array([share_bootstrap(one) for one in shares]).T
    (line,) = panel.plot(places, [one.mean() for one in shares], "o-", markersize=3, label=label)
    panel.fill_between(places, low, high, alpha=0.12, color=line.get_color(), linewidth=0)


def _draw_totals(
    panel: "Axes", settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]], share: float
) -> None:
    """Return the queries of a whole life over β, a line a plan."""
    places = np.arange(len(settings.betas))
    for number, planner in enumerate(get_args(Planning)):
        totals = [queries_of(results, share, planner, beta).sum(axis=2) for beta in settings.betas]
        reach = np.hstack([whiskers(float(one.mean()), class_bootstrap(one)) for one in totals])
        means, style = [float(one.mean()) for one in totals], ("ko-", "ks--")[number]
        panel.errorbar(places + 0.1 * number, means, reach, fmt=style, markersize=4, capsize=3, label=f"{planner} plan")
    panel.set_xticks(places, [f"{beta:g}" for beta in settings.betas])
    panel.set_ylim(bottom=0)
    panel.set_title("queries a life")
    panel.set_xlabel("β")
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)


def _name_steps(panel: "Axes", steps: int) -> None:
    """Return the windows under the axis; steps count from 1."""
    spans = windows(steps)
    panel.set_xticks(range(len(spans)), [f"{first + 1}–{last}" for first, last in spans])
    panel.set_xlabel("steps")
    panel.grid(alpha=0.3)
