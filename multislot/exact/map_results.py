"""What a decision map holds, in the terms of JSON and as a picture."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from multislot.arguments import explains_arguments
from multislot.exact.map_drawing import draw_map
from multislot.styling import house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Decisions: TypeAlias = tuple[Hashable, ...]
"""One decision for each value, in their order."""
FINE = 240
"""Cells of a picture along a swept axis."""


@dataclass(frozen=True)
class Axis:
    """One axis of a map.

    Attributes:
        name: the setting.
        values: its values, ascending; fractions.
    """

    name: str
    values: tuple[Fraction, ...]


class Turn(NamedTuple):
    """A point of a line at which a decision turns: where, and what is decided below and above."""

    at: Fraction
    below: Hashable
    above: Hashable


@explains_arguments
@dataclass(frozen=True)
class DecisionMap:
    """What each value decides, over two settings.

    Attributes:
        x: the horizontal axis.
        y: the vertical axis.
        actions: the actions, in order.
        best: by value, the best action at each point, [x][y].
        swept: the axis along which the map is exact at every point, "x" or "y"; None if it is known at its points only.
        starts: by value, for each value of the other axis, the decision just above the beginning of the swept one.
        turns: by value, for each value of the other axis, where the decision turns along the swept one. Both are empty
            if there is no such axis.
    """

    x: Axis
    y: Axis
    actions: tuple[Hashable, ...]
    best: Mapping[str, tuple[tuple[Hashable, ...], ...]]
    swept: str | None = None
    starts: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    turns: Mapping[str, tuple[tuple[Turn, ...], ...]] = field(default_factory=dict)

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the values."""
        return tuple(self.best)

    def decision(self, value: str, line: int, at: Fraction) -> Hashable:
        """Return what a value decides at any point of a line of the swept axis; at a turn, what it does just above.

        Args:
            value: its name.
            line: which value of the other axis, counted from 0.
            at: the place on the swept axis.
        """
        turns = self.turns[value][line]
        above = sum(turn.at <= at for turn in turns)
        return turns[above - 1].above if above else self.starts[value][line]

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
                    "starts": [str(action) for action in self.starts.get(value, ())],
                    "turns": [
                        [[str(turn.at), str(turn.below), str(turn.above)] for turn in line]
                        for line in self.turns.get(value, ())
                    ],
                }
                for value in self.values
            },
        }

    @house_style()
    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the map: one colour for each combination of decisions. Needs the extra ``plot``.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        decided, x_edges, y_edges = self.raster()
        labels = {kind: self._label(kind) for column in decided for kind in column}
        axes = draw_map(axes, [[labels[kind] for kind in column] for column in decided], x_edges, y_edges)
        for value in self.values:
            for line in self.turning_lines(value):
                axes.plot([x for x, _ in line], [y for _, y in line], color="0.15", linewidth=0.8)
        axes.set(xlabel=self.x.name, ylabel=self.y.name, xlim=_ends(self.x.values), ylim=_ends(self.y.values))
        return axes

    def raster(self) -> tuple[list[list[Decisions]], list[float], list[float]]:
        """Return the decisions of all values on a grid, [x][y], and the edges of its cells along x and y."""
        x, y = self.x.values, self.y.values
        if self.swept is None:
            grids = [self.best[value] for value in self.values]
            return [list(zip(*(grid[i] for grid in grids), strict=True)) for i in range(len(x))], _edges(x), _edges(y)
        along, other = (y, x) if self.swept == "y" else (x, y)
        ends = [along[0] + (along[-1] - along[0]) * Fraction(k, FINE) for k in range(FINE + 1)]
        decided = [
            [
                tuple(self.decision(value, line, (low + high) / 2) for value in self.values)
                for low, high in pairwise(ends)
            ]
            for line in range(len(other))
        ]
        if self.swept == "y":
            return decided, _edges(x), [float(end) for end in ends]
        return [list(column) for column in zip(*decided, strict=True)], [float(end) for end in ends], _edges(y)

    def turning_lines(self, value: str) -> Iterator[list[tuple[float, float]]]:
        """Yield the lines, as points (x, y), along which a decision turns; broken where their number changes."""
        other = self.x.values if self.swept == "y" else self.y.values
        for first, (low, high) in enumerate(pairwise(self.turns.get(value, ()))):
            if [turn[1:] for turn in low] == [turn[1:] for turn in high]:
                for one, next_one in zip(low, high, strict=True):
                    points = [(float(other[first]), float(one.at)), (float(other[first + 1]), float(next_one.at))]
                    yield points if self.swept == "y" else [(y, x) for x, y in points]

    def _label(self, decisions: Decisions) -> str:
        """Return who decides what: ``"stay: sta, dyn; copy: cpy"``."""
        if len(set(decisions)) == 1:
            return f"all: {decisions[0]}"
        names = {
            action: [value for value, decided in zip(self.values, decisions, strict=True) if decided == action]
            for action in self.actions
        }
        return "; ".join(f"{action}: {', '.join(values)}" for action, values in names.items() if values)


def _axis_as_json(axis: Axis) -> dict[str, object]:
    return {"name": axis.name, "values": [str(value) for value in axis.values]}


def _edges(values: Sequence[Fraction]) -> list[float]:
    """Return the edges of cells around values: half-way between neighbours, and the ends."""
    return [float(values[0]), *(float(low + high) / 2 for low, high in pairwise(values)), float(values[-1])]


def _ends(values: Sequence[Fraction]) -> tuple[float, float]:
    return float(values[0]), float(values[-1])
