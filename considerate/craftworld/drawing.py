"""Pictures of Craft-World: text, pixels, and figures with trajectories drawn over the map, one color a policy.

`figure` and `draw` make pictures like Figures 1–3 of Alizadeh Alamdari et al. 2021.
"""

import textwrap
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from considerate.craftworld.definition import Task
from considerate.craftworld.grid import WALLS, Position
from considerate.craftworld.partner import AT
from considerate.craftworld.rules import State
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, GREEN, INK, PURPLE, RED, YELLOW, house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORANGE = "#e08e0b"
COLORS = (RED, BLUE, GREEN, YELLOW, PURPLE, INK)
"""Colors of policies, in the order of the papers' figures: red, blue, green."""

WALL, FLOOR_COLOR, LINE, TILE = "#3b4252", "#fbfaf7", "#dcd8cf", "#f1e4c3"
AGENT = "@"
PIXELS_PER_INCH = 120
CELL, BORDER = 0.72, 0.3
"""Size of a cell in a figure, in inches; how much of the walls around a map is shown, in cells."""
SPREAD, BAND = 0.17, 0.5
"""The distance between parallel lines, and the greatest width of all together, in cells."""
LIFT = 0.2
"""How far above the middle of cells lines run, so that the words below them can be read."""
HEAD, BACK = 0.12, 0.12
"""How far an arrow's head reaches beyond the end of its line, or stops before a mark that is there; in cells."""
WORD_POINTS = 7.5
"""Size of words in cells; they are as wide as a cell."""
SHORT_LABEL = 16
WORD_WIDTH = 9


@dataclass(frozen=True)
class Walk:
    """A trajectory to draw.

    Args:
        label: its entry in the legend.
        path: the cells on it.
        color: of its line; by default the next of `COLORS`.
        dashed: whether the line is dashed.
        waits: the steps in place, counted from 1, that change nothing; all other stationary steps change something.
    """

    label: str
    path: Sequence[Position]
    color: str | None = None
    dashed: bool = False
    waits: Collection[int] = ()


def ansi(task: Task, state: State) -> str:
    """Draw the map as text: ``@`` is the acting agent; the legend and the facts follow."""
    rows = [list(row) for row in task.grid.rows]
    rows[state.cell[1]][state.cell[0]] = AGENT
    legend = [f"{mark}  {word}" for mark, word in task.grid.legend.items()]
    return "\n".join(["".join(row) for row in rows] + ["", *legend, "", repr(state.things)])


def figure(task: Task, walks: Sequence[Walk] = (), title: str = "") -> "Figure":
    """Draw a figure of one map with its trajectories and a legend; arguments as for `draw`."""
    legend = 0.2 * -(-len(walks) // _legend_columns(walks))
    width, height = (CELL * (cells - 2 + 2 * BORDER) for cells in (task.grid.width, task.grid.height))
    drawn = new_figure(max(3.2, width), height + legend + 0.3)
    axes = drawn.add_subplot()
    draw(axes, task, walks, title=title)
    return drawn


@house_style()
def draw(axes: "Axes", task: Task, walks: Sequence[Walk] = (), state: State | None = None, title: str = "") -> None:
    """Draw a map and trajectories over it.

    Args:
        axes: Matplotlib axes to draw on.
        task: with the map.
        walks: trajectories; lines over the same cells are drawn side by side, from a dot to a head. A diamond is a step
            in place that changes something, a ring one that does not.
        state: where the acting agent is and where things are; by default as the task begins.
        title: of the axes.
    """
    _draw_cells(axes, task)
    _draw_things(axes, task, task.start if state is None else state)
    for number, walk in enumerate(walks):
        _draw_walk(axes, walk, number, len(walks))
    if state is not None:
        _draw_agents(axes, task, state)
    axes.set_xlim(0.5 - BORDER, task.grid.width - 1.5 + BORDER)
    axes.set_ylim(task.grid.height - 1.5 + BORDER, 0.5 - BORDER)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    if title:
        axes.set_title(title)
    if walks:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=_legend_columns(walks), handlelength=2.4)


def rgb_array(task: Task, state: State) -> NDArray[np.uint8]:
    """Draw the map as pixels, [height, width, 3]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawn = new_figure(0.5 * task.grid.width, 0.5 * task.grid.height)
    drawn.set_layout_engine("none")
    drawn.set_dpi(PIXELS_PER_INCH)
    axes = drawn.add_axes((0, 0, 1, 1))
    draw(axes, task, (), state)
    canvas: Any = FigureCanvasAgg(drawn)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _legend_columns(walks: Sequence[Walk]) -> int:
    """Number of columns of the legend: three short labels fit side by side."""
    return min(len(walks), 3) if all(len(walk.label) <= SHORT_LABEL for walk in walks) and walks else 1


def _draw_cells(axes: "Axes", task: Task) -> None:
    """Draw walls, floor, and what stands on it."""
    from matplotlib.patches import FancyBboxPatch, Rectangle

    for y, row in enumerate(task.grid.rows):
        for x, mark in enumerate(row):
            wall = mark in WALLS
            color = WALL if wall else FLOOR_COLOR
            edge = WALL if wall else LINE
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=color, edgecolor=edge, lw=0.6, zorder=1))
            word = task.grid.word((x, y))
            if not word:
                continue
            tile = FancyBboxPatch((x - 0.45, y - 0.45), 0.9, 0.9, boxstyle="round,pad=0.02,rounding_size=0.1")
            tile.set(facecolor=TILE, edgecolor="#c9b37e", lw=0.8, zorder=2)
            axes.add_patch(tile)
            plate = {"boxstyle": "square,pad=0.15", "facecolor": TILE, "edgecolor": "none"}
            axes.text(
                x, y + 0.41, "\n".join(textwrap.wrap(word, WORD_WIDTH)), ha="center", va="bottom", fontsize=WORD_POINTS,
                color=INK, zorder=8, linespacing=0.95, bbox=plate,
            )  # fmt: skip


def _draw_things(axes: "Axes", task: Task, state: State) -> None:
    """Draw a badge with the initial of everything that lies in a cell, except agents."""
    for name in state.things:
        place: Hashable = state.things[name]
        if name not in (AT, *task.agents) and isinstance(place, tuple) and place in task.grid.free:
            x, y = place
            badge = {"boxstyle": "circle,pad=0.18", "facecolor": ORANGE, "edgecolor": "white", "linewidth": 0.8}
            axes.text(
                x + 0.33, y - 0.33, name[0].upper(), ha="center", va="center", fontsize=7.5, color="white",
                fontweight="bold", bbox=badge, zorder=10,
            )  # fmt: skip


def _draw_agents(axes: "Axes", task: Task, state: State) -> None:
    """Draw a dot for each agent that acts, and the facts below the map."""
    places = [state.cell, *(state.things[name] for name in (AT, *task.agents))]
    cells = [place for place in places if isinstance(place, tuple)]
    for cell, color in zip(cells, (BLUE, RED), strict=False):
        axes.plot(*cell, marker="o", markersize=15, color=color, markeredgecolor="white", zorder=9)
    bottom = task.grid.height - 1.5 + BORDER / 2
    true = repr(state.things) if state.things else ""
    place = (task.grid.width - 1) / 2, bottom
    axes.text(*place, true, ha="center", va="center", fontsize=5, color="white", zorder=9, clip_on=True)


def _draw_walk(axes: "Axes", walk: Walk, number: int, walks: int) -> None:
    """Draw a line beside those of other walks, with marks where it starts, stops and ends."""
    shift = min(SPREAD, BAND / max(walks - 1, 1)) * (number - (walks - 1) / 2)
    points = np.array(walk.path, dtype=float) + np.array([shift, shift - LIFT])
    color = COLORS[number % len(COLORS)] if walk.color is None else walk.color
    style: dict[str, Any] = {"color": color, "solid_capstyle": "round", "solid_joinstyle": "round"}
    axes.plot(points[:, 0], points[:, 1], lw=4.2, color="white", alpha=0.9, zorder=4 + 0.1 * number)
    axes.plot(
        points[:, 0], points[:, 1], lw=2.3, ls=(0, (2.5, 1.5)) if walk.dashed else "-", label=walk.label or None,
        zorder=5 + 0.1 * number, **style,
    )  # fmt: skip
    _draw_stops(axes, points, walk.waits, color)
    _draw_head(axes, points, color)


def _draw_stops(axes: "Axes", points: NDArray[np.float64], waits: Collection[int], color: str) -> None:
    """Draw a dot at the start, a diamond for a step in place, and a ring for one that changes nothing."""
    axes.plot(*points[0], marker="o", markersize=5, color=color, zorder=7)
    ring = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "markeredgecolor": color, "zorder": 8}
    diamond = {"marker": "D", "markersize": 6.5, "color": color, "markeredgecolor": "white", "zorder": 9}
    for step, (before, after) in enumerate(pairwise(points), 1):
        if (before == after).all():
            mark: dict[str, Any] = ring if step in waits else diamond
            axes.plot(*after, **mark)


def _draw_head(axes: "Axes", points: NDArray[np.float64], color: str) -> None:
    """Draw an arrow's head at the end of the line; it stops before a mark that is there, so that both are visible."""
    moved = next((k for k in range(len(points) - 1, 0, -1) if tuple(points[k]) != tuple(points[k - 1])), None)
    if moved is None:
        return
    tip, before = points[moved], points[moved - 1]
    marked = moved < len(points) - 1 or tuple(tip) == tuple(points[0])
    reach = -BACK if marked else HEAD
    head = {"arrowstyle": "-|>", "color": color, "lw": 2.0, "mutation_scale": 13, "shrinkA": 0, "shrinkB": 0}
    ahead, behind = tip + reach * (tip - before), tip + (reach - HEAD) * (tip - before)
    axes.annotate("", xy=tuple(ahead), xytext=tuple(behind), zorder=9, arrowprops=head)
