"""All caring coefficients at once: the behaviors that are optimal for some coefficient, and where they change.

At γ = 1 a behavior is worth ``own + α·term``: a line in the coefficient α. What is optimal for each α is the upper
envelope of these lines (Figure 1(b) of Alizadeh Alamdari et al. 2021, Table 1 for equation 6), a finite list of pieces
whose ends are fractions. Along it the own return never rises and the term never falls. Where the criterion pays at the
end, the lines are those of the end states. Where it pays at every step, each line is found by solving at one
coefficient.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isclose
from numbers import Rational
from typing import TYPE_CHECKING, Any

import numpy as np

from considerate.craftworld.definition import Task
from considerate.criteria import Criterion, Simultaneous, augment
from considerate.distributions import Number
from considerate.exact.paths.rationals import Rationals, as_written
from considerate.exact.problem import Behavior, Caring, Problem, augmented, check_task, step_terms
from multislot.checks import number, refusal
from multislot.drawing.showing import new_figure, whole_table
from multislot.drawing.styling import BELOW, COLORS, house_style
from multislot.errors import NeverEndingError, SettingError
from multislot.exact.copies.envelope import Line, upper_envelope

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SPREAD = 20
"""Returns whose largest and smallest size differ by more than this factor are shown on a logarithmic scale."""
FAR = 10**30
"""A coefficient so large that a nonlinear criterion does not look linear there."""
NOT_LINEAR = "the criterion is not linear in these coefficients; vary those of all others, and give the actor none"


@dataclass(frozen=True)
class Piece:
    """A behavior and where it is optimal.

    Attributes:
        behavior: its results; its ``term`` is the term per unit of the coefficient.
        lower: the smallest coefficient; there the piece before it is equally good.
        upper: the largest coefficient; None if there is no bound.
    """

    behavior: Behavior
    lower: Fraction
    upper: Fraction | None


@dataclass(frozen=True)
class Frontier:
    """The optimal behaviors for all coefficients from 0 on."""

    pieces: tuple[Piece, ...]

    @property
    def thresholds(self) -> tuple[Fraction, ...]:
        """The coefficients at which behavior changes; 0 is one of them if it changes at every positive coefficient."""
        return tuple(piece.lower for piece in self.pieces[1:])

    def at(self, coefficient: Number) -> Behavior:
        """The optimal behavior at a coefficient; a tie goes to the lower term."""
        exact = as_written(coefficient)
        if not isinstance(exact, int | float | Fraction) or not exact >= 0:
            raise refusal("coefficient", coefficient, "a number, at least 0")
        return next(piece.behavior for piece in self.pieces if piece.upper is None or exact <= piece.upper)

    def table(self) -> "pd.DataFrame":
        """Return a row for each behavior: its range of coefficients, everyone's return, their total, and the term.

        Numbers are exact; ``up_to`` is None for the last behavior.
        """
        return whole_table(
            [
                {
                    "from": piece.lower,
                    "up_to": piece.upper,
                    **piece.behavior.returns,
                    "total": sum(piece.behavior.returns.values()),
                    "term": piece.behavior.term,
                }
                for piece in self.pieces
            ]
        )

    @house_style()
    def plot(self) -> "Figure":
        """Plot everyone's return by piece; all pieces have the same width, since thresholds differ in size."""
        pieces, thresholds = len(self.pieces), self.thresholds
        agents = self.pieces[0].behavior.returns
        returns = {name: [float(piece.behavior.returns[name]) for piece in self.pieces] for name in agents}
        figure = new_figure(max(5.0, 1.8 + 1.15 * pieces), 3.8)
        axes = figure.add_subplot()
        edges = np.arange(pieces + 1)
        for rank, (name, values) in enumerate(returns.items()):
            color, place = COLORS[rank % len(COLORS)], (rank + 1) / (len(returns) + 1)
            # Equal returns stay visible as nested lines.
            width = 2 + min(1.6, 5 / len(returns)) * (len(returns) - 1 - rank)
            axes.stairs(values, edges, color=color, lw=width, label=name, baseline=None, zorder=2 + rank)
            for piece, value in enumerate(values):
                plate = {"pad": 0.4, "lw": 0, "color": "white", "alpha": 0.8}
                where: dict[str, Any] = {
                    "xytext": (0, 2 + width / 2),
                    "textcoords": "offset points",
                    "ha": "center",
                    "va": "bottom",
                }
                axes.annotate(
                    f"{value:g}", (piece + place, value), fontsize="small", color=color, zorder=99, bbox=plate, **where
                )
        sizes = [abs(value) for values in returns.values() for value in values if value]
        scale = ""
        if sizes and max(sizes) > SPREAD * min(sizes):
            axes.set_yscale("symlog", linthresh=max(1.0, min(sizes)))
            scale = ", logarithmic scale"
        axes.margins(y=0.15)
        axes.set_xticks(edges[1:-1], [str(threshold) for threshold in thresholds])
        axes.set_xlim(0, pieces)
        for edge in edges[1:-1]:
            axes.axvline(edge, color="grey", lw=0.7, ls=":", zorder=0)
        axes.set_xlabel("caring coefficient: where behavior changes (not to scale)")
        axes.set_ylabel(f"return{scale}")
        axes.legend(ncols=4, **BELOW)
        return figure


def frontier(
    task: Task,
    criterion: str | Criterion | type[Criterion] = "value",
    *,
    vary: tuple[str, ...] | None = None,
    caring: Caring = 1,
    futures: Any = None,
) -> Frontier:
    """Find the optimal behavior for every value of a coefficient (γ = 1).

    Args:
        task: the acting agent's task.
        criterion: as for `considerate.solve`.
        vary: the agents whose coefficient varies; by default all others' coefficients are ``caring`` times it.
        caring: the coefficients of the agents that do not vary; if all vary, the factors of their coefficients.
        futures: as for `considerate.solve`.
    """
    acting = check_task(task).acting.name
    if vary is not None and (not isinstance(vary, tuple) or not vary or acting in vary):
        raise refusal("vary", vary, f"a tuple of names of others than {acting!r}, who acts")
    varied = dict.fromkeys(vary or (), 1)
    reward = augmented(
        task, criterion, {**caring, **varied} if isinstance(caring, Mapping) else caring, futures=futures
    )
    number(f"caring[{acting!r}]", reward.own_coefficient, above=0)
    fixed = dict(reward.others.caring)
    unit = {agent: alpha for agent, alpha in fixed.items() if agent != acting} if vary is None else varied

    def problem(coefficient: Number) -> Problem:
        alphas = fixed | {agent: alpha * coefficient for agent, alpha in unit.items()}
        items = dict(reward.others.futures)
        return Problem(task, augment(reward.criterion, acting=acting, caring=alphas, futures=items))

    at_one = problem(1)
    lines = _envelope_of_ends(at_one, problem) if at_one.pays_at_the_end else _envelope_by_solving(at_one, problem)
    lower = [Fraction(0), *(Fraction(line.crossing(steeper)) for line, steeper in pairwise(lines))]
    behaviors = [line.plan for line in lines]
    pieces = tuple(map(Piece, behaviors, lower, [*lower[1:], None]))
    _check_ending(lines, lower, at_one)
    return Frontier(pieces)


def _envelope_of_ends(at_one: Problem, problem: Callable[[Number], Problem]) -> tuple[Line[Behavior], ...]:
    """Find the envelope of the lines of all paths to an end state."""
    rewards = {coefficient: problem(coefficient).reward for coefficient in (0, 1, 2, FAR)}
    lines = []
    for best in at_one.behaviors():
        terms = (at_one.term_of(reward, best.end_state) for reward in rewards.values())
        at_0, slope = map(as_written, _linear(terms))
        base = at_one.reward.own_coefficient * best.own_return + at_0
        lines.append(Line(base, slope, Behavior(best.returns, slope, best.end_state)))

    def best_at(coefficient: Number) -> Line[Behavior]:
        return max(lines, key=lambda line: (line.at(coefficient), -line.slope))

    return upper_envelope(best_at, best_at(0), max(lines, key=lambda line: (line.slope, line.base)))


def _linear(terms: Iterable[Number]) -> tuple[Number, Number]:
    """Value at 0 and slope of a term, from its values at 0, 1, 2 and `FAR`; raise SettingError if it is not linear."""
    values = iter(terms)
    at_0, at_1 = next(values), next(values)
    slope = at_1 - at_0
    for coefficient, value in zip((2, FAR), values, strict=True):
        expected = at_0 + coefficient * slope
        exact = isinstance(value, Rational) and isinstance(expected, Rational)
        if value != expected if exact else not isclose(value, expected):
            raise SettingError(NOT_LINEAR)
    return at_0, slope


def _envelope_by_solving(at_one: Problem, problem: Callable[[Number], Problem]) -> tuple[Line[Behavior], ...]:
    """Find the envelope of the lines of paths whose steps are worth ``base + α·slope``."""
    graph = at_one.graph
    at_0, at_1 = (step_terms(graph, problem(coefficient).reward) for coefficient in (0, 1))
    slope = at_1 + at_0.times(-1)
    if not isinstance(at_one.reward.criterion, Simultaneous):
        for coefficient in (2, FAR):
            terms = step_terms(graph, problem(coefficient).reward)
            expected = at_0 + slope.times(coefficient)
            if not np.allclose(terms.floats, expected.floats, rtol=1e-9, atol=0):
                raise SettingError(NOT_LINEAR)
    base = graph.exact_costs.times(-at_one.reward.own_coefficient) + at_0

    def line(states: list[int], actions: list[int]) -> Line[Behavior]:
        steps = list(zip(states[:-1], actions, strict=True))
        at_zero, rise = (sum(array.exact(*step) for step in steps) for array in (base, slope))
        behavior = at_one.behavior_of(states, actions)
        return Line(at_zero, rise, Behavior(behavior.returns, rise, behavior.end_state))

    def best_at(coefficient: Number) -> Line[Behavior]:
        solved = problem(coefficient)
        return line(*solved.path(solved.best()[0]))

    return upper_envelope(best_at, best_at(0), line(*_path_in_the_limit(at_one, base, slope)))


def _path_in_the_limit(problem: Problem, base: Rationals, slope: Rationals) -> tuple[list[int], list[int]]:
    """Return the path that is optimal above every threshold: of the paths of greatest slope, one of greatest base.

    Args:
        problem: at any coefficient.
        base: [S, A], the augmented reward of each step at coefficient 0.
        slope: [S, A], what one unit of the coefficient adds.

    Raises:
        NeverEndingError: never ending is optimal there.
    """
    first = problem.graph.network(slope.times(-1))
    primary = first.distances_from(problem.start)
    second = problem.graph.network(base.times(-1), first.steps_from(primary))
    secondary = second.distances_from(problem.start)

    def order(state: int) -> tuple[float, float]:
        return primary[state], secondary[state]

    end = min(problem.task.end_states, key=order)
    on_cycles = np.flatnonzero(second.on_cycles(second.steps_from(secondary)).any(axis=1))
    if any(order(int(state)) < order(end) for state in on_cycles):
        raise NeverEndingError(
            "for large coefficients never ending is optimal, in a cycle of cost 0; let every step cost"
        )
    return second.paths_to(np.array([end])).follow(problem.start)


def _check_ending(lines: Sequence[Line[Behavior]], lower: Sequence[Fraction], problem: Problem) -> None:
    """Raise NeverEndingError if for some coefficient a cycle of cost 0 is worth more than the best end.

    If others count at the end, such a cycle is worth the same for every coefficient. The worth of the best end is
    convex, so it is least where a piece begins, or has no lower bound.
    """
    never = problem.worth_of_never_ending if problem.pays_at_the_end else None
    if never is None:
        return
    for line, coefficient in zip(lines, lower, strict=True):
        if line.at(coefficient) < never or (line is lines[-1] and line.slope < 0):
            raise NeverEndingError(
                f"never ending is optimal for some coefficients from {coefficient} on: it is worth {never}; vary "
                "coefficients in a task in which every step costs"
            )
