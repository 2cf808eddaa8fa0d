"""The picture of ``reality-check``: gain by environment with bootstrap intervals, sorted."""

from typing import TYPE_CHECKING

from multislot.drawing.pictures import draw_intervals, name_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, GREEN, GREY, RED
from scenarios.self_reflection.reality_check.run import Results, compared
from scenarios.self_reflection.reality_check.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure."""
    comparison = compared(settings, results)
    differences = sorted(comparison.by_environment, key=lambda d: -d.difference)
    figure = new_figure(7.0, 6.5)
    axes = figure.subplots()
    for says, colour, chosen in (
        ("gains", GREEN, [one for one in differences if one.low > 0]),
        ("loses", RED, [one for one in differences if one.high < 0]),
        ("not decided", GREY, [one for one in differences if one.low <= 0 <= one.high]),
    ):
        if chosen:
            rows = [differences.index(one) for one in chosen]
            ends = [(one.low, one.high) for one in chosen]
            draw_intervals(axes, rows, [one.difference for one in chosen], ends, color=colour, label=says)
    name_rows(axes, [found.environment for found in differences])
    axes.axvline(0.0, color="black", linewidth=0.6)
    many = f"{settings.seeds} seeds" if settings.seeds > 1 else "1 seed"
    axes.set_xlabel(f"reward per step, {comparison.second} − {comparison.first} (95% bootstrap, {many})")
    axes.legend(ncols=3, **{**BELOW, "bbox_to_anchor": (0.3, -0.1)})
    return {"gains": figure}
