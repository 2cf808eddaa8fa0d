"""The older version of Sleeping Beauty: the awakenings come one after the other, with the memory taken away in between.

There is one Beauty at a time, so every α gives the same worth: the sum over her awakenings. A policy that reads the
whole history could tell the days apart; hers may not, so it is a policy without memory (`best_memoryless`).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multislot.exact import Arrival, Mixture, plan_for_copies
from scenarios.anthropics.coupons import BUY, REFUSE, Outcomes


@dataclass(frozen=True)
class Days:
    """One agent that is woken so many days in a row and sees the same each day.

    Attributes:
        awakenings: on how many days it is woken.
        pays: what a coupon pays.
        price: what a coupon costs.
    """

    awakenings: int
    pays: Fraction
    price: Fraction

    @property
    def actions(self) -> Sequence[str]:
        """To refuse, and to buy."""
        return (REFUSE, BUY)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, asleep; the hidden state is the day."""
        return {1: 0}

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Outcomes:
        """The next day, and the pay for what was bought on this one."""
        paid = self.pays - self.price if action == BUY and 0 < state <= self.awakenings else 0
        return [(1, {slot: Arrival(state + 1, "awake" if state < self.awakenings else "over", paid)})]


def days(n: int, price: Fraction) -> Mixture:
    """Return the two worlds of the coin: one awakening after heads, n after tails."""
    half = Fraction(1, 2)
    return Mixture((Days(1, Fraction(0), price), Days(n, Fraction(1), price)), (half, half))


def worth_with_memory(n: int, price: Fraction) -> Fraction:
    """Return what the best policy is worth if Beauty remembers her awakenings."""
    return Fraction(plan_for_copies(days(n, price), discount=1, horizon=n + 1).value)
