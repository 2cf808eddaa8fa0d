"""The tree of a decision: what an agent would do after every history, printed, as a graph or drawn."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import networkx as nx

from multislot.errors import MissingExtraError, SettingError
from multislot.exact.belief import History
from multislot.exact.kernel import Number
from multislot.exact.planning import Plan
from multislot.exact.values import ActionValues

Step: TypeAlias = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class DecisionTree:
    """What an agent would do after a history, and after all its continuations to some depth.

    Attributes:
        history: (action, observation) pairs.
        slots: ``P_i(h)``, how likely each slot is.
        values: the value of each action.
        branches: the tree after each (action, observation) that may follow.
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

    def graph(self) -> "nx.DiGraph[Any]":
        """Return the tree as a graph of histories; edges carry ``action``, ``observation`` and ``chosen``."""
        graph: nx.DiGraph[Any] = nx.DiGraph()
        for node in self.nodes():
            graph.add_node(node.history, best=node.best, values=dict(node.values), slots=node.slots)
            for (action, observation), branch in node.branches.items():
                chosen = action == node.best
                graph.add_edge(node.history, branch.history, action=action, observation=observation, chosen=chosen)
        return graph

    def __str__(self) -> str:
        return "\n".join(self._lines("", ""))

    def _lines(self, first: str, rest: str) -> Iterator[str]:
        where = ", ".join(f"{slot}: {_short(chance)}" for slot, chance in sorted(self.slots.items()))
        what = ", ".join(
            f"{_star(action == self.best)}{action} {_short(worth)}" for action, worth in self.values.items()
        )
        yield f"{first}slots {{{where}}}  {what}"
        for index, ((action, observation), branch) in enumerate(self.branches.items(), start=1):
            last = index == len(self.branches)
            label = f"{_star(action == self.best)}{action} → {observation}: "
            yield from branch._lines(f"{rest}{'└─' if last else '├─'}{label}", f"{rest}{'  ' if last else '│ '}")

    def draw(self, axes: Any = None) -> Any:
        """Draw the tree with time downwards, chosen actions thick, and return the matplotlib axes.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise MissingExtraError("drawing a decision tree", "plot") from None
        axes = axes or plt.subplots(figsize=(10, 6))[1]
        places = _layout(self)
        for node in self.nodes():
            x, y = places[node.history]
            for (action, observation), branch in node.branches.items():
                to_x, to_y = places[branch.history]
                chosen = action == node.best
                axes.plot(
                    [x, to_x], [y, to_y], color="C0" if chosen else "0.75", linewidth=2.5 if chosen else 1, zorder=1
                )
                axes.annotate(f"{action} → {observation}", ((x + to_x) / 2, (y + to_y) / 2), fontsize=7, ha="center")
            label = "\n".join(f"{action} {_short(worth)}" for action, worth in node.values.items())
            axes.annotate(
                label, (x, y), fontsize=8, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white"}
            )
        axes.set_axis_off()
        return axes


def decision_tree(plan: Plan, depth: int, history: History = ()) -> DecisionTree:
    """Return what a plan's agent would do after a history and all continuations of up to `depth` further steps.

    Raises:
        ImpossibleHistoryError: no slot can have the history.
        SettingError: `depth` is negative, or goes past the plan's last step.
    """
    if depth < 0:
        raise SettingError(f"the depth is {depth}; it is a number of steps")
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


def _star(chosen: bool) -> str:
    return "*" if chosen else ""


def _short(number: Number) -> str:
    return f"{number:.4g}" if isinstance(number, float) else str(number)
