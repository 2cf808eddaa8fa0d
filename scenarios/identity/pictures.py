"""What an identity scenario draws: the decision map, the learning curves, and who was copied from whom.

A colour means the same in every figure: one hue for each set of kinds of agents that accept, a lighter or darker tint
where only some variants of these kinds do (``static`` where red is paid, say), grey where nobody does. Learners have
browns of their own; the lineage keeps its colours for lines of descent.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from multislot import Lineage
from multislot.drawing.pictures import lettered
from multislot.drawing.styling import BELOW
from multislot.exact.maps.map_drawing import draw_pieces, name_colors
from multislot.statistics import CONFIDENCE, bootstrap
from scenarios.identity.questions import LEARNER, Accepting, Asked, Decided
from scenarios.identity.settings import IdentitySettings
from scenarios.lab.rounds import HEIRS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def three_panels(
    title: str,
    decided: Decided,
    settings: IdentitySettings,
    curves: Mapping[str, Sequence[Sequence[int]]],
    lineage: Lineage,
) -> "Figure":
    """Draw decision map, learning curves and lineage side by side."""
    return lettered(
        in_symbols(title),
        [
            ("who accepts (★: here)", lambda axes: draw_decided(axes, decided)),
            ("what learners come to do", lambda axes: draw_curves(axes, settings, curves)),
            ("who is copied from whom (✕: deleted)", lambda axes: draw_lineage(axes, lineage)),
        ],
        width_ratios=(1.1, 1.1, 0.8),
    )


def draw_lineage(axes: "Axes", lineage: Lineage) -> None:
    """Draw who is copied from whom."""
    lineage.plot(axes)


def in_symbols(words: str) -> str:
    """Return settings in mathematical letters, ``r_s=1`` with an index."""
    return re.sub(r"\b(\w)_(\w)=", r"$\1_\2$=", words)


def draw_decided(axes: "Axes", decided: Decided) -> None:
    """Draw who accepts, over discount and reward: one colour a set of agents, lines where a decision turns."""
    met = {found for column in decided.columns for _, found in column}
    kinds = sorted(met, key=lambda one: (len(one), one))
    colours = {found: colour_of(found, decided.agents) for found in kinds}
    draw_pieces(axes, decided.discounts, decided.columns, decided.highest, colours)
    axes.plot(*decided.here, "k*", markersize=11, clip_on=False, zorder=5)
    axes.set(xlabel="discount γ", ylabel=f"reward ${decided.reward}$")
    name_colors(axes, {_who(found, decided.agents): colours[found] for found in kinds})


def colour_of(found: Accepting, agents: Sequence[Asked]) -> Colour:
    """Return the colour of a set of agents, by index: the hue of their kinds, tinted if some variants are not in it.

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
    return _mixed((red, green, blue), *((1.0, LIGHTER) if variants[0] in found else (0.0, DARKER)))


def _mixed(colour: Colour, towards: float, share: float) -> Colour:
    """Return a colour moved towards white, 1, or black, 0."""
    red, green, blue = (one + share * (towards - one) for one in colour)
    return red, green, blue


def _who(found: Sequence[int], agents: Sequence[Asked]) -> str:
    """Return who accepts and who refuses, in two lines."""
    accepting = _named([agent for index, agent in enumerate(agents) if index in found], agents)
    refusing = _named([agent for index, agent in enumerate(agents) if index not in found], agents)
    if not accepting or not refusing:
        return "everybody accepts" if accepting else "everybody refuses"
    return f"accept: {accepting}\nrefuse: {refusing}"


def _named(some: Sequence[Asked], agents: Sequence[Asked]) -> str:
    """Return agents by name, those of one variant together: ``"static, dynamic (red is paid)"``."""
    by_variant: dict[str, list[str]] = {}
    for agent in some:
        name, _, variant = agent.name.partition(", ")
        is_whole = {one.name for one in agents if one.kind == agent.kind} <= {one.name for one in some}
        names = by_variant.setdefault("" if is_whole else f" ({variant})" if variant else " (plain)", [])
        names += [name] if name not in names else []
    return "; ".join(f"{', '.join(names)}{variant}" for variant, names in by_variant.items())


def draw_curves(axes: "Axes", settings: IdentitySettings, curves: Mapping[str, Sequence[Sequence[int]]]) -> None:
    """Draw the share of learners that accept, by whose memory goes on, with a bootstrap interval over seeds."""
    edges = np.linspace(0, settings.rounds, min(BINS, settings.rounds) + 1).astype(int)
    middle = (edges[:-1] + edges[1:]) / 2
    for heir, accepted in curves.items():
        line, shares = LINES[heir], _binned(np.array(accepted, dtype=float), edges)
        axes.plot(middle, shares.mean(axis=0), line.style, color=line.colour, label=heir, linewidth=line.width)
        band = axes.fill_between(
            middle, *bootstrap(shares, np.random.default_rng(0)), facecolor=(line.colour, 0.16), hatch=line.hatch
        )
        band.set(edgecolor=(line.colour, 0.4), linewidth=0.0)
    explores = LEARNER["epsilon"] / 2
    for level in (explores, 1 - explores):
        axes.axhline(level, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xlabel="round", ylabel="share of learners that accept", ylim=(0, 1), xlim=(0, settings.rounds))
    axes.legend(title=_caption(settings), ncols=1, handlelength=3.5, **BELOW)


def _caption(settings: IdentitySettings) -> str:
    seeds = f"{CONFIDENCE:.0%} percentile bootstrap over {settings.seeds} seeds"
    learner = f"Q-learners, rate {LEARNER['learning_rate']:g}, exploring {LEARNER['epsilon']:.0%}"
    return "\n".join(
        [
            learner,
            f"bands: {seeds if settings.seeds > 1 else 'none, 1 seed'}",
            "dotted: all or none accept, but for exploring",
            "whose memory goes on:",
        ]
    )


def _binned(curves: npt.NDArray[Any], edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return means over bins of rounds, shape [seeds, bins]; curves have shape [seeds, rounds]."""
    return np.stack([curves[:, low:high].mean(axis=1) for low, high in pairwise(edges)], axis=1)
