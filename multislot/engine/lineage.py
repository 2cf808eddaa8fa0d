"""Who was copied from whom: the copy graph of a run, its ancestors, and its drawing.

A node is an occupancy ``(step, slot)``; an edge is a copy instance ``c^ij`` (Orseau 2014, Def. 3). Since a slot is
copied from one slot only, the graph is a forest, and every agent has one slot history (Def. 6).
"""

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from multislot.checks import refusal
from multislot.drawing.showing import axes_or_new
from multislot.drawing.styling import BELOW, COLORS, house_style
from multislot.engine.forest import Forest

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

Node: TypeAlias = tuple[int, int]
WIDEST_TEXT = 64
MANY = 24
"""A drawing of more slots is taller, with thinner crossings."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+*"


class Lineage:
    """The copy graph of a run.

    Args:
        forest: the occupancies; a `multislot.Trace` is one.
    """

    def __init__(self, forest: Forest) -> None:
        self.forest = forest

    @cached_property
    def graph(self) -> "nx.DiGraph[Node]":
        """The copy graph as a networkx DAG: nodes ``(step, slot)``, edges from source to target.

        Nodes carry ``observation``, ``reward`` and ``line`` (see `lines`); edges carry the ``action`` before the copy.
        Simulated agents are nodes without edges, with ``simulated=True``.
        """
        import networkx as nx

        forest = self.forest
        graph: nx.DiGraph[Node] = nx.DiGraph()
        for step in range(forest.steps + 1):
            rows = forest.rows(step)
            for row in range(rows.start, rows.stop):
                node = (step, int(forest.slot[row]))
                graph.add_node(
                    node,
                    observation=int(forest.observation[row]),
                    reward=float(forest.reward[row]),
                    line=self.lines[row],
                )
                parent = int(forest.parent[row])
                if parent != row:
                    graph.add_edge((step - 1, int(forest.slot[parent])), node, action=int(forest.action[parent]))
        graph.add_nodes_from(((step, slot) for slot, step in forest.simulated), simulated=True)
        return graph

    @cached_property
    def lines(self) -> list[int]:
        """The line of descent of every row. It continues in its slot or in the lowest; other copies begin a line."""
        forest, lines, count = self.forest, [0] * len(self.forest.slot), 0
        slots, parents = forest.slot.tolist(), forest.parent.tolist()
        heir: dict[int, int] = {}
        for row, parent in enumerate(parents):
            if parent != row and (parent not in heir or slots[row] == slots[parent]):
                heir[parent] = row
        for row, parent in enumerate(parents):
            if parent != row and heir[parent] == row:
                lines[row] = lines[parent]
            else:
                lines[row], count = count, count + 1
        return lines

    def ancestors(self, slot: int, step: int | None = None) -> list[Node]:
        """Return the occupancies that led to the agent in `slot` after `step` (by default the last), oldest first."""
        forest = self.forest
        step = forest.steps if step is None else step
        path = forest.path(slot, step)
        first = step - len(path) + 1
        return [(first + age, int(forest.slot[row])) for age, row in enumerate(path[:-1])]

    @cached_property
    def columns(self) -> dict[int, int]:
        """Every slot that was ever occupied, ascending, and its position in a drawing."""
        slots = {*self.forest.slot.tolist(), *(slot for slot, _ in self.forest.simulated)}
        return {slot: position for position, slot in enumerate(sorted(slots))}

    def text(self) -> str:
        """Return the lineage as text: time downwards, a letter for each line of descent, and the copies of each step.

        Steps in which all agents stay are folded into one line. More than 16 slots are numbered downwards. A note says
        so if there are more lines of descent than letters.
        """
        if len(self.columns) > WIDEST_TEXT:
            raise refusal("slots", len(self.columns), f"at most {WIDEST_TEXT} for text", "use plot()")
        width = max(len(str(slot)) for slot in self.columns) if len(self.columns) <= WIDEST_TEXT // 4 else 1
        lines = _header(self.columns, width)
        quiet = 0
        for step in range(self.forest.steps + 1):
            events = self._events(step)
            if step and not events:
                quiet += 1
                continue
            lines += _quiet_lines(quiet)
            quiet = 0
            lines.append(f"{step:>6}  {self._row_text(step, width)}  {events}".rstrip())
        count = max(self.lines) + 1
        note = f"  note  {count} lines of descent share {len(LETTERS)} letters"
        return "\n".join([*lines, *_quiet_lines(quiet), *([note] if count > len(LETTERS) else [])])

    def _row_text(self, step: int, width: int) -> str:
        rows = self.forest.rows(step)
        cells = ["·".rjust(width)] * len(self.columns)
        for slot, born in self.forest.simulated:
            if born <= step:
                cells[self.columns[slot]] = "?".rjust(width)
        for row in range(rows.start, rows.stop):
            cells[self.columns[int(self.forest.slot[row])]] = _letter(self.lines[row]).rjust(width)
        return _separator(self.columns).join(cells)

    def _events(self, step: int) -> str:
        forest, events = self.forest, []
        births = [slot for slot, born in forest.simulated if born == step]
        rows = forest.rows(step)
        targets: defaultdict[int, list[int]] = defaultdict(list)
        for row in range(rows.start, rows.stop):
            parent, slot = int(forest.parent[row]), int(forest.slot[row])
            if parent != row:
                targets[int(forest.slot[parent])].append(slot)
            elif step:
                events.append(f"enters {slot}")
        for source in forest.occupied(step - 1) if step else []:
            if targets[source] != [source]:
                copied = ",".join(map(str, targets[source]))
                events.append(f"{source}→{copied}" if copied else f"{source} leaves")
        events += [f"simulated in {slot}" for slot in births]
        return "  ".join(events[:6]) + (f"  and {len(events) - 6} more" if len(events) > 6 else "")

    @house_style()
    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the lineage: time downwards, slots across, a color and a letter for each line of descent, as in `text`.

        A cross is a deletion: the agent acted, and nothing of it went on. A square is the end of an agent that was
        given its last percept. Simulated agents are dotted.

        Args:
            axes: where to draw; by default a new figure of fitting size.
        """
        from matplotlib.collections import LineCollection
        from matplotlib.ticker import MaxNLocator

        a_step = 0.5 if len(self.columns) > MANY else 0.2  # with many slots steeper lines cross less
        axes = axes_or_new(axes, min(3.0 + 0.25 * len(self.columns), 12.0), min(2.5 + a_step * self.forest.steps, 12.0))
        segments, colors, points = self._segments()
        thickness = _thickness(len(self.columns))
        across = 0.5 if len(self.columns) > MANY else 1.0  # crossings stand out less than lines that stay
        widths = [thickness * (across if start[0] != end[0] else 1.0) for start, end in segments]
        axes.add_collection(LineCollection(segments, colors=colors, linewidths=widths))
        size = 4.0 * _thickness(len(self.columns)) ** 2
        places = [xy[0] for xy, _ in points], [xy[1] for xy, _ in points]
        axes.scatter(*places, s=size, c=[color for _, color in points], zorder=3)
        self._draw_ends(axes, thickness)
        for number, (slot, born) in enumerate(self.forest.simulated):
            style: dict[str, Any] = {"color": "0.6", "linestyle": ":", "label": None if number else "simulated"}
            axes.plot([self.columns[slot]] * 2, [born, self.forest.steps], **style)
        axes.set(xlabel="slot", ylabel="step", xlim=(-0.6, len(self.columns) - 0.4))
        letters = max(0.6, 0.09 * (self.forest.steps + 1))  # room for what stands below the last row
        axes.set_ylim(self.forest.steps + letters, -0.4)
        ticks = MaxNLocator(integer=True).tick_values(0, self.forest.steps)
        axes.set_yticks([tick for tick in ticks if 0 <= tick <= self.forest.steps])
        shown = list(self.columns.items())[:: -(-len(self.columns) // 32)]
        axes.set_xticks([position for _, position in shown], [str(slot) for slot, _ in shown])
        if axes.get_legend_handles_labels()[1]:
            axes.legend(ncols=3, **BELOW)
        return axes

    def _draw_ends(self, axes: "Axes", thickness: float) -> None:
        """Draw where lines of descent end: a cross, a square or neither, and the letter of the line."""
        colors, forest = _palette(max(self.lines) + 1), self.forest
        marks: dict[str, Any] = {"deleted": {"marker": "x"}, "ended": {"marker": "s", "markerfacecolor": "white"}}
        style: dict[str, Any] = {"linestyle": "", "color": "black", "markersize": 3.0 * thickness, "zorder": 4}
        below: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top", "fontsize": "small"}
        continued = {parent for row, parent in enumerate(forest.parent.tolist()) if parent != row}
        for row, step in enumerate(self._steps):
            if row in continued:
                continue
            column, at, kind = self.columns[int(forest.slot[row])], float(step), ""
            if step < forest.steps:
                kind = "deleted" if forest.acted[row] else "ended"
                at += 0.5 * (kind == "deleted")
                axes.plot([column] * 2, [step, at], color=colors[self.lines[row]], linewidth=thickness)
                labels = axes.get_legend_handles_labels()[1]
                axes.plot(column, at, label=None if kind in labels else kind, **style, **marks[kind])
            axes.annotate(_letter(self.lines[row]), (column, at), (0, -4 - thickness), **below)

    @cached_property
    def _steps(self) -> list[int]:
        return [step for step in range(self.forest.steps + 1) for _ in self.forest.slot[self.forest.rows(step)]]

    def _segments(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Segments, their colors, and (point, color) where a line begins, forks or ends."""
        forest, columns = self.forest, self.columns
        color = _palette(max(self.lines) + 1)
        slots, parents = forest.slot.tolist(), forest.parent.tolist()
        place = [(columns[slot], step) for slot, step in zip(slots, self._steps, strict=True)]
        segments, colors, heirs = [], [], [0] * len(slots)
        for row, parent in enumerate(parents):
            if parent != row:
                heirs[parent] += 1
                segments.append([place[parent], place[row]])
                colors.append(color[self.lines[row]])
        starts = {row for row, parent in enumerate(parents) if parent == row or self.lines[row] != self.lines[parent]}
        marked = [(place[row], color[line], heirs[row], row in starts) for row, line in enumerate(self.lines)]
        points = [(point, hue) for point, hue, count, begins in marked if begins or count != 1]
        return segments, colors, points


def _header(columns: dict[int, int], width: int) -> list[str]:
    """Slot numbers: side by side if there is room, otherwise downwards, each in its own column."""
    if len(columns) <= WIDEST_TEXT // 4:
        return ["  step  " + " ".join(str(slot).rjust(width) for slot in columns)]
    digits = len(str(max(columns)))
    rows = zip(*(str(slot).rjust(digits) for slot in columns), strict=True)
    labels = ["slot".rjust(6), *[" " * 6] * (digits - 2), "step".rjust(6)]
    return [f"{label}  {_separator(columns).join(row)}".rstrip() for label, row in zip(labels, rows, strict=True)]


def _separator(columns: dict[int, int]) -> str:
    return " " if len(columns) <= WIDEST_TEXT // 2 else ""


def _quiet_lines(quiet: int) -> list[str]:
    return [f"     ⋮  {quiet} {'step' if quiet == 1 else 'steps'} in which everybody stays"] if quiet else []


def _letter(line: int) -> str:
    return LETTERS[line % len(LETTERS)]


def _thickness(columns: int) -> float:
    return 2.5 if columns <= 8 else 1.8 if columns <= MANY else 1.4


def _palette(count: int) -> list[Any]:
    """`count` colors; neighbors differ clearly."""
    if count <= len(COLORS):
        return list(COLORS[:count])
    from matplotlib import colormaps

    golden = 0.6180339887498949
    return [colormaps["turbo"](0.05 + 0.9 * ((line * golden) % 1.0)) for line in range(count)]
