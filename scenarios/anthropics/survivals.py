"""Surviving as a copy: what accepting is worth to every value of the engine, to all copies for any α, and to the worst.

Two of Parfit's cases (1984, part three) as kernels. Staying pays ``r_s`` a step. All numbers have closed forms, derived
from the definitions in `multislot.exact`; ``G = G_T`` and ``G_n = Σ_{k<n} γ^k``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from multislot.exact import ActedSequence, DecisionMap, Kernel, action_values, decision_map, plan_for_copies
from multislot.exact.futures import VALUES
from multislot.exact.maps.mapping import between
from scenarios.anthropics.pictures import draw_decisions, draw_prices, draw_puzzle
from scenarios.lab.cells import Figures, Results
from scenarios.lab.experiment import Experiment, LearningCase, describe, exact_rows, geometric, vary, with_indices
from scenarios.lab.table import Row, Value, caught_row, formula_row

HALF = Fraction(1, 2)
COEFFICIENTS = (Fraction(0), HALF, Fraction(1))
WORST = "worst life"
PRICE = "reward above which it is accepted"
ClosedForms = Mapping[str, tuple[Fraction, Fraction]]
"""For each value, what accepting is worth at a reward of 0, and what is added to it by a reward of 1."""


def worth_to_all(kernel: Kernel, settings: Any, **counted: Any) -> Fraction:
    """What accepting, the second action, is worth to all copies; `caring` or `criterion` says what is counted."""
    plan = plan_for_copies(kernel, discount=settings.discount, horizon=settings.T, **counted)
    return Fraction(plan.action_values[kernel.actions[1]])


@dataclass(frozen=True)
class SurvivalPuzzle(Experiment):
    """An offer to go on as a copy, the second action of its kernel, or to stay, the first.

    Attributes:
        closed_forms: the closed forms at some settings, with an entry ``α=…`` for each of some α.
        reward: the setting that is paid to survivors.
        price: the setting on the vertical axis of the decision map, which goes from 0 to `highest`.
        common: the other settings that move a worth, without the discount.
        grid: values of the settings over which the closed forms are checked.
        axis: the name of the price on the map.
        reward_axis: the name of the reward above which a value accepts.
        control: a wrong statement about α = 0, the value whose closed form it takes, and why it is wrong.
        least_rows: a map with few rows gets at least about so many, for a border that is steep between two rows.
    """

    name: str
    kernel: Callable[[Any], Kernel]
    closed_forms: Callable[[Any, Sequence[Fraction]], ClosedForms]
    reward: str
    price: str
    highest: Fraction
    common: Sequence[str]
    grid: Mapping[str, Sequence[Any]]
    control: tuple[str, str, str]
    learning_cases: Callable[[Any], Sequence[LearningCase]]
    more_rows: Callable[[Any], Iterator[Row]]
    axis: str
    reward_axis: str
    least_rows: int = 0

    def worths(self, settings: Any) -> dict[str, Fraction]:
        """What accepting is worth to each value of the engine and each α; the acted sequence is to have accepted."""
        kernel, time = self.kernel(settings), {"discount": settings.discount, "horizon": settings.T}
        accept = kernel.actions[1]
        values = {name: ActedSequence((accept,)) if name == "acted-sequence" else VALUES[name]() for name in VALUES}
        return {
            **{name: Fraction(action_values(kernel, value, **time)[accept]) for name, value in values.items()},
            **{f"α={caring}": worth_to_all(kernel, settings, caring=caring) for caring in COEFFICIENTS},
            WORST: worth_to_all(kernel, settings, criterion="worst"),
        }

    def worths_by_formula(self, settings: Any) -> dict[str, Fraction]:
        reward = getattr(settings, self.reward)
        closed = self.closed_forms(settings, COEFFICIENTS)
        return {name: fixed + reward * slope for name, (fixed, slope) in closed.items()}

    def accept_by_formula(self, settings: Any, x: Fraction, y: Fraction) -> list[bool]:
        """Whether the offer is accepted from the beginning at α = x and a price of y, in closed form."""
        settings = replace(settings, **{self.price: y})
        fixed, slope = self.closed_forms(settings, [x])[f"α={x}"]
        return [bool(fixed + getattr(settings, self.reward) * slope > worth_of_staying(settings))]

    def decisions(self, settings: Any) -> DecisionMap:
        """Map whether the offer is accepted from the beginning, over α and the price."""
        gaps = settings.resolution - 1
        return decision_map(
            lambda price: self.kernel(replace(settings, **{self.price: price})),
            x=("caring", between(0, 1, settings.resolution)),
            y=("price", between(0, self.highest, 1 + gaps * max(1, self.least_rows // gaps))),
            values=["caring"],
            discount=settings.discount,
            horizon=settings.T,
        )

    def differences(self, settings: Any) -> Iterator[Fraction]:
        """Yield all worths by the engine minus the closed forms; values without a closed form are left out."""
        for asked in vary(settings, self.grid):
            formulas = self.worths_by_formula(asked)
            yield from (worth - formulas[name] for name, worth in self.worths(asked).items() if name in formulas)

    def rows(self, settings: Any) -> Iterator[Row]:
        """Yield what accepting is worth, what is decided, and the reward from which on it pays; then the control."""
        common = describe(settings, ("discount", *self.common))
        condition = f"{common}, {self.reward}={getattr(settings, self.reward)}"
        staying, formulas = worth_of_staying(settings), self.worths_by_formula(settings)
        for name, worth in self.worths(settings).items():
            formula = formulas.get(name)
            yield _row("worth of accepting", name, condition, worth, formula)
            decision, expected = (None if value is None else self.words[value > staying] for value in (worth, formula))
            yield _row("decision", name, condition, decision, expected)
        closed = self.closed_forms(settings, COEFFICIENTS)
        nothing, something = (self.worths(replace(settings, **{self.reward: Fraction(paid)})) for paid in (0, 1))
        for name, fixed in nothing.items():
            price, formula_price = _price(staying - fixed, something[name] - fixed), None
            if name in closed:
                fixed_by_formula, slope = closed[name]
                formula_price = _price(staying - fixed_by_formula, slope)
            yield _row(PRICE, name, common, price, formula_price)
        yield from self.more_rows(settings)
        quantity, wrong, source = self.control
        if formulas[wrong] != formulas["α=0"]:  # otherwise the wrong formula is right by chance
            worth = worth_to_all(self.kernel(settings), settings, caring=Fraction(0))
            yield caught_row(quantity, condition, worth != formulas[wrong], source)

    def figures(self, settings: Any, results: Results) -> Figures:
        """One figure of three panels: a map, what learners come to do, and the price of each value."""
        names = [name for name in ("discount", *self.common, self.reward) if name != self.price]
        words = with_indices(describe(settings, names))
        if self.price != self.reward:
            words += f"; (b, c) at {self.price}={getattr(settings, self.price)}"
        decisions = partial(draw_decisions, experiment=self, settings=settings, results=results, label=self.axis)
        prices = partial(draw_prices, rows=read_prices(results), label=self.reward_axis, staying=float(settings.r_s))
        first, third = ("accepted from the beginning", decisions), ("the price of each value", prices)
        return draw_puzzle(self.name, words, self, settings, results, first, third)


def worth_of_staying(settings: Any) -> Fraction:
    return Fraction(settings.r_s * geometric(settings.discount, settings.T))


def _price(missing: Fraction, slope: Fraction) -> Fraction | str:
    return missing / slope if slope > 0 else "never"


def _row(quantity: str, name: str, common: str, ours: Value, formula: Value) -> Row:
    return formula_row(quantity, name, common, ours, formula, "" if formula is None else "closed form")


def read_prices(results: Results) -> list[tuple[str, Fraction | None]]:
    """Read the price of each value from its row; None if it never accepts."""
    rows = [row for row in exact_rows(results) if row.quantity == PRICE]
    return [(row.case, None if row.ours == "never" else Fraction(str(row.ours))) for row in rows]
