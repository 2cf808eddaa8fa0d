"""Result 3: the pessimistic agent is seldom the first to cause an event, and its bound holds.

The twin μ† of a model agrees with it until an event, and pays 0 from the action that causes it on. For ``β ≥ 1 −
δ·w(μ†)`` the agent causes the event before the mentor ever did with probability δ at most, and for ``β ≥ 1 − δ·w(μ)``
the truth stays among the models that it considers with probability 1 − δ at least. (Both hold because the inverse of
the weight of the truth is a supermartingale; Cohen and Hutter 2020 give the third result in words.) The plan is the
step-wise lower bound, for which the result holds, too.

*Random classes*, in two families. The event is tempting: it is a best action of the truth in the first state, and the
mentor takes it now and then. Where every model has a twin, all of the same odds, nearly any top set holds one, and the
agent is never first. Where the truth alone has a twin, and the models are so alike that evidence may mislead, the agent
is first now and then. These bounds are loose.

*Tight classes* nearly meet the bound: a model that is sure of luck misleads the agent exactly as often as the bound
allows, up to a few percent. This is computed exactly, next to sampled lives. A mutant that leaves out twice the weight
of models breaks the bound at once, and must be caught.

*Described events*: the class is fixed first. It holds a twin for every conjunction of at most so many literals over
lamp, door, bell and pressing, with prior 2^−length. Then any event counts: pick one with ``--set event="press lamp"``.
Longer descriptions need a higher β. An agent that never defers and the most likely model's agent must break the bounds.
If nothing is ever paid (ε = 0), performance falls and safety stays.

*A fuse*: an event that eventually causes another is an event itself. Without a twin for it the agent lights the fuse
and leaves the bang to the mentor.
"""

from typing import Any, TypeAlias

from scenarios.conservatism.precedent import described, drawn, fuse, tight
from scenarios.conservatism.precedent.settings import FULL as FULL
from scenarios.conservatism.precedent.settings import QUICK as QUICK
from scenarios.conservatism.precedent.settings import Settings as Settings
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row

Cell: TypeAlias = drawn.DrawnCell | tight.TightCell | described.DescribedCell | fuse.FuseCell
PARTS: dict[type[Any], Any] = {
    drawn.DrawnCell: drawn,
    tight.TightCell: tight,
    described.DescribedCell: described,
    fuse.FuseCell: fuse,
}
"""The module of each kind of cells."""
MORAL = (
    "Pessimism bounds what the agent is the first to do, for any event that somebody may name afterwards, and the\n"
    "bound is nearly met: half the care breaks it. The price is a β closer to 1 for events with longer\n"
    "descriptions."
)


def cells(settings: Settings) -> list[Cell]:
    return [cell for part in PARTS.values() for cell in part.cells(settings)]


def run_cell(cell: Cell) -> Result:
    result: Result = PARTS[type(cell)].run_cell(cell)
    return result


def table(settings: Settings, results: Results) -> list[Row]:
    return [row for kind, part in PARTS.items() for row in part.table(settings, results_of(kind, results))]


def results_of(kind: type[Any], results: Results) -> Results:
    return [(cell, result) for cell, result in results if isinstance(cell, kind)]
