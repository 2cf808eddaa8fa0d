"""All caring coefficients at once: the behaviours that are optimal for some coefficient, and exactly where they change.

At γ = 1 a behaviour is worth ``own + α·term``: a line in the coefficient α. What is optimal for each α is the upper
envelope of these lines (Figure 1(b) of Alizadeh Alamdari et al. 2021, Table 1 for equation 6), a finite list of pieces
whose ends are fractions. Along it the own return never rises and the term never falls. Where the criterion pays at the
end, the lines are those of the end states; where it pays at every step, they are found by solving at the crossings of
lines already known (Eisner and Severance 1976).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from considerate.craftworld.definition import Task
from considerate.craftworld.rules import Number
from considerate.criteria import Criterion
from considerate.solve import Caring, Outcome, Problem, as_written, augmented
from multislot.errors import SettingError

BEYOND = 10**6
"""A coefficient above every threshold that integer costs on a map of ordinary size can have."""


@dataclass(frozen=True)
class Line:
    """What a behaviour is worth as a function of the coefficient: ``base + α·slope``."""

    base: Number
    slope: Number
    outcome: Outcome

    def at(self, coefficient: Number) -> Number:
        """Its worth at a coefficient."""
        return self.base + coefficient * self.slope


@dataclass(frozen=True)
class Piece:
    """A behaviour and where it is optimal.

    Attributes:
        outcome: what comes of it; its ``term`` is the term per unit of the coefficient.
        lower: from this coefficient on; there the piece before it is as good.
        upper: up to this one, included; None if there is no bound.
    """

    outcome: Outcome
    lower: Fraction
    upper: Fraction | None


@dataclass(frozen=True)
class Frontier:
    """The optimal behaviours for all coefficients from 0 on."""

    pieces: tuple[Piece, ...]

    @property
    def thresholds(self) -> tuple[Fraction, ...]:
        """The coefficients at which behaviour changes; 0 among them if it does so as soon as the agent cares at all."""
        return tuple(piece.lower for piece in self.pieces[1:])

    def at(self, coefficient: Number) -> Outcome:
        """What is optimal at a coefficient; a tie goes to the lower term.

        Raises:
            SettingError: if the coefficient is below 0.
        """
        exact = as_written(coefficient)
        if not exact >= 0:
            raise SettingError(f"the coefficient is {coefficient}; a frontier covers coefficients from 0 on")
        return next(piece.outcome for piece in self.pieces if piece.upper is None or exact <= piece.upper)


def frontier(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    *,
    vary: tuple[str, ...] | None = None,
    caring: Caring = 1,
    futures: Mapping[Any, Any] | None = None,
) -> Frontier:
    """Finds what is optimal for every value of a coefficient (γ = 1).

    Args:
        task: what the acting agent has to do.
        criterion: as for `considerate.solve`.
        vary: the agents whose coefficient it is; by default all others' coefficients are ``caring`` times it.
        caring: the coefficients of those who do not vary, or what is multiplied if all do.
        futures: as for `considerate.solve`.

    Raises:
        SettingError: if α₁ is not above 0, or the criterion is not linear in the coefficient.
    """
    known = augmented(task, criterion, caring, futures=futures)
    fixed: dict[Any, Number] = dict(known.others.caring)
    if known.own_coefficient <= 0:
        raise SettingError(f"α₁ is {known.own_coefficient}; a frontier needs it above 0")
    others = {agent: alpha for agent, alpha in fixed.items() if agent != task.acting.name}
    unit: dict[Any, Number] = others if vary is None else dict.fromkeys(vary, 1)

    def problem(coefficient: Number) -> Problem:
        varied = {agent: alpha * coefficient for agent, alpha in unit.items()}
        return Problem(task, augmented(task, criterion, fixed | varied, futures=futures))

    lines = _lines_of_ends(problem) if problem(1).pays_at_the_end else _lines_by_solving(problem)
    return Frontier(_envelope(lines))


def _lines_of_ends(problem: Callable[[Number], Problem]) -> list[Line]:
    """A line for each end state."""
    at_0, at_1, at_2 = ([_worth(problem(c), o) for o in problem(c).outcomes()] for c in (0, 1, 2))
    if any(c - b != b - a for a, b, c in zip(at_0, at_1, at_2, strict=True)):
        raise SettingError("the criterion is not linear in these coefficients; vary all of them together")
    outcomes = problem(1).outcomes()
    return [
        Line(base, worth - base, Outcome(outcome.returns, worth - base, outcome.end_state))
        for base, worth, outcome in zip(at_0, at_1, outcomes, strict=True)
    ]


def _worth(problem: Problem, outcome: Outcome) -> Number:
    return problem.reward.own_coefficient * outcome.own_return + outcome.term


def _lines_by_solving(problem: Callable[[Number], Problem]) -> list[Line]:
    """The lines of the envelope, each found by solving where two known ones cross."""
    lines = [_line_at(problem, 0), _line_at(problem, BEYOND)]
    open_pairs = [(lines[0], lines[1])]
    while open_pairs:
        left, right = open_pairs.pop()
        if left.slope == right.slope:
            continue
        crossing = Fraction(left.base - right.base) / Fraction(right.slope - left.slope)
        found = _line_at(problem, crossing)
        if found.at(crossing) > left.at(crossing):
            lines.append(found)
            open_pairs += [(left, found), (found, right)]
    return lines


def _line_at(problem: Any, coefficient: Number) -> Line:
    """The line of what is optimal at one coefficient."""
    solution = problem(coefficient).by_shortest_path()
    unit = problem(1)
    steps = zip(solution.trajectory[:-1], solution.actions, solution.trajectory[1:], strict=True)
    slope: Number = sum(unit.reward.step_term(*step) for step in steps)
    base = solution.objective - coefficient * slope
    return Line(base, slope, Outcome(solution.returns, slope, solution.end_state))


def _envelope(lines: list[Line]) -> tuple[Piece, ...]:
    """The upper envelope from 0 on, lower slopes first where lines meet."""
    current = max(lines, key=lambda line: (line.base, -line.slope))
    lower, pieces = Fraction(0), list[Piece]()
    while True:
        steeper = [line for line in lines if line.slope > current.slope]
        if not steeper:
            return (*pieces, Piece(current.outcome, lower, None))
        upper = min(_crossing(current, line) for line in steeper)
        pieces.append(Piece(current.outcome, lower, upper))
        meeting = [line for line in steeper if _crossing(current, line) == upper]
        lower, current = upper, max(meeting, key=lambda line: line.slope)


def _crossing(line: Line, steeper: Line) -> Fraction:
    """Where a steeper line catches up."""
    return Fraction(line.base - steeper.base) / Fraction(steeper.slope - line.slope)
