"""What an identity scenario draws: the decision map, the learning curves, and who was copied from whom.

A colour means the same in every figure: one hue for each set of kinds of agents that accept, a lighter or darker tint
where only some variants of these kinds do (``static`` where red is paid, say), grey where nobody does. Learners have
browns of their own; the lineage keeps its colours for lines of descent.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from multislot import Lineage
from multislot.showing import new_figure
from multislot.statistics import CONFIDENCE, bootstrap
from scenarios.identity.questions import LEARNER, Accepting, Asked, Decided, Piece
from scenarios.identity.settings import IdentitySettings
from scenarios.rounds import HEIRS

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
PALER = 0.35  # how far towards white the regions of a map are


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
BELOW: dict[str, Any] = {
    "loc": "upper center",
    "bbox_to_anchor": (0.5, -0.16),
    "frameon": False,
    "fontsize": 8,
    "title_fontsize": 8,
}


def three_panels(
    title: str,
    decided: Decided,
    settings: IdentitySettings,
    curves: Mapping[str, Sequence[Sequence[int]]],
    lineage: Lineage,
) -> "Figure":
    """Draw decision map, learning curves and lineage side by side.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = new_figure(12.5, 4.6)
    panels = figure.subplots(1, 3, width_ratios=(1.15, 1.15, 0.8))
    draw_decided(panels[0], decided)
    draw_curves(panels[1], settings, curves)
    lineage.plot(panels[2])
    panels[2].set(title="who is copied from whom", xlabel="slot (✕: deleted)")
    for letter, panel in zip("abc", panels, strict=True):
        panel.set_title(f"({letter}) {panel.get_title()}", loc="left", fontsize=10)
        panel.set_title("")
    figure.suptitle(in_symbols(title), fontsize=12, x=0.01, ha="left")
    return figure


def in_symbols(words: str) -> str:
    """Return settings in mathematical letters, ``r_s=1`` with an index."""
    return re.sub(r"\b(\w)_(\w)=", r"$\1_\2$=", words)


def draw_decided(axes: "Axes", decided: Decided) -> None:
    """Draw who accepts, over discount and reward: one colour a set of agents, lines where a decision turns."""
    from matplotlib.patches import Patch

    met = {found for column in decided.columns for _, found in column}
    kinds = sorted(met, key=lambda one: (len(one), one))
    colours = {found: _mixed(colour_of(found, decided.agents), 1.0, PALER) for found in kinds}
    for corners, found in regions(decided):
        axes.fill(*zip(*corners, strict=True), color=colours[found], linewidth=0.8)
    for line in borders(decided):
        axes.plot(*zip(*line, strict=True), color="0.2", linewidth=0.8)
    axes.plot(*decided.here, "k*", markersize=11, clip_on=False, zorder=5)
    limits = {"xlim": (0, float(decided.discounts[-1])), "ylim": (0, float(decided.highest))}
    axes.set(xlabel="discount γ", ylabel=f"reward ${decided.reward}$", title="who accepts, exactly (★: here)", **limits)
    handles = [Patch(color=colours[found], label=_who(found, decided.agents)) for found in kinds]
    axes.legend(handles=handles, title="accept | refuse", **BELOW)


Corners: TypeAlias = list[tuple[float, float]]


def regions(decided: Decided) -> Iterator[tuple[Corners, Accepting]]:
    """Yield the regions of one decision, as corners (discount, reward), between neighbouring discounts.

    Exact at the discounts; in between straight, or broken half-way where neighbours differ in more than the top.
    """
    for (left, low), (right, high) in pairwise(zip(decided.discounts, decided.columns, strict=True)):
        x, to = float(left), float(right)
        low, high = _padded(low, high, decided.highest), _padded(high, low, decided.highest)
        if [found for _, found in low] == [found for _, found in high]:
            for one, other, found in zip(_spans(low, decided), _spans(high, decided), low, strict=True):
                yield [(x, one[0]), (to, other[0]), (to, other[1]), (x, one[1])], found[1]
            continue
        for start, end, column in ((x, (x + to) / 2, low), ((x + to) / 2, to, high)):
            for (bottom, top), found in zip(_spans(column, decided), column, strict=True):
                yield [(start, bottom), (end, bottom), (end, top), (start, top)], found[1]


def borders(decided: Decided) -> Iterator[Corners]:
    """Yield the lines at which decisions turn, between neighbouring discounts."""
    for (left, low), (right, high) in pairwise(zip(decided.discounts, decided.columns, strict=True)):
        low, high = _padded(low, high, decided.highest), _padded(high, low, decided.highest)
        if [found for _, found in low] == [found for _, found in high]:
            for (start, _), (end, _) in zip(low[1:], high[1:], strict=True):
                yield [(float(left), float(start)), (float(right), float(end))]


def _padded(column: Sequence[Piece], other: Sequence[Piece], highest: Fraction) -> Sequence[Piece]:
    """Return a column with the pieces that only its neighbour has at the top, of no height."""
    if [found for _, found in column] != [found for _, found in other[: len(column)]]:
        return column
    return [*column, *((highest, found) for _, found in other[len(column) :])]


def _spans(column: Sequence[Piece], decided: Decided) -> Sequence[tuple[float, float]]:
    """Return where each piece of a column begins and ends."""
    starts: list[Fraction] = [start for start, _ in column]
    return [(float(low), float(high)) for low, high in pairwise([*starts, decided.highest])]


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
    """Return who accepts and who refuses: ``"copy-centred | static, dynamic"``."""
    accepting = _named([agent for index, agent in enumerate(agents) if index in found], agents)
    refusing = _named([agent for index, agent in enumerate(agents) if index not in found], agents)
    if not accepting or not refusing:
        return "everybody | nobody" if accepting else "nobody | everybody"
    return f"{accepting} | {refusing}"


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
    """Return means over bins of rounds, shape [seeds, bins]; curves have shape [seeds, rounds]."""
    return np.stack([curves[:, low:high].mean(axis=1) for low, high in pairwise(edges)], axis=1)
