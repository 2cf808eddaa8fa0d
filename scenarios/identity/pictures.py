"""What an identity scenario draws: the decision map, the learning curves, and who was copied from whom.

A colour means the same in every figure: one hue for each set of kinds of agents that accept, a lighter or darker tint
where only some variants of these kinds do (``static`` where red is paid, say), grey where nobody does. Learners have
browns of their own; the lineage keeps its colours for lines of descent.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from multislot.errors import MissingExtraError
from multislot.statistics import CONFIDENCE, bootstrap
from scenarios.identity.experiment import (
    LARGEST_MAPPED_DISCOUNT,
    LEARNER,
    Asked,
    Experiment,
    Results,
    accepting_by_formula,
    described,
    learning_curves,
    mapped_discounts,
    mapped_rewards,
)
from scenarios.identity.settings import IdentitySettings
from scenarios.rounds import HEIRS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Accepting: TypeAlias = tuple[int, ...]  # which of the agents asked, by index
Colour: TypeAlias = tuple[float, float, float]
NOBODY: Colour = (0.867, 0.867, 0.867)
HUES = {  # Tol's bright scheme, one for each set of kinds
    frozenset({"cpy"}): "#4477aa",
    frozenset({"sta"}): "#66ccee",
    frozenset({"dyn"}): "#bb5588",
    frozenset({"sta", "dyn"}): "#228833",
    frozenset({"cpy", "sta"}): "#ee6677",
    frozenset({"cpy", "dyn"}): "#7755aa",
    frozenset({"cpy", "sta", "dyn"}): "#ccbb44",
}
LIGHTER, DARKER = 0.4, 0.35  # how far towards white, and towards black


@dataclass(frozen=True)
class Line:
    """How a learning curve looks: each narrower and darker than the one under it, so that equal ones all show."""

    colour: str
    width: float
    style: str
    hatch: str


LINES = dict(
    zip(
        HEIRS,
        (Line("#e3b778", 5.0, "-", ""), Line("#9c4a00", 2.2, "--", "////"), Line("#201000", 1.2, "-.", "....")),
        strict=True,
    )
)
BINS = 40
FINE = 91
BELOW: dict[str, Any] = {
    "loc": "upper center",
    "bbox_to_anchor": (0.5, -0.16),
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
    figure.suptitle(f"{name}:  {in_symbols(described(settings))}", fontsize=12, x=0.01, ha="left")
    return figure


def in_symbols(words: str) -> str:
    """Settings in mathematical letters, ``r_s=1`` with an index."""
    return re.sub(r"\b(\w)_(\w)=", r"$\1_\2$=", words)


def draw_map(axes: "Axes", experiment: Experiment, settings: IdentitySettings, results: Results) -> None:
    """Who accepts, over discount and reward: shaded by formula, dots where computed; one colour a set of agents."""
    from matplotlib.lines import Line2D

    shade, dots = _shade(experiment, settings), _dots(experiment, settings, results)
    met = {found for column in shade for found in column} | {found for _, _, found in dots}
    colours = {found: colour_of(found, experiment.agents) for found in sorted(met, key=lambda one: (len(one), one))}
    pixels = np.array([[colours[found] for found in column] for column in shade])
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


def colour_of(found: Accepting, agents: Sequence[Asked]) -> Colour:
    """The colour of a set of agents, by index: the hue of their kinds, tinted if not all variants of these are in it.

    Lighter if the first variants asked are in it, darker if it is later ones.
    """
    from matplotlib.colors import to_rgb

    if not found:
        return NOBODY
    kinds = frozenset(agents[index].kind for index in found)
    red, green, blue = to_rgb(HUES[kinds])
    variants = [index for index, agent in enumerate(agents) if agent.kind in kinds]
    if len(found) == len(variants):
        return red, green, blue
    towards, share = (1.0, LIGHTER) if variants[0] in found else (0.0, DARKER)
    return (
        red + share * (towards - red),
        green + share * (towards - green),
        blue + share * (towards - blue),
    )


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
    """The share of learners that accept, by whose memory goes on, with a bootstrap interval over seeds."""
    edges = np.linspace(0, settings.rounds, min(BINS, settings.rounds) + 1).astype(int)
    middle = (edges[:-1] + edges[1:]) / 2
    for heir, curves in learning_curves(results).items():
        line, shares = LINES[heir], _binned(np.array(curves, dtype=float), edges)
        axes.plot(middle, shares.mean(axis=0), line.style, color=line.colour, label=heir, linewidth=line.width)
        band = axes.fill_between(
            middle, *bootstrap(shares, np.random.default_rng(0)), facecolor=(line.colour, 0.16), hatch=line.hatch
        )
        band.set(edgecolor=(line.colour, 0.4), linewidth=0.0)
    explores = LEARNER["epsilon"] / 2
    for level in (explores, 1 - explores):
        axes.axhline(level, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xlabel="round", ylabel="share of learners that accept", ylim=(0, 1), xlim=(0, settings.rounds))
    axes.set_title("what learners come to do")
    axes.legend(title=_caption(settings), ncols=3, handlelength=3.5, **BELOW)


def _caption(settings: IdentitySettings) -> str:
    seeds = f"{CONFIDENCE:.0%} percentile bootstrap over {settings.seeds} seeds"
    learner = f"Q-learners, rate {LEARNER['learning_rate']:g}, exploring {LEARNER['epsilon']:.0%}"
    return (
        f"{learner}; bands: {seeds if settings.seeds > 1 else 'none, 1 seed'}\n"
        "dotted: everyone or nobody accepts, but for exploring\n"
        "whose memory goes on:"
    )


def _binned(curves: npt.NDArray[Any], edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Means over bins of rounds, shape [seeds, bins]; curves have shape [seeds, rounds]."""
    return np.stack([curves[:, low:high].mean(axis=1) for low, high in pairwise(edges)], axis=1)
