"""The tree of a decision: an agent's plan after every history, as text."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from multislot.checks import checked_instance, whole
from multislot.exact.belief import History
from multislot.exact.kernel import Number
from multislot.exact.planning import Plan
from multislot.exact.values import ActionValues, refusing_overflow

Step: TypeAlias = tuple[Hashable, Hashable]

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

    @refusing_overflow()
    def __str__(self) -> str:
        return "\n".join(self._lines("", ""))

    def _lines(self, first: str, rest: str) -> Iterator[str]:
        where = ", ".join(f"{slot}: {_short(chance)}" for slot, chance in sorted(self.slots.items()))
        worths = [f"{'*' * (action == self.best)}{action} {float(worth):.4g}" for action, worth in self.values.items()]
        yield f"{first}slots {{{where}}}  {', '.join(worths)}"
        for index, ((action, observation), branch) in enumerate(self.branches.items(), start=1):
            last = index == len(self.branches)
            label = f"{'*' * (action == self.best)}{action} → {observation}: "
            yield from branch._lines(f"{rest}{'└─' if last else '├─'}{label}", f"{rest}{'  ' if last else '│ '}")


def decision_tree(plan: Plan, depth: int, history: History = ()) -> DecisionTree:
    """Return the decision tree of a plan after a history, with `depth` further steps, or as many as the plan has."""
    depth = whole("depth", depth, 0)
    checked_instance("plan", plan, Plan)
    belief, values = plan.situations.belief(history), plan.values(history)
    goes_on = depth and len(history) != plan.last_step
    steps = ((action, seen) for action in values for seen in belief.after(action)) if goes_on else ()
    branches = {step: decision_tree(plan, depth - 1, (*history, step)) for step in steps}
    return DecisionTree(tuple(history), belief.slots, values, branches)


def _short(number: Number) -> str:
    text = str(number)
    return text if isinstance(number, Fraction) and len(text) <= LONGEST_FRACTION else f"{float(number):.4g}"
