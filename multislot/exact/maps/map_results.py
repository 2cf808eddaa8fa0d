"""Decision maps, as JSON and as pictures."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from multislot.checks import checked_mapping, checked_parts, refusal
from multislot.drawing.showing import axes_or_new
from multislot.drawing.styling import house_style
from multislot.exact.maps.map_drawing import (
    Corners,
    Piece,
    color_decisions,
    divide_map,
    label_decisions,
    name_areas,
    pale,
)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

FINE = 160
"""Points of each side of the grid on which the names of areas are placed."""
Decisions: TypeAlias = tuple[Hashable, ...]
"""One decision for each value, in their order."""
Grids: TypeAlias = Mapping[str, tuple[tuple[Hashable, ...], ...]]
Lines: TypeAlias = Mapping[str, tuple[tuple[Piece, ...], ...]]


@dataclass(frozen=True)
class Axis:
    """One axis of a map."""

    name: str
    values: tuple[Fraction, ...]
    whole: bool = False


@dataclass(frozen=True)
class DecisionMap:
    """What each value decides, over two settings.

    Attributes:
        x: the horizontal axis.
        y: the vertical axis.
        actions: the actions, in order.
        best: by value, the best action at each point, [x][y].
        swept: the axis along which the map is exact at every point, "x" or "y"; None if it is known at its points only.
        lines: by value, a line for each point of the axis that is not swept: pairs of a place on the swept axis and the
            decision that begins there. The decision holds just above the place. Empty if `swept` is None.
        refine: computes a finer map of the same decisions, for a picture.
    """

    x: Axis
    y: Axis
    actions: tuple[Hashable, ...]
    best: Grids
    swept: str | None = None
    lines: Lines = field(default_factory=dict)
    refine: "Callable[[], DecisionMap] | None" = field(default=None, compare=False, repr=False)

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the values."""
        return tuple(self.best)

    def __contains__(self, place: tuple[float, float]) -> bool:
        """Whether a place, (x, y), is on the map."""
        ends = (_ends(axis.values) for axis in (self.x, self.y))
        return all(low <= at <= high for at, (low, high) in zip(place, ends, strict=True))

    def as_json(self) -> dict[str, object]:
        """Return the map in the terms of JSON: numbers as texts of fractions, actions as texts."""
        return {
            "x": _axis_as_json(self.x),
            "y": _axis_as_json(self.y),
            "actions": [str(action) for action in self.actions],
            "swept": self.swept,
            "values": {
                value: {
                    "best": [[str(action) for action in line] for line in self.best[value]],
                    "starts": [str(line[0][1]) for line in self.lines.get(value, ())],
                    "turns": [
                        [[str(at), str(below), str(above)] for (_, below), (at, above) in pairwise(line)]
                        for line in self.lines.get(value, ())
                    ],
                }
                for value in self.values
            },
        }

    def outlines(self) -> dict[str, dict[str, Any]]:
        """By value, the areas of one decision and the borders between them, as corners (x, y); see `draw_areas`."""
        kinds, fine = ("areas", "borders"), self.refine() if self.refine and self.lines else self
        return {name: dict(zip(kinds, fine._divide(lines), strict=True)) for name, lines in fine.lines.items()}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "DecisionMap":
        """Return the map that `as_json` gave; its actions are texts."""
        checked_mapping("plain", plain)
        try:
            return cls._read(plain)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise refusal("plain", plain, "what as_json of a DecisionMap returns") from None

    @classmethod
    def _read(cls, plain: Mapping[str, Any]) -> "DecisionMap":
        swept, lines = plain["swept"], {}
        if swept is not None:
            begin = Fraction(plain[swept]["values"][0])
            for value, known in plain["values"].items():
                lines[value] = tuple(
                    ((begin, start), *((Fraction(at), above) for at, _, above in turns))
                    for start, turns in zip(known["starts"], known["turns"], strict=True)
                )
        best = {value: tuple(map(tuple, known["best"])) for value, known in plain["values"].items()}
        axes = _axis_from_json(plain["x"]), _axis_from_json(plain["y"])
        return cls(*axes, tuple(plain["actions"]), best, swept, lines)

    @house_style()
    def plot(self, axes: "Axes | None" = None, here: tuple[float, float] | None = None) -> "Axes":
        """Draw the map; a combination of decisions has the same color in every map. Needs the extra ``plot``.

        Args:
            axes: where; a new figure by default.
            here: a place that gets a ring if it is on the map, such as the numbers of a file.
        """
        if self.refine is not None:
            return self.refine().plot(axes, here)
        axes = axes_or_new(axes, 5.5, 4.6)
        if here is not None and here in self:
            axes.plot(*here, "o", markersize=10, mfc="white", mec="black", mew=1.8, clip_on=False, zorder=3)
        if self.swept is None:
            import numpy as np

            columns = zip(*self.best.values(), strict=True)
            decided = [list(zip(*column, strict=True)) for column in columns]
            colors = color_decisions(chain.from_iterable(decided), self.values, self.actions)
            pixels = np.array([[pale(colors[each]) for each in column] for column in decided]).swapaxes(0, 1)
            edges = (np.array(_edges(axis.values), dtype=float) for axis in (self.x, self.y))
            axes.pcolormesh(*edges, pixels, rasterized=True)
        else:
            pieces = (decided for line in self.pieces for _, decided in line)
            colors = color_decisions(pieces, self.values, self.actions)
            self.draw_areas(axes, colors)
        self.name_areas(axes, colors, {each: label_decisions(each, self.values, self.actions) for each in colors})
        axes.set(xlabel=self.x.name, ylabel=self.y.name, xlim=_ends(self.x.values), ylim=_ends(self.y.values))
        return axes

    def name_areas(self, axes: "Axes", colors: Mapping[Any, Any], names: Mapping[Any, str]) -> None:
        """Write the name of each combination of decisions into its area, or all below the map if one is too small."""
        checked_parts("axes", axes, "annotate", "get_window_extent", "legend")
        if checked_mapping("names", names).keys() - checked_mapping("colors", colors).keys():
            raise refusal("colors", colors, "a color for every combination of decisions that has a name")
        name_areas(axes, self._areas(list(names)), names, colors)

    def _areas(self, decisions: Sequence[Decisions]) -> "NDArray[np.intp]":
        """The combination of decisions at each point of a fine grid, by its number in `decisions`, [up][across]."""
        import numpy as np

        if self.swept is None:
            known = [list(zip(*column, strict=True)) for column in zip(*self.best.values(), strict=True)]
            coarse = np.array([[decisions.index(each) for each in column] for column in known], dtype=np.intp)
            edges = [np.array(_edges(axis.values), dtype=float) for axis in (self.x, self.y)]
            places = [np.linspace(each[0], each[-1], FINE + 1)[:-1] for each in edges]
            across, up = (
                np.searchsorted(each[1:-1], place, "right") for each, place in zip(edges, places, strict=True)
            )
            return coarse[np.ix_(across, up)].T
        from matplotlib.path import Path

        sides = [np.linspace(*_ends(axis.values), FINE) for axis in (self.x, self.y)]
        points = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
        fine = np.full(len(points), -1, dtype=np.intp)
        for corners, decided in self._divide(self.pieces)[0]:
            fine[Path(corners).contains_points(points)] = decisions.index(cast("Decisions", decided))
        return fine.reshape(FINE, FINE)

    def _divide(self, lines: Sequence[Any]) -> tuple[list[tuple[Corners, Hashable]], list[Corners]]:
        """Areas and borders as `divide_map` gives them, with corners (x, y); steps where the other axis is whole."""
        across, along = (self.x, self.y) if self.swept == "y" else (self.y, self.x)
        places, lines = (across.values, lines) if not across.whole else _steps(across.values, lines)
        areas, borders = divide_map(places, lines, along.values[-1])
        if self.swept == "y":
            return areas, borders
        return [(_turned(corners), decided) for corners, decided in areas], [_turned(corners) for corners in borders]

    def draw_areas(self, axes: "Axes", colors: Mapping[Any, Any]) -> None:
        """Draw a map that is exact along one axis: areas, in the color of their decisions, and exact borders.

        Between the lines, along which decisions are exact, the borders are straight.
        """
        from matplotlib.colors import is_color_like

        checked_parts("axes", axes, "fill", "plot", "set")
        checked_mapping("colors", colors)
        if not all(is_color_like(dict(colors).get(decided)) for line in self.pieces for _, decided in line):
            raise refusal("colors", colors, "a color for every combination of decisions")
        areas, borders = self._divide(self.pieces)
        for corners, decided in areas:
            axes.fill(*zip(*corners, strict=True), color=pale(colors[decided]), linewidth=0.8)
        for border in borders:
            axes.plot(*zip(*border, strict=True), color="0.2", linewidth=0.8)
        axes.set(xlim=_ends(self.x.values), ylim=_ends(self.y.values))

    @property
    def pieces(self) -> list[list[tuple[Fraction, Decisions]]]:
        """For each value of the other axis, where each combination of decisions begins on the swept one; exact."""
        return (
            [_combine(lines) for lines in zip(*(self.lines[value] for value in self.best), strict=True)]
            if self.lines
            else []
        )


def _combine(lines: Sequence[Sequence[Piece]]) -> list[tuple[Fraction, Decisions]]:
    """Where each combination of decisions begins, from the same line of each value."""
    places = sorted({at for line in lines for at, _ in line})
    return [(at, tuple(line[bisect_right(line, at, key=itemgetter(0)) - 1][1] for line in lines)) for at in places]


def _axis_as_json(axis: Axis) -> dict[str, object]:
    return {"name": axis.name, "values": [str(value) for value in axis.values], "whole": axis.whole}


def _axis_from_json(plain: Mapping[str, Any]) -> Axis:
    return Axis(plain["name"], tuple(map(Fraction, plain["values"])), plain["whole"])


def _edges(values: Sequence[Fraction]) -> list[Fraction]:
    """The edges of cells around values: half-way between neighbors, and the ends."""
    return [values[0], *((low + high) / 2 for low, high in pairwise(values)), values[-1]]


def _turned(corners: Corners) -> Corners:
    return [(y, x) for x, y in corners]


def _steps(places: Sequence[Fraction], lines: Sequence[Any]) -> tuple[tuple[Fraction, ...], Sequence[Any]]:
    """Each line at both edges of its cell, so that the drawing has steps."""
    cells = list(pairwise(_edges(places)))
    return tuple(edge for cell in cells for edge in cell), [line for line in lines for _ in range(2)]


def _ends(values: Sequence[Fraction]) -> tuple[float, float]:
    return float(values[0]), float(values[-1])
