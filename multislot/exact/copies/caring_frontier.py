"""All caring coefficients at once: which policies are best for some α, and exactly where they change.

For a fixed policy ``J_α = base + α · slope`` is a line in α. The best worth is the upper envelope of these lines, so
the best policies form a staircase: finitely many pieces whose ends are fractions. `considerate.frontier` does the same
for a task.
"""

from dataclasses import dataclass
from itertools import pairwise

from multislot.checks import number
from multislot.exact.copies.caring import Question, checked_caring
from multislot.exact.copies.envelope import Line, upper_envelope
from multislot.exact.copies.joint import Policy
from multislot.exact.kernel import Kernel, Number
from multislot.exact.mixture import Mixture
from multislot.exact.values import refusing_overflow


@dataclass(frozen=True)
class CaringPiece:
    """A policy and where it is best.

    Attributes:
        line: the value of the policy for every α.
        lower: it is best from this α on; there the piece before it is as good.
        upper: it is best up to this α.
    """

    line: Line[Policy]
    lower: Number
    upper: Number

    @property
    def policy(self) -> Policy:
        """From a history to the action."""
        return self.line.plan


@dataclass(frozen=True)
class CaringFrontier:
    """The best policies for all α from a smallest to a largest one.

    Attributes:
        pieces: in order of α.
    """

    pieces: tuple[CaringPiece, ...]

    @property
    def thresholds(self) -> tuple[Number, ...]:
        """The values of α at which the best policy changes."""
        return tuple(piece.lower for piece in self.pieces[1:])

    def at(self, caring: Number) -> CaringPiece:
        """Return the piece of an α; at a threshold the one below it."""
        number("caring", caring, self.pieces[0].lower, self.pieces[-1].upper)
        return next(piece for piece in self.pieces if caring <= piece.upper)


@refusing_overflow()
def frontier_for_copies(
    kernel: Kernel | Mixture,
    *,
    discount: Number,
    horizon: int | None = None,
    least: Number = 0,
    most: Number = 1,
    limit: int | None = None,
) -> CaringFrontier:
    """Return the policies that are best for all copies, for every α from `least` to `most`.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        discount: γ in [0, 1].
        horizon: the number of steps; None for endlessly many.
        least: the smallest α; below 0 it is ill will.
        most: the largest α.
        limit: as in `plan_for_copies`.

    Returns:
        Thresholds are Fractions where all numbers are ints or Fractions.

    Raises:
        TooLargeError: more joint outcomes would be computed than `limit`.
    """
    asked = Question(kernel, discount, horizon, limit=limit)
    first = checked_caring("least", least)
    last = number("most", checked_caring("most", most), above=first)
    lines = upper_envelope(asked.line, asked.line(first), asked.line(last))
    ends = [first, *(line.crossing(steeper) for line, steeper in pairwise(lines)), last]
    pieces = (CaringPiece(line, *piece) for line, piece in zip(lines, pairwise(ends), strict=True))
    return CaringFrontier(tuple(piece for piece in pieces if piece.lower < piece.upper))
