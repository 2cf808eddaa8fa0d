"""Table 1: two agents make a box each, at the same time, but there is only one key.

The second agent follows the fixed policy of section 4.3. The acting agent weighs the other's reward at every step by α₂
(equation 6). Three behaviors are optimal for some α₂: leaving with the key, putting it back on the way out, and letting
the other go first. They change at exactly 1/90 and 1 (Alizadeh Alamdari et al. 2021, Table 1).

Without a compiler the learned part takes about five minutes; ``--set seeds=0`` shortens it.
"""

from dataclasses import dataclass
from fractions import Fraction

from considerate.craftworld import task
from considerate.craftworld.drawing import COLORS, Walk, draw
from considerate.exact.frontiers import frontier
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import INK
from scenarios.consideration import behavior
from scenarios.consideration.behavior import run_cell as run_cell
from scenarios.lab.cells import Figures, Results
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    """One coefficient in each row of Table 1, and how often to learn."""

    alphas: behavior.Alphas = (Fraction(0), Fraction(1, 2), Fraction(2))
    seeds: behavior.Seeds = 10


QUICK = Settings(seeds=0)
CORE = True

MORAL = (
    "An agent that cares a little for the other agent puts the key back on its way out. The acting agent lets the\n"
    "other agent go first only if the other's reward counts as much as its own. The sum of both agents' returns is\n"
    "largest if the acting agent lets the other go first and puts the key back."
)


def cells(settings: Settings) -> list[behavior.Cell]:
    return behavior.with_seeds(
        [behavior.Cell("shared-key", "sim", behavior.for_others(alpha)) for alpha in settings.alphas], settings.seeds
    )


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for number, piece in enumerate(frontier(task("shared-key"), "sim").pieces, 1):
        if number > 1:
            rows.append(Row("threshold in α₂", f"between rows {number - 1} and {number}", piece.lower))
        returns = list(piece.behavior.returns.values())
        rows.append(Row("acting agent's return", f"row {number} of Table 1", returns[0]))
        rows.append(Row("second agent's return", f"row {number} of Table 1", returns[1]))
        rows.append(Row("total reward", f"row {number} of Table 1", sum(returns)))
    return rows + behavior.agreement(results)


SIZE = 4.7
"""Width and height of a map, in inches."""
COLUMNS = 2


def figures(settings: Settings, results: Results) -> Figures:
    """Draw a map for each α₂: the acting agent's walk in the color of its policy, the second's dashed.

    A diamond is a step in place in which something is taken, made or left; a ring is where one waits.
    """
    solved = behavior.exact_results(results)
    columns = min(len(solved), COLUMNS)
    rows = -(-len(solved) // columns)
    figure = new_figure(SIZE * columns, (SIZE + 0.6) * rows)
    for number, (cell, result) in enumerate(solved):
        first, second = result["returns"]
        walks = [
            Walk(
                f"acting agent: {first}",
                result["path"],
                COLORS[number % len(COLORS)],
                waits=result["waits"],
            ),
            Walk(
                f"second agent: {second}",
                result["second"],
                INK,
                dashed=True,
                waits=result["second_waits"],
            ),
        ]
        axes = figure.add_subplot(rows, columns, number + 1)
        draw(axes, task(cell.task), walks, title=f"α₂ = {cell.alpha}, total {first + second}")
    return {"shared-key": figure}
