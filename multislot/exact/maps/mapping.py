"""Decision maps: what each value decides, over two settings of a world.

The axes of a map are parameters of a file or of a factory of kernels, or the discount, the horizon or the caring
coefficient. Where a parameter only moves rewards, its axis is swept if agents remember: planning with a reward that
moves (see `multislot.exact.files.affine`) gives the exact points at which a decision turns, and a whole line of the map
at once.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, islice, pairwise
from math import ceil, floor
from pathlib import Path
from typing import Any, TypeAlias, cast

from multislot.checks import number, refusal, whole
from multislot.errors import SettingError, TooLargeError, UnknownNameError
from multislot.exact.belief import MOST_WEIGHTS, History, ImpossibleHistoryError, Situations
from multislot.exact.copies.caring import Question
from multislot.exact.copies.later import LaterChoice
from multislot.exact.files.affine import Affine, NotLinearError, Sweep
from multislot.exact.files.arithmetic import read_number
from multislot.exact.files.forgetful import COIN, FORGETFUL, Forgetful
from multislot.exact.files.forms import Parameter
from multislot.exact.files.worlds import FileKernel, find_kernel
from multislot.exact.futures import named
from multislot.exact.kernel import Kernel, checked_history, checked_kernel
from multislot.exact.maps.map_drawing import Piece
from multislot.exact.maps.map_results import Axis, DecisionMap, Grids
from multislot.exact.planning import Plan
from multislot.exact.values import Value, refusing_overflow

Factory: TypeAlias = Callable[..., Kernel]
AxisGiven: TypeAlias = str | tuple[str, Iterable[Any]]
Point: TypeAlias = Mapping[str, Any]

DISCOUNT, HORIZON, CARING = "discount", "horizon", "caring"
SETTINGS = (DISCOUNT, HORIZON, CARING)
"""Axes that every world has."""
NEVER = "never asked"
"""The decision of a point at which no agent comes to the question."""
MOST_POINTS = 10_000
MOST_TURNS = 1_000
POINTS = 21
HALVINGS = 4
"""How often the distance of two points with different decisions is halved, for a picture."""
NEAR = 32
"""The share of a cell, as 1/NEAR, at which a line next to an end is, for a picture."""
DEFAULT_DISCOUNT, DEFAULT_HORIZON = Fraction(9, 10), 5


def list_values(span: Parameter) -> tuple[Fraction, ...]:
    """Return the values of an axis: all whole numbers, or evenly spaced ones.

    A parameter without limits goes from 0 to twice its default, or to 4.
    """
    twice = 2 * exactly(span.default, "default")
    least = min(Fraction(0), twice) if span.least is None else exactly(span.least, "least")
    most = max(least, twice if twice > 0 else Fraction(4)) if span.most is None else exactly(span.most, "most")
    if span.whole:
        return tuple(Fraction(k) for k in range(ceil(least), floor(most) + 1))
    return between(least, most)


SPANS: Mapping[str, Parameter] = {
    DISCOUNT: Parameter(0, 0, 1),
    HORIZON: Parameter(1, 1, 10, whole=True),
    CARING: Parameter(0, 0, 1),
}


@refusing_overflow()
def decision_map(
    world: str | Path | FileKernel | Factory,
    *,
    x: AxisGiven,
    y: AxisGiven,
    values: str | Value | Sequence[str | Value] = ("cpy", "sta", "dyn"),
    discount: Any = None,
    horizon: int | None = None,
    caring: Any = 1,
    slot: int = 1,
    history: History | None = None,
    most: int = MOST_WEIGHTS,
) -> DecisionMap:
    """Map the decisions of values over two settings of a world.

    Args:
        world: the file of a world, the name of one that comes with the package, a kernel from a file, or a function
            that returns a kernel for the parameters that are its arguments.
        x: the horizontal axis, ``(name, numbers)``: a parameter, "discount", "horizon" or "caring". For these three,
            and for a parameter with a range or a default, the name alone is enough.
        y: the vertical axis.
        values: one or more names or values, see `action_values`; "caring" is the plan that is best for all copies, see
            `plan_for_copies`, and "caring=1/2" has its own α. In a world without memory there is one plan, which is
            mapped instead.
        discount: γ if it is not an axis; the file's by default, otherwise 9/10.
        horizon: the number of steps if it is not an axis; the file's by default, otherwise 5.
        caring: α if it is not an axis.
        slot: the slot of "sta".
        history: (action, observation) pairs after which the decision is made; the file's by default. The caring plan is
            still chosen from the beginning; the map shows its action after them.
        most: limit of the computation of one plan, as in `action_values`.

    Raises:
        TooLargeError: the map has more than `MOST_POINTS` points, or a plan would need more than `most`.
    """
    family = _Family.of(world)
    fixed = {
        DISCOUNT: exactly(family.discount if discount is None else discount, DISCOUNT),
        HORIZON: family.horizon if horizon is None else horizon,
        CARING: exactly(caring, CARING),
    }
    axes = family.axis(x), family.axis(y)
    if axes[0].name == axes[1].name:
        raise refusal("y", axes[1].name, "another setting than that of x")
    points = len(axes[0].values) * len(axes[1].values)
    if points > MOST_POINTS:
        raise TooLargeError(f"got a map of {points} points; expected at most {MOST_POINTS}: give fewer numbers")
    several = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    if family.forgets:
        several = [FORGETFUL]
    asked = {value if isinstance(value, str) else type(value).__name__: value for value in several}
    if len(asked) < len(several):
        raise refusal("values", several, "values with different names", "an object has the name of its class")
    if CARING in (axes[0].name, axes[1].name) and (unmoved := [name for name in asked if name != CARING]):
        raise SettingError(
            f"got the axis {CARING!r} for {', '.join(unmoved)}, which it cannot change; "
            f"give values=[{CARING!r}], or another axis"
        )
    decided = checked_history(family.after if history is None else history)
    return _Mapper(family, *axes, asked, fixed, slot, decided, most).map()


COARSE = 5
"""Points along each axis of the small maps by which `choose_axes` chooses."""
ENOUGH_PAIRS = 3
"""The number of pairs of axes that are tried, if a decision changes on one of them."""
MOST_PAIRS = 300
"""The number of pairs that are tried at most."""


def choose_axes(
    world: str | Path | FileKernel | Factory, *, values: Sequence[str | Value], **settings: Any
) -> tuple[str, str]:
    """Return two settings over which most of the values change their decision, so that a map is not flat.

    A parameter that is a probability is tried first, then other numbers, the discount, whole numbers and the horizon.
    """
    family = _Family.of(world)
    whole_numbers = {name for name, span in family.spans.items() if span.whole}
    chances = () if family.kernel is None else family.kernel.form.probabilities
    names = [name for name in reversed(list(family.spans)) if name not in whole_numbers]
    names.sort(key=lambda name: name not in chances)
    names += [DISCOUNT, *sorted(whole_numbers), HORIZON]
    names += [CARING] if all(value == CARING for value in values) else []
    names = [name for name in names if len(family.axis(name).values) > 1]
    chosen, most_changed = (names[0], names[1]), 0
    for tried, (x, y) in enumerate(islice(combinations(names, 2), MOST_PAIRS), 1):
        axes = []
        for name in (x, y):  # a few of the numbers, both ends included
            numbers = family.axis(name).values
            few = dict.fromkeys(numbers[(len(numbers) - 1) * k // (COARSE - 1)] for k in range(COARSE))
            axes.append((name, tuple(few)))
        small = decision_map(world, x=axes[0], y=axes[1], values=values, **settings)
        changed = sum(
            len({action for column in columns for action in column} - {NEVER}) > 1 for columns in small.best.values()
        )
        if changed > most_changed:
            chosen, most_changed = (x, y), changed
        if changed == len(values) or (most_changed and tried >= ENOUGH_PAIRS):
            break
    return chosen


def exactly(value: Any, name: str) -> Fraction:
    """Return a number as a fraction; a float as the decimal number that is written, so that 0.1 is a tenth."""
    checked = number(name, value)
    return Fraction(checked) if isinstance(checked, int | Fraction) else Fraction(repr(float(checked)))


@dataclass(frozen=True)
class _Family:
    """Kernels by their parameters, and what a file says about them."""

    make: Factory
    spans: Mapping[str, Parameter]
    discount: Any = DEFAULT_DISCOUNT
    horizon: int = DEFAULT_HORIZON
    after: History = ()
    forgets: bool = False
    names: tuple[str, ...] | None = None
    """All parameters; None for a function that takes any."""
    kernel: FileKernel | None = None

    @classmethod
    def of(cls, world: str | Path | FileKernel | Factory) -> "_Family":
        if isinstance(world, str | Path):
            world = find_kernel(world)
        if isinstance(world, FileKernel):
            form = world.form
            names = tuple(form.parameters)
            return cls(
                world.at, form.parameters, form.discount, form.horizon, world.after, not form.memory, names, world
            )
        if not callable(world):
            raise refusal("world", world, "a file, the name of a world, or a function that returns a kernel")
        parameters = inspect.signature(world).parameters
        spans = {
            name: Parameter(parameter.default)
            for name, parameter in parameters.items()
            if isinstance(parameter.default, int | float | Fraction)
        }
        takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
        return cls(world, spans, names=None if takes_any else tuple(parameters))

    def axis(self, asked: AxisGiven) -> Axis:
        """An axis as it was given, or over the range that is known for its name."""
        setting = asked[0] if isinstance(asked, tuple | list) and asked else asked
        if isinstance(setting, str) and self.names is not None and setting not in (*self.names, *SETTINGS):
            raise UnknownNameError("setting", setting, (*self.names, *SETTINGS))
        if isinstance(asked, str):
            span = self.span(asked)
            if span is None:
                raise refusal("axis", asked, "a setting with a range or a default", f"give ({asked!r}, numbers)")
            return Axis(asked, list_values(span), span.whole)
        if not isinstance(asked, tuple | list) or len(asked) != 2 or not isinstance(asked[0], str):
            raise refusal("axis", asked, "the name of a setting, or a pair of a name and numbers")
        name, numbers = asked
        listed = [exactly(value, name) for value in islice(numbers, MOST_POINTS + 1)]
        if len(listed) > MOST_POINTS:
            raise TooLargeError(f"got more than {MOST_POINTS} numbers for {name}; expected fewer")
        if name == HORIZON:
            for value in listed:
                whole(HORIZON, value.numerator if value.denominator == 1 else value)
        if len(listed) < 2 or any(low >= high for low, high in pairwise(listed)):
            raise SettingError(f"got {len(listed)} numbers for {name}; expected two or more, ascending")
        return Axis(name, tuple(listed), (self.span(name) or Parameter(0)).whole)

    def span(self, name: str) -> Parameter | None:
        """The range of a setting; None if nothing is known of it."""
        return SPANS.get(name) or self.spans.get(name)


def between(low: Any, high: Any, points: int = POINTS) -> tuple[Fraction, ...]:
    """Return evenly spaced fractions from `low` to `high`, both included."""
    first, last = exactly(low, "low"), exactly(high, "high")
    return tuple(first + (last - first) * k / (points - 1) for k in range(points))


@dataclass(frozen=True)
class _Mapper:
    family: _Family
    x: Axis
    y: Axis
    values: Mapping[str, str | Value]
    fixed: Point
    slot: int
    history: tuple[tuple[Hashable, Hashable], ...]
    most: int
    _kernels: dict[tuple[Any, ...], Kernel] = field(default_factory=dict)
    _plans: dict[tuple[Any, ...], Plan] = field(default_factory=dict)

    def map(self) -> DecisionMap:
        """The map, swept along an axis if possible."""
        for end in (0, -1):  # a parameter out of its range is out of it at one of these two corners
            self._kernel(self._point(self.x.values[end], self.y.values[end]))
        for swept, along, other in (("y", self.y, self.x), ("x", self.x, self.y)):
            if along.name == DISCOUNT or along.whole or self.family.forgets:
                continue
            across = [{**self.fixed, other.name: place} for place in other.values]
            best, lines = {}, {}
            try:
                for value in self.values:
                    columns, lines[value] = zip(*(self._line(value, along, point) for point in across), strict=True)
                    best[value] = columns if swept == "y" else tuple(zip(*columns, strict=True))
            except NotLinearError:
                continue
            found = DecisionMap(self.x, self.y, self._decisions(best), best, swept, lines)
            return found if other.whole else replace(found, refine=partial(self._add_lines, found))
        grids = {
            value: tuple(tuple(self._decide(value, self._point(x, y)) for y in self.y.values) for x in self.x.values)
            for value in self.values
        }
        found = DecisionMap(self.x, self.y, self._decisions(grids), grids)
        return found if self.x.whole or self.y.whole else replace(found, refine=partial(self._add_turns, found))

    def _decisions(self, best: Grids) -> tuple[Hashable, ...]:
        """All possible decisions; ImpossibleHistoryError if no agent comes to the question at any point."""
        decided = {action for columns in best.values() for column in columns for action in column}
        corner = self._point(self.x.values[0], self.y.values[0])
        if decided == {NEVER}:
            self._decision(next(iter(best)), corner)
        actions = checked_kernel(self._kernel(corner)).actions
        return (*actions, *([COIN] if self.family.forgets else []), *([NEVER] if NEVER in decided else []))

    def _add_lines(self, found: DecisionMap) -> DecisionMap:
        """A swept map with two more lines, next to the first and to the last one.

        At an end something may be certain, or all the same. What is decided only there is not drawn.
        """
        along, other = (self.y, self.x) if found.swept == "y" else (self.x, self.y)
        ends = other.values[:2], other.values[:-3:-1]
        first, last = (end + (inner - end) / NEAR for end, inner in ends)
        lines = {}
        for value, known in found.lines.items():
            low, high = (self._line(value, along, {**self.fixed, other.name: place})[1] for place in (first, last))
            start, stop = (
                end if {action for _, action in end} <= {action for _, action in near} else near
                for end, near in ((known[0], low), (known[-1], high))
            )
            lines[value] = (start, low, *known[1:-1], high, stop)
        finer = replace(other, values=(other.values[0], first, *other.values[1:-1], last, other.values[-1]))
        axes = (finer, self.y) if found.swept == "y" else (self.x, finer)
        return DecisionMap(*axes, found.actions, found.best, found.swept, lines)

    def _add_turns(self, found: DecisionMap) -> DecisionMap:
        """A map with where decisions turn along y, for each x: between two points, halved `HALVINGS` times.

        A third decision between the two points counts as that of the upper point.
        """
        lines = {}
        for value, columns in found.best.items():
            turned = []
            for x, column in zip(self.x.values, columns, strict=True):
                pieces = [(self.y.values[0], column[0])]
                for (low, below), (high, above) in pairwise(zip(self.y.values, column, strict=True)):
                    for _ in range(HALVINGS if above != below else 0):
                        middle = (low + high) / 2
                        is_below = self._decide(value, self._point(x, middle)) == below
                        low, high = (middle, high) if is_below else (low, middle)
                    pieces += [((low + high) / 2, above)] if above != below else []
                turned.append(tuple(pieces))
            lines[value] = tuple(turned)
        return replace(found, swept="y", lines=lines, refine=None)

    def _point(self, x: Any, y: Any) -> Point:
        return {**self.fixed, self.x.name: x, self.y.name: y}

    def _line(self, value: str, along: Axis, point: Point) -> tuple[tuple[Hashable, ...], tuple[Piece, ...]]:
        """The best action at each point of a line, and where each action begins to be the best one.

        Wherever a comparison turns, the action is computed: ties go to the first action in order.
        """
        here, best, pieces = along.values[0], list[Hashable](), list[Piece]()
        while len(pieces) <= MOST_TURNS:
            sweep = Sweep(here)
            above = self._decide(value, {**point, along.name: sweep.parameter()})
            if not pieces or above != pieces[-1][1]:
                pieces.append((here, above))
            end = along.values[-1] + 1 if sweep.turns is None else sweep.turns
            for at in along.values:
                if here <= at < end:
                    best.append(above if at > here else self._decide(value, {**point, along.name: at}))
            if end > along.values[-1]:
                return tuple(best), tuple(pieces)
            here = end
        raise NotLinearError(f"more than {MOST_TURNS} turns on one line")

    def _decide(self, value: str, point: Point) -> Hashable:
        try:
            return self._decision(value, point)
        except ImpossibleHistoryError:
            return NEVER

    def _decision(self, value: str, point: Point) -> Hashable:
        kernel, asked = self._kernel(point), self.values[value]
        horizon = int(point[HORIZON])
        if asked == FORGETFUL:
            seen = str(self.history[-1][1]) if self.history else None
            return Forgetful(cast("FileKernel", kernel), point[DISCOUNT], len(self.history) + horizon, seen).decision
        if isinstance(asked, str) and asked.partition("=")[0] == CARING:
            if self.history:
                Situations(kernel).belief(self.history)
                kernel = LaterChoice(kernel, self.history)
            question = Question(kernel, point[DISCOUNT], len(self.history) + horizon)
            coefficient = point[CARING] if asked == CARING else read_number(asked.removeprefix("caring="), CARING)
            return question.plan(question.coefficient(coefficient)).action_values.best
        last_step, discount = len(self.history) + horizon, point[DISCOUNT]
        if any(isinstance(moved, Affine) for moved in point.values()):
            return Plan(kernel, named(asked, self.slot), discount, last_step, self.most).values(self.history).best
        return self._plan(value, point, discount, kernel).over(discount, last_step).values(self.history).best

    def _plan(self, value: str, point: Point, discount: Any, kernel: Kernel) -> Plan:
        """The plan with the longest horizon of the map, so that others share what it knows."""
        key = (value, *self._parameters(point).items())
        longest = int(max((self.fixed[HORIZON], *(v for a in (self.x, self.y) if a.name == HORIZON for v in a.values))))
        if key not in self._plans:
            last_step = len(self.history) + longest
            self._plans[key] = Plan(kernel, named(self.values[value], self.slot), discount, last_step, self.most)
        if (*key, discount) not in self._plans:
            self._plans[*key, discount] = self._plans[key].over(discount, len(self.history) + longest)
        return self._plans[*key, discount]

    def _kernel(self, point: Point) -> Kernel:
        parameters = self._parameters(point)
        if any(isinstance(moved, Affine) for moved in parameters.values()):
            return self.family.make(**parameters)
        key = tuple(parameters.items())
        if key not in self._kernels:
            self._kernels[key] = self.family.make(**parameters)
        return self._kernels[key]

    def _parameters(self, point: Point) -> dict[str, Any]:
        parameters = {name: value for name, value in point.items() if name not in SETTINGS}
        return {
            name: int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
            for name, value in parameters.items()
        }
