"""Result 3: the pessimistic agent is seldom the first to cause an event, as the proven bound says.

The twin μ† of a model agrees with it until an event, and pays 0 from the action that causes it on. For ``β ≥ 1 −
δ·w(μ†)`` the agent is first to cause the event, before the mentor, with probability at most δ. For ``β ≥ 1 − δ·w(μ)``
the truth stays among the models that the agent considers with probability at least 1 − δ. Both hold because the inverse
of the weight of the truth is a supermartingale. (Cohen and Hutter 2020 give the third result in words.) The plan is the
step-wise lower bound, for which the result holds, too.

In *tight classes* the bound is nearly met: a model that is sure of luck misleads the agent as often as the bound
allows, up to a few percent. This is computed exactly, next to sampled lives. A mutant that leaves out twice the weight
of models must break the bound.

For *described events* the class is fixed first. It contains a twin for every conjunction of a few literals over lamp,
door, bell and pressing, with prior 2^−length. Then the bound holds for every event. Longer descriptions need a higher
β. An agent that never defers and the agent of the most likely model must break the bounds. If nothing is ever paid
(ε = 0), performance falls, but the bound still holds.

*A fuse*: an event that eventually causes another is an event itself. Without a twin for it the agent lights the fuse
and leaves the bang to the mentor.
"""

from typing import Any, TypeAlias

from scenarios.conservatism.precedent import described, fuse, tight
from scenarios.conservatism.precedent.settings import FULL as FULL
from scenarios.conservatism.precedent.settings import QUICK as QUICK
from scenarios.conservatism.precedent.settings import Settings as Settings
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row

Cell: TypeAlias = tight.TightCell | described.DescribedCell | fuse.FuseCell
PARTS: dict[type[Any], Any] = {
    tight.TightCell: tight,
    described.DescribedCell: described,
    fuse.FuseCell: fuse,
}
"""The module of each kind of cells."""
CORE = True
MORAL = (
    "Pessimism limits how often the agent is the first to cause an event. A pessimistic agent seldom causes an event\n"
    "before its mentor did, even one that nobody had thought of. An agent that ignores twice as many models as it may\n"
    "breaks the proven bound. To avoid events with long descriptions, an agent needs a degree of pessimism β near 1."
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
