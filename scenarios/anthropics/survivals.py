"""Surviving as a copy: what accepting is worth to every value of the engine, to all copies for any α, and to the worst.

Two of Parfit's cases (1984, part three) as kernels. Staying pays ``r_s`` a step. All numbers have closed forms, derived
from the definitions in `multislot.exact`; ``G = G_T`` and ``G_n = Σ_{k<n} γ^k``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multislot.exact import ActedSequence, DecisionMap, Kernel, action_values, decision_map, plan_for_copies
from multislot.exact.futures import VALUES
from scenarios.anthropics.experiment import Results, exact_rows
from scenarios.lab.table import Row

HALF = Fraction(1, 2)
COEFFICIENTS = (Fraction(0), HALF, Fraction(1))
WORST = "worst life"


@dataclass(frozen=True)
class Survival:
    """An offer to go on as a copy, or to stay.

    Attributes:
        kernel: the world; its first action is to stay, its second to accept.
        discount: γ.
        horizon: T.
    """

    kernel: Kernel
    discount: Fraction
    horizon: int

    @property
    def accept(self) -> Any:
        """The action that accepts."""
        return self.kernel.actions[1]

    def by_value(self, name: str) -> Fraction:
        """Return what accepting is worth to a value of the engine; the acted sequence is to have accepted."""
        value = ActedSequence((self.accept,)) if name == "acted-sequence" else VALUES[name]()
        found = action_values(self.kernel, value, discount=self.discount, horizon=self.horizon)
        return Fraction(found[self.accept])

    def for_copies(self, caring: Fraction) -> Fraction:
        """Return what accepting is worth to all copies from the beginning."""
        plan = plan_for_copies(self.kernel, caring=caring, discount=self.discount, horizon=self.horizon)
        return Fraction(plan.action_values[self.accept])

    def for_the_worst(self) -> Fraction:
        """Return what accepting is worth to the worst of all lives."""
        plan = plan_for_copies(self.kernel, criterion="worst", discount=self.discount, horizon=self.horizon)
        return Fraction(plan.action_values[self.accept])

    def worths(self) -> dict[str, Fraction]:
        """Return what accepting is worth to each of them, by name."""
        return {
            **{name: self.by_value(name) for name in VALUES},
            **{f"α={caring}": self.for_copies(caring) for caring in COEFFICIENTS},
            WORST: self.for_the_worst(),
        }


def mapped(at: Callable[[Fraction], Survival], alphas: Sequence[Fraction], prices: Sequence[Fraction]) -> DecisionMap:
    """Return whether the offer is accepted from the beginning, over α and a number of the offer.

    Args:
        at: the offer with a certain number.
        alphas: values of α.
        prices: the numbers.
    """
    offer = at(prices[0])
    return decision_map(
        lambda price: at(price).kernel,
        x=("caring", alphas),
        y=("price", prices),
        values=["caring"],
        discount=offer.discount,
        horizon=offer.horizon,
    )


def worth_rows(
    survival: Survival, formulas: Mapping[str, Fraction], staying: Fraction, condition: str
) -> Iterator[Row]:
    """Yield what accepting is worth to each value and each α, and what is decided."""
    for name, worth in survival.worths().items():
        formula = formulas.get(name)  # a value of one's own may have none
        source = "" if formula is None else "closed form"
        yield Row("worth of accepting", f"{name}, {condition}", worth, paper=formula, case=name, source=source)
        decision, expected = (
            None if value is None else "accepts" if value > staying else "stays" for value in (worth, formula)
        )
        yield Row("decision", f"{name}, {condition}", decision, paper=expected, case=name, source=source)


def price_rows(
    at: Callable[[Fraction], Survival], formulas: Mapping[str, Fraction | None], staying: Fraction, condition: str
) -> Iterator[Row]:
    """Yield the reward above which each value and each α accepts, "never" if none is enough; worths are linear in it.

    Args:
        at: the offer with a certain reward.
        formulas: the same in closed form; None for never.
        staying: what staying is worth.
        condition: of all rows.
    """
    nothing, something = at(Fraction(0)).worths(), at(Fraction(1)).worths()
    for name, free in nothing.items():
        slope = something[name] - free
        found = (staying - free) / slope if slope > 0 else None
        formula = formulas.get(name)
        yield Row(
            "reward above which it is accepted",
            f"{name}, {condition}",
            "never" if found is None else found,
            paper=None if name not in formulas else "never" if formula is None else formula,
            case=name,
            source="closed form" if name in formulas else "",
        )


def geometric(discount: Fraction, steps: int) -> Fraction:
    """Return ``G_n = Σ_{k<n} γ^k``."""
    return sum((discount**k for k in range(steps)), Fraction(0))


def names() -> Sequence[str]:
    """Return all whose worths are compared, in order."""
    return (*VALUES, *(f"α={caring}" for caring in COEFFICIENTS), WORST)


def found_prices(results: Results) -> list[tuple[str, Fraction | None]]:
    """Return the prices that were measured, by name."""
    rows = [row for row in exact_rows(results) if row.quantity == "reward above which it is accepted"]
    return [(row.case, None if row.ours == "never" else Fraction(str(row.ours))) for row in rows]
