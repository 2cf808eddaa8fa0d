"""All caring coefficients at once: the behaviours that are optimal for some coefficient, and exactly where they change.

At γ = 1 a behaviour is worth ``own + α·term``: a line in the coefficient α. What is optimal for each α is the upper
envelope of these lines (Figure 1(b) of Alizadeh Alamdari et al. 2021, Table 1 for equation 6), a finite list of pieces
whose ends are fractions. Along it the own return never rises and the term never falls. Where the criterion pays at the
end, the lines are those of the end states; where it pays at every step, they are found by solving at the crossings of
lines already known (Eisner and Severance 1976).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from numbers import Rational
from typing import Any

import numpy as np

from considerate.craftworld.definition import Task
from considerate.criteria import Criterion, Simultaneous, augment
from considerate.distributions import Number
from considerate.exact.ending import worth_of_never_ending
from considerate.exact.solutions import Caring, Outcome, Problem, augmented
from considerate.exact.task_futures import step_terms
from considerate.paths.rationals import Rationals, as_written
from multislot.errors import NeverEndingError, SettingError

FAR = 10**30
"""A coefficient far beyond where a criterion that is not linear can still look so."""


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
        if not isinstance(exact, int | float | Fraction) or not exact >= 0:
            raise SettingError(f"the coefficient is {coefficient!r}; a frontier covers numbers, coefficients from 0 on")
        return next(piece.outcome for piece in self.pieces if piece.upper is None or exact <= piece.upper)


def frontier(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    *,
    vary: tuple[str, ...] | None = None,
    caring: Caring = 1,
    futures: Any = None,
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
    acting, fixed = task.acting.name, dict(known.others.caring)
    if known.own_coefficient <= 0:
        raise SettingError(f"α₁ is {known.own_coefficient}; a frontier needs it above 0")
    if isinstance(vary, str) or (vary is not None and acting in vary):
        raise SettingError(f"vary is {vary!r}; expected a tuple of names of others than {acting!r}, who acts")
    others = {agent: alpha for agent, alpha in fixed.items() if agent != acting}
    unit: dict[Any, Number] = others if vary is None else dict.fromkeys(vary, 1)

    def problem(coefficient: Number) -> Problem:
        varied = {agent: alpha * coefficient for agent, alpha in unit.items()}
        alphas, items = fixed | varied, dict(known.others.futures)
        return Problem(task, augment(known.criterion, acting=acting, caring=alphas, futures=items))

    at_one = problem(1)
    lines = _lines_of_ends(at_one, problem) if at_one.pays_at_the_end else _lines_by_solving(at_one, problem)
    pieces = _envelope(lines)
    _check_ending(pieces, at_one)
    return Frontier(pieces)


def _lines_of_ends(at_one: Problem, problem: Callable[[Number], Problem]) -> list[Line]:
    """A line for each way to an end state."""
    rewards = {coefficient: problem(coefficient).reward for coefficient in (0, 1, 2, FAR)}
    lines = []
    for outcome in at_one.outcomes():
        terms = (at_one.term_of(reward, outcome.end_state) for reward in rewards.values())
        at_0, slope = map(as_written, _linear(terms))
        base = at_one.reward.own_coefficient * outcome.own_return + at_0
        lines.append(Line(base, slope, Outcome(outcome.returns, slope, outcome.end_state)))
    return lines


def _linear(terms: Iterable[Number]) -> tuple[Number, Number]:
    """Value at 0 and slope of a term, from its values at 0, 1, 2 and `FAR`, asked for one by one.

    Raises:
        SettingError: if it is not linear.
    """
    values = iter(terms)
    at_0, at_1 = next(values), next(values)
    slope = at_1 - at_0
    for coefficient, value in zip((2, FAR), values, strict=True):
        expected = at_0 + coefficient * slope
        exact = isinstance(value, Rational) and isinstance(expected, Rational)
        if value != expected if exact else not isclose(value, expected):
            raise _not_linear()
    return at_0, slope


def _lines_by_solving(at_one: Problem, problem: Callable[[Number], Problem]) -> list[Line]:
    """The lines of the envelope, each found by solving where two known ones cross."""
    changing = Changing.of(at_one, problem)
    lines = [changing.line(*_way_at(problem(0))), changing.line(*changing.far_out())]
    open_pairs = [(lines[0], lines[1])]
    while open_pairs:
        left, right = open_pairs.pop()
        if left.slope == right.slope:
            continue
        crossing = _crossing(left, right)
        found = changing.line(*_way_at(problem(crossing)))
        if found.at(crossing) > left.at(crossing):
            lines.append(found)
            open_pairs += [(left, found), (found, right)]
    return lines


def _way_at(problem: Problem) -> tuple[list[int], list[int]]:
    """The optimal way at one coefficient."""
    return problem.way(problem.best()[0])


@dataclass(frozen=True)
class Changing:
    """The augmented reward of each step as it changes with the coefficient: ``base + α·slope``.

    Attributes:
        problem: the problem at coefficient 1.
        base: [S, A], at coefficient 0.
        slope: [S, A], what one unit of the coefficient adds.
    """

    problem: Problem
    base: Rationals
    slope: Rationals

    @classmethod
    def of(cls, at_one: Problem, problem: Callable[[Number], Problem]) -> "Changing":
        """What changes with the coefficient; raises SettingError if that is not linear."""
        graph = at_one.graph
        at_0, at_1 = (step_terms(graph, problem(coefficient).reward) for coefficient in (0, 1))
        slope = at_1 + at_0.times(-1)
        if not isinstance(at_one.reward.criterion, Simultaneous):
            for coefficient in (2, FAR):
                found, expected = step_terms(graph, problem(coefficient).reward), at_0 + slope.times(coefficient)
                if not np.allclose(found.floats, expected.floats, rtol=1e-9, atol=0):
                    raise _not_linear()
        return cls(at_one, graph.exact_costs.times(-at_one.reward.own_coefficient) + at_0, slope)

    def line(self, states: list[int], actions: list[int]) -> Line:
        """What a way is worth."""
        steps = list(zip(states[:-1], actions, strict=True))
        base, slope = (sum(array.exact(*step) for step in steps) for array in (self.base, self.slope))
        outcome = self.problem.solution_of(states, actions)
        return Line(base, slope, Outcome(outcome.returns, slope, outcome.end_state))

    def far_out(self) -> tuple[list[int], list[int]]:
        """The way that is optimal beyond every threshold: of those with the greatest slope the one of greatest base.

        Raises:
            NeverEndingError: if never ending is optimal there.
        """
        graph, start = self.problem.graph, self.problem.start
        first = graph.network(self.slope.times(-1))
        primary = first.distances_from(start)
        second = graph.network(self.base.times(-1), first.steps_from(primary))
        secondary = second.distances_from(start)

        def order(state: int) -> tuple[float, float]:
            return primary[state], secondary[state]

        end = min(self.problem.task.end_states, key=order)
        circling = np.flatnonzero(second.circling(second.steps_from(secondary)).any(axis=1))
        if any(order(int(state)) < order(end) for state in circling):
            raise NeverEndingError(
                "for large coefficients never ending is optimal, in a circle that costs nothing; let every step cost"
            )
        return second.ways_to(np.array([end])).follow(start)


def _not_linear() -> SettingError:
    return SettingError("the criterion is not linear in these coefficients; vary all of them together")


def _check_ending(pieces: tuple[Piece, ...], problem: Problem) -> None:
    """Raises NeverEndingError if for some coefficient a circle that costs nothing is worth more than the best end.

    Where others count at the end, such a circle is worth the same for every coefficient, and what the best end is worth
    is convex: it is least where a piece begins, or falls without bound.
    """
    never = worth_of_never_ending(problem) if problem.pays_at_the_end else None
    if never is None:
        return
    own = problem.reward.own_coefficient
    for piece in pieces:
        at_lower = own * piece.outcome.own_return + piece.lower * piece.outcome.term
        if at_lower < never or (piece.upper is None and piece.outcome.term < 0):
            raise NeverEndingError(
                f"from a coefficient of {piece.lower} on, never ending comes to be optimal: it is worth {never}; vary "
                "coefficients in a task in which every step costs"
            )


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
