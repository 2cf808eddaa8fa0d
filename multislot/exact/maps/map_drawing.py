"""Colored maps; needs the extra ``plot``."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from multislot.drawing.styling import BELOW, BLUE, CYAN, GREEN, GREY, PURPLE, RED, YELLOW
from multislot.exact.files.verdicts import name_value

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Int: TypeAlias = NDArray[np.intp]

ACTIONS = (GREY, BLUE, "#44bb99", PURPLE, YELLOW, "#ee8866")
"""Colors of the actions, in order, where all values agree. The explorer's page has the same colors (charts.js)."""
ACCEPTING = {
    frozenset({"cpy"}): YELLOW,
    frozenset({"sta"}): CYAN,
    frozenset({"dyn"}): "#bb5588",
    frozenset({"sta", "dyn"}): GREEN,
    frozenset({"cpy", "sta"}): RED,
    frozenset({"cpy", "dyn"}): "#7755aa",
    frozenset({"cpy", "caring"}): "#ddaa33",
    frozenset({"cpy", "caring=1", "caring=0"}): "#ddaa33",
    frozenset({"caring"}): "#117733",
    frozenset({"caring=1", "caring=0"}): "#117733",
}
"""Colors where the values disagree, if there are two actions, by the set of values that take the second one."""
OTHERS = ("#ee3377", "#aaaa00", "#332288", "#ee7733", "#33bbee", "#774411", "#eedd88", "#aa4499")
"""Colors of all other disagreements: of different hues, also next to the first three of `ACTIONS`."""
LETTER, LINE = 0.075, 0.17
"""Inches of a letter and of a line of a name."""
STRENGTH = 0.6
"""The share of the color itself in the color of an area; the rest is white."""
LONGEST_POINT = 0.25
"""The largest share of a line that an area may fill if it ends in a point on the neighboring line."""

HALF = Fraction(1, 2)

Piece: TypeAlias = tuple[Fraction, Hashable]
"""The place on a line at which a decision begins, and the decision."""
Corners: TypeAlias = list[tuple[float, float]]


def color_decisions(
    decided: Iterable[Sequence[Hashable]], values: Sequence[str], actions: Sequence[Hashable]
) -> dict[Any, str]:
    """Return a color for each combination of decisions, one a value; it is the same in every map of `actions`."""
    colors, others = {}, cycle(OTHERS)
    for combination in sorted(set(decided), key=lambda each: [actions.index(action) for action in each]):
        taken = {actions.index(action) for action in combination}
        accepting = frozenset(name for name, action in zip(values, combination, strict=True) if action != actions[0])
        if len(taken) == 1:
            colors[combination] = ACTIONS[taken.pop() % len(ACTIONS)]
        else:
            colors[combination] = (ACCEPTING.get(accepting) if len(actions) == 2 else None) or next(others)
    return colors


def label_decisions(combination: Sequence[Hashable], values: Sequence[str], actions: Sequence[Hashable]) -> str:
    """Return who decides what, such as ``"copy: copy-centered"``; of two actions the second one says it all."""
    if len(set(combination)) == 1:
        who = {1: "", 2: "both values: "}.get(len(values), f"all {len(values)} values: ")
        return f"{who}{combination[0]}"
    names: dict[Hashable, list[str]] = {action: [] for action in actions}
    for value, action in zip(values, combination, strict=True):
        names[action].append(name_value(value))
    lines = [f"{action}: {', '.join(who)}" for action, who in names.items() if who]
    return "\n".join(lines[len(actions) == 2 :])


def name_areas(axes: "Axes", areas: "Int", names: Mapping[Any, str], colors: Mapping[Any, Any]) -> None:
    """Write the name of each area where it has the most room; if one is too small, name all of them below the map.

    Args:
        axes: the map.
        areas: the area at each point, numbered in the order of `names`, [up][across].
        names: by decisions.
        colors: by decisions.
    """
    import numpy as np
    from matplotlib.patches import Patch
    from scipy.ndimage import distance_transform_edt, minimum_filter

    rows, columns = areas.shape
    box, inch = axes.get_window_extent(), axes.figure.dpi
    places = {}
    for number, name in enumerate(names.values()):
        lines = name.split("\n")
        longest = max(map(len, lines))
        room = (len(lines) + 1) * LINE * inch / box.height * rows, (longest + 2) * LETTER * inch / box.width * columns
        inside = (areas == number).astype(int)
        fits = minimum_filter(inside, size=[max(1, round(side)) for side in room], mode="constant", cval=0)
        if not fits.any():
            handles = [Patch(color=pale(colors[decided]), label=name) for decided, name in names.items()]
            axes.legend(handles=handles, borderpad=1.2, **BELOW)
            return
        depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1] * fits
        up, across = divmod(int(depth.argmax()), columns)
        places[name] = (across + 0.5) / columns, (up + 0.5) / rows
    for decided, name in names.items():
        axes.annotate(
            name,
            places[name],
            xycoords="axes fraction",
            ha="center",
            va="center",
            color="0.1",
            bbox={"facecolor": pale(colors[decided]), "edgecolor": "none", "pad": 1},
        )


def pale(color: Any) -> tuple[float, float, float]:
    """Return a color mixed with white, for areas, so that lines over them can be seen."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - STRENGTH * (1 - channel) for channel in to_rgb(color))
    return red, green, blue


def divide_map(
    places: Sequence[Fraction], lines: Sequence[Sequence[Piece]], end: Fraction
) -> tuple[list[tuple[Corners, Hashable]], list[Corners]]:
    """Return the areas of one decision between neighboring lines, and the borders at which decisions turn.

    Both are lists of corners (place, at). Between two lines, borders that both of them have are straight, and two such
    borders may cross. Every other piece reaches half-way to the other line, and no border is drawn. That is also so if
    only one of the lines has a decision for a long piece.
    """
    areas: list[tuple[Corners, Hashable]] = []
    borders: list[Corners] = []
    for left, right in pairwise(range(len(lines))):
        # Both lines are padded so that they have the same pieces, if possible.
        low, high = _pad(lines[left], lines[right], end), _pad(lines[right], lines[left], end)
        if left > 0 and high is not lines[right]:
            high = _leave(high, places[left - 1 : right + 1], lines[left - 1], lines[left], end)
        if right + 1 < len(lines) and low is not lines[left]:
            low = _leave(low, places[left : right + 2][::-1], lines[right + 1], lines[right], end)
        x, to = float(places[left]), float(places[right])
        pairs, way = _pair_borders(low, high)
        lows, highs = list(low), list(high)
        for i, j in pairs:
            at = (1 - way) * low[i][0] + way * high[j][0]
            lows[i], highs[j] = (at, low[i][1]), (at, high[j][1])
        if _decisions(low) != _decisions(high) and not (_ascend(lows) and _ascend(highs)):
            pairs, lows, highs = [], list(low), list(high)  # a shared border would pass one that is not shared
        for i, j in pairs:
            start, stop = low[i][0], high[j][0]
            if start != stop or start not in (low[0][0], end):  # not along an edge of the map
                borders.append([(x, float(start)), (to, float(stop))])
        middle = float((1 - way) * places[left] + way * places[right])
        strips = [(x, middle, low, lows), (middle, to, highs, high)]
        if _decisions(low) == _decisions(high):
            strips = [(x, to, low, high)]
        for begin, until, line, other in strips:
            for span, its_span, piece in zip(_spans(line, end), _spans(other, end), line, strict=True):
                corners = [(begin, span[0]), (until, its_span[0]), (until, its_span[1]), (begin, span[1])]
                areas.append((corners, piece[1]))
    return areas, borders


def _ascend(line: Sequence[Piece]) -> bool:
    return all(one[0] <= other[0] for one, other in pairwise(line))


def _pair_borders(low: Sequence[Piece], high: Sequence[Piece]) -> tuple[list[tuple[int, int]], Fraction]:
    """Pair the borders that two lines share, each by the number of the piece above it, and say how far they meet.

    If the lines differ in a single piece, in the middle, the borders below and above it cross where it has no length,
    at a share of the way from the one line to the other. Otherwise this is half of the way.
    """
    below = next((k for k, (one, other) in enumerate(zip(low, high, strict=False)) if one[1] != other[1]), None)
    if below is None:  # one line goes on where the other one ends; or they have the same pieces
        below = min(len(low), len(high))
    most = min(len(low), len(high)) - below
    above = next((k for k in range(most) if low[-1 - k][1] != high[-1 - k][1]), most)
    pairs = [(k, k) for k in range(1, below)] + [(len(low) - k, len(high) - k) for k in range(above - 1, 0, -1)]
    if below and above and len(low) == len(high) == below + above + 1:
        pairs += [(below, below + 1), (below + 1, below)]
        lengths = [Fraction(line[below + 1][0] - line[below][0]) for line in (low, high)]
        return pairs, lengths[0] / sum(lengths) if any(lengths) else HALF
    return pairs, HALF


def _leave(
    padded: Sequence[Piece], places: Sequence[Fraction], before: Sequence[Piece], other: Sequence[Piece], end: Fraction
) -> Sequence[Piece]:
    """Let borders that end at an edge of the map leave it as straight as they come; the axes cut what is beyond."""
    far, near, here = places
    common = _decisions(other)
    before = [
        piece
        for piece, (start, stop) in zip(before, _spans(before, end), strict=True)
        if start < stop and piece[1] in common
    ]
    if far == near or not _decisions(before) == common == _decisions(padded):
        return padded
    begin, moved = padded[0][0], [padded[0]]
    for (at, decided), (start, _), (stop, _) in zip(padded[1:], before[1:], other[1:], strict=True):
        beyond = stop + (stop - start) * (here - near) / (near - far)
        moved.append((beyond if (at == end < beyond) or (at == begin > beyond) else at, decided))
    return moved


def _decisions(line: Sequence[Piece]) -> list[Hashable]:
    return [decided for _, decided in line]


def _pad(line: Sequence[Piece], other: Sequence[Piece], end: Fraction) -> Sequence[Piece]:
    """A line with the pieces that only its neighbor has, of no length, if the others come in the same order.

    A long piece does not end in a point: there the decision jumps, for example where something becomes certain.
    """
    padded, rest = list[Piece](), list(line)
    longest = LONGEST_POINT * float(end - other[0][0])
    for (start, stop), (_, decided) in zip(_spans(other, end), other, strict=True):
        if rest and rest[0][1] == decided:
            padded.append(rest.pop(0))
        elif stop - start > longest:
            return line
        else:
            padded.append((rest[0][0] if rest else end, decided))
    return line if rest else padded


def _spans(line: Sequence[Piece], end: Fraction) -> Sequence[tuple[float, float]]:
    """Where each piece of a line begins and ends; a piece that has left the map has no length."""
    starts = [float(at) for at, _ in line]
    return list(pairwise([min(starts), *starts[1:], max(float(end), starts[-1])]))
