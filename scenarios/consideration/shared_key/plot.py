"""What both agents do in each row of Table 1, on the map of Figure 1(a)."""

from typing import TYPE_CHECKING

from multislot.drawing.showing import new_figure
from scenarios.consideration.behaviour import Results, exact_results, known_task
from scenarios.consideration.shared_key.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = 4.7
"""Width and height of a map, in inches."""
COLUMNS = 2


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return a map for each α₂: the acting agent's walk in the colour of its policy, the second's dashed.

    A diamond is a step in place in which something is taken, made or left; a ring is where one waits.
    """
    from considerate.craftworld.drawing import COLOURS, Walk, draw
    from multislot.drawing.styling import INK

    solved = exact_results(results)
    columns = min(len(solved), COLUMNS)
    rows = -(-len(solved) // columns)
    figure = new_figure(SIZE * columns, (SIZE + 0.6) * rows)
    for number, (cell, result) in enumerate(solved):
        first, second = result["returns"]
        walks = [
            Walk(
                f"acting agent: {first}", _cells(result["path"]), COLOURS[number % len(COLOURS)], waits=result["waits"]
            ),
            Walk(f"second agent: {second}", _cells(result["second"]), INK, dashed=True, waits=result["second_waits"]),
        ]
        axes = figure.add_subplot(rows, columns, number + 1)
        draw(axes, known_task(cell.task), walks, title=f"α₂ = {cell.caring[0][1]}, total {first + second}")
    return {"shared-key": figure}


def _cells(path: list[list[int]]) -> list[tuple[int, int]]:
    return [(x, y) for x, y in path]
