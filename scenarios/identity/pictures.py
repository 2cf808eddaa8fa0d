"""What an identity scenario draws: the decision map, the learning curves, and who was copied from whom."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from multislot.errors import MissingExtraError
from scenarios.identity.experiment import (
    LARGEST_MAPPED_DISCOUNT,
    LEARNER,
    Experiment,
    Results,
    accepting_by_formula,
    learning_curves,
    mapped_discounts,
    mapped_rewards,
)
from scenarios.identity.settings import IdentitySettings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Accepting: TypeAlias = tuple[int, ...]  # which of the agents asked, by index
NOBODY = "#dddddd"
REGIONS = ("#4477aa", "#ccbb44", "#228833", "#ee6677", "#66ccee", "#aa3377", "#bbbbbb")  # Tol's bright scheme
LINES = ("#4477aa", "#228833", "#ee6677")
STYLES = ("-", "--", "-.")
BINS = 40
TWO_SIDED_95 = 1.96
FINE = 91
BELOW: dict[str, Any] = {
    "loc": "upper center",
    "bbox_to_anchor": (0.5, -0.17),
    "frameon": False,
    "fontsize": 8,
    "title_fontsize": 8,
}


def three_panels(experiment: Experiment, settings: IdentitySettings, results: Results, name: str) -> "Figure":
    """Draw decision map, learning curves and lineage side by side.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a picture", "plot") from error
    figure = Figure(figsize=(12.5, 4.3), layout="constrained")
    panels = figure.subplots(1, 3, width_ratios=(1.15, 1.15, 0.8))
    draw_map(panels[0], experiment, settings, results)
    draw_curves(panels[1], settings, results)
    experiment.lineage(settings).lineage.plot(panels[2])
    panels[2].set_title("who is copied from whom")
    for letter, panel in zip("abc", panels, strict=True):
        panel.set_title(f"({letter}) {panel.get_title()}", loc="left", fontsize=10)
        panel.set_title("")
    figure.suptitle(name, fontsize=12, fontweight="bold", x=0.01, ha="left")
    return figure


def draw_map(axes: "Axes", experiment: Experiment, settings: IdentitySettings, results: Results) -> None:
    """Who accepts, over discount and reward: shaded by formula, dots where computed; one colour a set of agents."""
    from matplotlib.colors import to_rgb
    from matplotlib.lines import Line2D

    shade, dots = _shade(experiment, settings), _dots(experiment, settings, results)
    colours = _palette({found for column in shade for found in column} | {found for _, _, found in dots})
    pixels = np.array([[to_rgb(colours[found]) for found in column] for column in shade])
    extent = (0.0, float(LARGEST_MAPPED_DISCOUNT), 0.0, float(experiment.highest))
    axes.imshow(pixels.swapaxes(0, 1), origin="lower", extent=extent, aspect="auto", alpha=0.55)
    axes.scatter([x for x, _, _ in dots], [y for _, y, _ in dots], s=5, c=[colours[found] for _, _, found in dots])
    axes.plot(float(settings.discount), float(getattr(settings, experiment.reward)), "k*", markersize=11)
    axes.set(xlabel="discount γ", ylabel=f"reward ${experiment.reward}$", title="who accepts, exactly (★: here)")
    axes.set(xlim=extent[:2], ylim=extent[2:])
    names = [agent.name for agent in experiment.agents]
    handles = [Line2D([], [], ls="", marker="s", color=colours[found], label=_who(found, names)) for found in colours]
    axes.legend(handles=handles, ncols=2 if len(handles) > 3 else 1, **BELOW)


def _dots(experiment: Experiment, settings: IdentitySettings, results: Results) -> list[tuple[float, float, Accepting]]:
    """Discount, reward and who accepts, at each point that was computed exactly."""
    columns = [result["accepting"] for cell, result in results if cell.part == "map"]
    return [
        (float(discount), float(reward), tuple(found))
        for discount, column in zip(mapped_discounts(settings), columns, strict=True)
        for reward, found in zip(mapped_rewards(experiment, settings), column, strict=True)
    ]


def _palette(sets: set[Accepting]) -> dict[Accepting, str]:
    """A colour for each set of agents, smaller sets first; grey for nobody."""
    somebody = sorted(sets - {()}, key=lambda found: (len(found), found))
    coloured = {found: REGIONS[index % len(REGIONS)] for index, found in enumerate(somebody)}
    return ({(): NOBODY} if () in sets else {}) | coloured


def _shade(experiment: Experiment, settings: IdentitySettings) -> list[list[Accepting]]:
    """Who accepts by formula, on a finer grid: shape [discounts, rewards]."""
    fine = replace(settings, resolution=FINE)
    discounts = [float(discount) for discount in mapped_discounts(fine)]
    rewards = [float(reward) for reward in mapped_rewards(experiment, fine)]
    return [[accepting_by_formula(experiment, settings, x, y) for y in rewards] for x in discounts]


def _who(found: Sequence[int], names: Sequence[str]) -> str:
    if not found:
        return "nobody"
    return "everybody" if len(found) == len(names) else " + ".join(names[index] for index in found)


def draw_curves(axes: "Axes", settings: IdentitySettings, results: Results) -> None:
    """The share of learners that accept, by whose memory goes on, with its 95% confidence interval over seeds."""
    edges = np.linspace(0, settings.rounds, min(BINS, settings.rounds) + 1).astype(int)
    for (heir, curves), colour, style in zip(learning_curves(results).items(), LINES, STYLES, strict=False):
        middle, share, half = _binned(np.array(curves, dtype=float), edges)
        axes.plot(middle, share, style, color=colour, label=heir, linewidth=1.6)
        axes.fill_between(middle, share - half, share + half, color=colour, alpha=0.18, linewidth=0)
    explores = LEARNER["epsilon"] / 2
    for level in (explores, 1 - explores):
        axes.axhline(level, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xlabel="round", ylabel="share of learners that accept", ylim=(0, 1), xlim=(0, settings.rounds))
    axes.set_title(f"what learners come to do ({settings.seeds} seeds, 95 %)")
    axes.legend(title="whose memory goes on (dotted: everyone or nobody accepts, but for exploring)", ncols=3, **BELOW)


def _binned(curves: npt.NDArray[Any], edges: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """Middle of each bin of rounds, mean over seeds, half width of the interval; curves have shape [seeds, rounds]."""
    bins = np.stack([curves[:, low:high].mean(axis=1) for low, high in pairwise(edges)], axis=1)
    error = bins.std(axis=0, ddof=1) / np.sqrt(len(bins)) if len(bins) > 1 else np.zeros(bins.shape[1])
    return (edges[:-1] + edges[1:]) / 2, bins.mean(axis=0), TWO_SIDED_95 * error
