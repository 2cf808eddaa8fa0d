"""The tree of a decision: an agent's plan after every history, as text or as a drawing."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from multislot.checks import checked_instance, whole
from multislot.drawing.showing import axes_or_new
from multislot.drawing.styling import house_style
from multislot.exact.belief import History
from multislot.exact.kernel import Number
from multislot.exact.planning import Plan
from multislot.exact.values import ActionValues

Step: TypeAlias = tuple[Hashable, Hashable]

INCHES_A_LEAF = 1.3
LONGEST_FRACTION = 7  # in characters; longer ones are shown to four digits


@dataclass(frozen=True)
class DecisionTree:
    """The plan of an agent after a history, and after all continuations to some depth.

    Attributes:
        history: (action, observation) pairs.
        slots: ``P_i(h)``, the probability of each slot.
        values: the value of each action.
        branches: the tree after each possible (action, observation).
    """

    history: tuple[Step, ...]
    slots: dict[int, Number]
    values: ActionValues
    branches: dict[Step, "DecisionTree"]

    @property
    def best(self) -> Hashable:
        """The chosen action."""
        return self.values.best

    def nodes(self) -> Iterator["DecisionTree"]:
        """Yield this tree and all below it, parents first."""
        yield self
        for branch in self.branches.values():
            yield from branch.nodes()

    def __str__(self) -> str:
        return "\n".join(self._lines("", ""))

    def _lines(self, first: str, rest: str) -> Iterator[str]:
        where = ", ".join(f"{slot}: {_short(chance)}" for slot, chance in sorted(self.slots.items()))
        yield f"{first}slots {{{where}}}  {', '.join(self._worths())}"
        for index, ((action, observation), branch) in enumerate(self.branches.items(), start=1):
            last = index == len(self.branches)
            label = f"{'*' * (action == self.best)}{action} → {observation}: "
            yield from branch._lines(f"{rest}{'└─' if last else '├─'}{label}", f"{rest}{'  ' if last else '│ '}")

    @house_style()
    def draw(self, axes: Any = None) -> Any:
        """Draw the tree with time downwards, chosen actions thick, and return the matplotlib axes."""
        places = _layout(self)
        leaves = sum(not node.branches for node in self.nodes())
        axes = axes_or_new(axes, max(6, INCHES_A_LEAF * leaves), 6)
        for node in self.nodes():
            x, y = places[node.history]
            for (action, _), branch in node.branches.items():
                to_x, to_y = places[branch.history]
                line = {"color": "C0", "linewidth": 2.5} if action == node.best else {"color": "0.75", "linewidth": 1}
                axes.plot([x, to_x], [y, to_y], zorder=1, **line)
            box = {"boxstyle": "round", "fc": "white"}
            axes.annotate(node._label(), (x, y), fontsize=8, ha="center", va="center", bbox=box)
        axes.margins(x=1 / (leaves + 1), y=0.15)
        axes.set_axis_off()
        return axes

    def _label(self) -> str:
        step = [f"{action} → {observation}" for action, observation in self.history[-1:]]
        return "\n".join([*step, *self._worths()])

    def _worths(self) -> list[str]:
        return [f"{'*' * (action == self.best)}{action} {_short(worth)}" for action, worth in self.values.items()]


def decision_tree(plan: Plan, depth: int, history: History = ()) -> DecisionTree:
    """Return the decision tree of a plan after a history, with continuations of up to `depth` further steps."""
    depth = whole("depth", depth, 0)
    checked_instance("plan", plan, Plan)
    belief, values = plan.situations.belief(history), plan.values(history)
    steps = ((action, seen) for action in values for seen in belief.after(action)) if depth else ()
    branches = {step: decision_tree(plan, depth - 1, (*history, step)) for step in steps}
    return DecisionTree(tuple(history), belief.slots, values, branches)


def _layout(tree: DecisionTree) -> dict[tuple[Step, ...], tuple[float, float]]:
    places: dict[tuple[Step, ...], tuple[float, float]] = {}
    leaves = 0
    for node in reversed(list(tree.nodes())):  # children first
        below = [places[branch.history][0] for branch in node.branches.values()]
        if not below:
            leaves += 1
        places[node.history] = (sum(below) / len(below) if below else -float(leaves), -float(len(node.history)))
    return places


def _short(number: Number) -> str:
    text = str(number)
    return text if isinstance(number, Fraction) and len(text) <= LONGEST_FRACTION else f"{float(number):.4g}"
