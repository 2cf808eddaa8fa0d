"""Surviving as a copy: what accepting is worth to every value of the engine, to all copies for any α, and to the worst.

Two of Parfit's cases (1984, part three) as kernels. Staying pays ``r_s`` a step. All numbers have closed forms, derived
from the definitions in `multislot.exact`; ``G = G_T`` and ``G_n = Σ_{k<n} γ^k``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multislot.exact import ActedSequence, DecisionMap, Kernel, action_values, decision_map, plan_for_copies
from multislot.exact.futures import VALUES
from scenarios.anthropics.pictures import decision_map as map_panel
from scenarios.anthropics.pictures import prices_by_value, three_panels
from scenarios.lab.cells import Figures, Results
from scenarios.lab.experiment import Experiment, exact_rows, geometric, steps
from scenarios.lab.table import Row, Value, caught_row, formula_row

HALF = Fraction(1, 2)
COEFFICIENTS = (Fraction(0), HALF, Fraction(1))
WORST = "worst life"


@dataclass(frozen=True)
class Survival:
    """An offer to go on as a copy, the second action of its kernel, or to stay, the first."""

    kernel: Kernel
    discount: Fraction
    horizon: int

    def by_value(self, name: str) -> Fraction:
        """What accepting is worth to a value of the engine; the acted sequence is to have accepted."""
        accept = self.kernel.actions[1]
        value = ActedSequence((accept,)) if name == "acted-sequence" else VALUES[name]()
        return Fraction(action_values(self.kernel, value, discount=self.discount, horizon=self.horizon)[accept])

    def for_copies(self, **counted: Any) -> Fraction:
        """What accepting is worth to all copies; `caring` or `criterion` says what is counted."""
        plan = plan_for_copies(self.kernel, discount=self.discount, horizon=self.horizon, **counted)
        return Fraction(plan.action_values[self.kernel.actions[1]])

    def worths(self) -> dict[str, Fraction]:
        return {
            **{name: self.by_value(name) for name in VALUES},
            **{f"α={caring}": self.for_copies(caring=caring) for caring in COEFFICIENTS},
            WORST: self.for_copies(criterion="worst"),
        }


Offers = Callable[..., Survival]
"""From settings, some of which may be changed, to the offer."""
ClosedForms = Mapping[str, tuple[Fraction, Fraction]]
"""For each value, what accepting is worth at a reward of 0, and what is added to it by a reward of 1."""


def mapped(offer: Offers, settings: Any, setting: str, highest: Fraction, least_rows: int = 0) -> DecisionMap:
    """Map whether the offer is accepted from the beginning, over α and one of its settings.

    A map with few rows gets at least about `least_rows` of them, for a border that is steep between two rows.
    """
    gaps = settings.resolution - 1
    return decision_map(
        lambda price: offer(settings, **{setting: price}).kernel,
        x=("caring", steps(Fraction(1), settings.resolution)),
        y=("price", steps(highest, 1 + gaps * max(1, least_rows // gaps))),
        values=["caring"],
        discount=settings.discount,
        horizon=settings.T,
    )


def worths_by_formula(closed: ClosedForms, reward: Fraction) -> dict[str, Fraction]:
    return {name: fixed + reward * slope for name, (fixed, slope) in closed.items()}


def differences(offers: Iterable[tuple[Survival, Mapping[str, Fraction]]]) -> Iterator[Fraction]:
    """Yield all worths by the engine minus the closed forms; values without a closed form are left out."""
    for survival, formulas in offers:
        yield from (worth - formulas[name] for name, worth in survival.worths().items() if name in formulas)


def rows(offer: Offers, settings: Any, closed: ClosedForms, reward: str, common: str) -> Iterator[Row]:
    """Yield what accepting is worth, what is decided, and the reward, one of the settings, from which on it pays."""
    staying = settings.r_s * geometric(settings.discount, settings.T)
    formulas = worths_by_formula(closed, getattr(settings, reward))
    yield from worth_rows(offer(settings), formulas, staying, f"{common}, {reward}={getattr(settings, reward)}")
    nothing, something = (offer(settings, **{reward: Fraction(paid)}).worths() for paid in (0, 1))
    for name, fixed in nothing.items():
        price, formula = _price(staying - fixed, something[name] - fixed), None
        if name in closed:
            fixed_by_formula, slope = closed[name]
            formula = _price(staying - fixed_by_formula, slope)
        yield _row(PRICE, name, common, price, formula)


PRICE = "reward above which it is accepted"


def _price(missing: Fraction, slope: Fraction) -> Fraction | str:
    return missing / slope if slope > 0 else "never"


def worth_rows(
    survival: Survival, formulas: Mapping[str, Fraction], staying: Fraction, condition: str
) -> Iterator[Row]:
    """Yield what accepting is worth to each value and each α, and what is decided."""
    for name, worth in survival.worths().items():
        formula = formulas.get(name)
        yield _row("worth of accepting", name, condition, worth, formula)
        decision, expected = (
            None if value is None else "accepts" if value > staying else "stays" for value in (worth, formula)
        )
        yield _row("decision", name, condition, decision, expected)


def _row(quantity: str, name: str, common: str, ours: Value, formula: Value) -> Row:
    return formula_row(quantity, name, common, ours, formula, "" if formula is None else "closed form")


def control_row(
    quantity: str, survival: Survival, wrong: Fraction, right: Fraction, condition: str, source: str
) -> list[Row]:
    """The row of a wrong formula for α = 0; no row where it is right by chance."""
    row = caught_row(quantity, condition, survival.for_copies(caring=Fraction(0)) != wrong, source)
    return [row] if wrong != right else []


def found_prices(results: Results) -> list[tuple[str, Fraction | None]]:
    rows = [row for row in exact_rows(results) if row.quantity == PRICE]
    return [(row.case, None if row.ours == "never" else Fraction(str(row.ours))) for row in rows]


def figures(
    name: str, words: str, experiment: Experiment, settings: Any, results: Results, axis: str, label: str
) -> Figures:
    """One figure of three panels; the map has a name for its axis and a title, the prices have a label."""
    return three_panels(
        name,
        words,
        experiment,
        settings,
        results,
        ("accepted from the beginning", map_panel(experiment, settings, results, axis)),
        ("the price of each value", prices_by_value(found_prices(results), label, float(settings.r_s))),
    )
