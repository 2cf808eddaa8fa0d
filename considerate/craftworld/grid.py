"""Maps of Craft-World, drawn as plain text with a legend.

A map is rows of marks, a blank line, and a legend that says what each mark stands for::

    XXXXX
    XD.KX
    X..FX
    XXXXX

    D  door
    K  key place
    F  factory

``X`` or ``#`` is a wall and ``.`` or a space is floor; every other mark stands on floor and must be in the legend.
Cells are (x, y), counted from 0, x to the right and y downwards, as in the figures of Alizadeh Alamdari et al. 2021.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from multislot.checks import refusal
from multislot.errors import SettingError, UnknownNameError

__all__ = ["MapError"]

Position: TypeAlias = tuple[int, int]
WALLS = "X#"
FLOOR = ". "
MOVES: dict[str, Position] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""The moves by name, in the order of the actions; a move into a wall is a step that stays."""


class MapError(SettingError):
    """A map cannot be read; the message has line and column, both from 1, and the mark there."""

    def __init__(self, problem: str, line: int, column: int, mark: str) -> None:
        self.problem, self.line, self.column, self.mark = problem, line, column, mark
        super().__init__(f"line {line}, column {column}, mark {mark!r}: {problem}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problem, self.line, self.column, self.mark)


@dataclass(frozen=True)
class Grid:
    """A map.

    Args:
        rows: the marks, all rows of one length.
        legend: the word that a mark stands for; several cells may share a mark.
    """

    rows: tuple[str, ...]
    legend: Mapping[str, str]

    @property
    def width(self) -> int:
        """Number of columns, walls included."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Number of rows, walls included."""
        return len(self.rows)

    @property
    def free(self) -> tuple[Position, ...]:
        """Every cell that is not a wall, row by row."""
        return tuple((x, y) for y, row in enumerate(self.rows) for x, mark in enumerate(row) if mark not in WALLS)

    def word(self, cell: Position) -> str:
        """The legend's words for a cell; empty for floor and walls."""
        return self.legend.get(self.rows[cell[1]][cell[0]], "")

    def cells(self, word: str) -> tuple[Position, ...]:
        """Return every cell that the legend calls ``word``, row by row."""
        if word not in self.legend.values():
            raise UnknownNameError("word in the legend", word, self.legend.values())
        return tuple(cell for cell in self.free if self.word(cell) == word)


def parse_map(text: str) -> Grid:
    """Read a map with its legend.

    Args:
        text: rows of marks, a blank line, then one line ``mark  words`` for every mark used.

    Raises:
        MapError: a row is longer or shorter than the first, the border is open, or a mark is unknown or unused. The
            message has line, column and mark.
    """
    if not isinstance(text, str):
        raise refusal("text", text, "a map as text")
    lines = [line.rstrip() for line in text.splitlines()]
    first = next((number for number, line in enumerate(lines) if line), len(lines))
    last = next((number for number in range(first, len(lines)) if not lines[number]), len(lines))
    if first == last:
        raise MapError("there is no map; draw at least one row of marks", 1, 1, "")
    rows = tuple(lines[first:last])
    legend = _parse_legend(lines, last)
    _check_rows(rows, legend, first)
    used = "".join(rows)
    for mark, word in legend.items():
        if mark not in used:
            line = next(number for number in range(last, len(lines)) if lines[number].startswith(mark))
            raise MapError(f"the legend explains {word!r}, but the mark is not on the map", line + 1, 1, mark)
    return Grid(rows, legend)


def _parse_legend(lines: list[str], start: int) -> dict[str, str]:
    """Read the legend in the lines after the map: mark, space, words."""
    legend: dict[str, str] = {}
    for number, line in enumerate(lines[start:], start + 1):
        if not line:
            continue
        mark, words = line[0], line[1:].strip()
        if mark in WALLS + FLOOR or mark in legend:
            raise MapError("this mark already has a meaning; choose another", number, 1, mark)
        if not words or line[1] != " ":
            raise MapError("a line of the legend is a mark, a space and a word for it", number, 1, mark)
        legend[mark] = words
    return legend


def _check_rows(rows: tuple[str, ...], legend: Mapping[str, str], first: int) -> None:
    """Raise MapError if the rows are ragged, a border is open or a mark is not in the legend."""
    width = len(rows[0])
    for y, row in enumerate(rows):
        line = first + y + 1
        if len(row) != width:
            column = min(len(row), width)
            raise MapError(f"the row is {len(row)} marks long, the first is {width}", line, column, row[column - 1])
        for x, mark in enumerate(row):
            border = x in (0, width - 1) or y in (0, len(rows) - 1)
            if border and mark not in WALLS:
                raise MapError("the border must be wall (X or #) all around", line, x + 1, mark)
            if mark not in WALLS + FLOOR and mark not in legend:
                raise MapError("the legend does not explain this mark", line, x + 1, mark)
