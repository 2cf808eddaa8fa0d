"""The upper envelope of lines, by finding the best line where two known lines cross (Eisner and Severance 1976).

What a fixed plan is worth is often a line in a coefficient. Then the best worth is the upper envelope of these lines:
finitely many pieces, whose ends are fractions where the lines are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

from multislot.exact.kernel import Number

Plan = TypeVar("Plan")


@dataclass(frozen=True)
class Line(Generic[Plan]):
    """What a plan is worth as a function of a coefficient α: ``base + α · slope``.

    Attributes:
        base: the worth at α = 0.
        slope: what one unit of α adds.
        plan: the plan.
    """

    base: Number
    slope: Number
    plan: Plan = field(repr=False)

    def at(self, coefficient: Number) -> Number:
        """Return the worth for an α."""
        return self.base + coefficient * self.slope

    def crossing(self, steeper: "Line[Plan]") -> Number:
        """The α at which a steeper line reaches this one: a Fraction if both lines are exact."""
        return Fraction(1) * (self.base - steeper.base) / (steeper.slope - self.slope)


def upper_envelope(best: Callable[[Number], Line[Plan]], first: Line[Plan], last: Line[Plan]) -> tuple[Line[Plan], ...]:
    """Find the lines of the upper envelope between two of them, in order of their slopes.

    Args:
        best: from an α to a line of greatest worth there.
        first: the line at the left end.
        last: the line at the right end.
    """
    lines, open_lines = [first], [last]
    while open_lines:
        left, right = lines[-1], open_lines[-1]
        if not left.slope < right.slope:
            open_lines.pop()
            continue
        crossing = left.crossing(right)
        middle = best(crossing)
        # With floats, rounding can make a line look better than itself.
        if middle.at(crossing) > left.at(crossing) and middle.slope not in (left.slope, right.slope):
            open_lines.append(middle)
        else:
            lines.append(open_lines.pop())
    return tuple(lines)
