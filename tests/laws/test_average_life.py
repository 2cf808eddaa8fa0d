"""The average over everyone who ever lived, next to the average over those alive at each step."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from multislot.exact import Arrival, Mixture, plan_for_copies


@dataclass(frozen=True)
class Births:
    """A sleeper is copied every second step. Each copy may buy a coupon that pays 1 in the larger world, and then dies.

    Args:
        births: how many there are.
        price: of the coupon.
    """

    births: int
    price: Fraction
    actions = ("refuse", "buy")

    @property
    def start(self):
        return {1: 0}

    def outcomes(self, slot, state, action):
        if state == "asked":
            return [(1, {slot: Arrival("done", "over", (self.births > 1) - self.price if action == "buy" else 0)})]
        if state == "done":
            return [(1, {})]
        born = {2 + state: Arrival("asked", "awake", 0)} if state % 2 == 0 and state < 2 * self.births else {}
        return [(1, {1: Arrival(state + 1, "asleep", 0), **born})]


def buys(price, **objective):
    mixture = Mixture([Births(1, price), Births(2, price)])
    plan = plan_for_copies(mixture, discount=1, horizon=4, **objective)
    return plan.policy((("refuse", "awake"),)) == "buy"


@pytest.mark.parametrize(
    ("objective", "border"),
    [({"caring": 0}, Fraction(1, 2)), ({"caring": 1}, Fraction(1, 2)), ({"criterion": "average-life"}, Fraction(2, 5))],
    ids=str,
)
def test_the_first_of_those_born_in_sequence(objective, border):
    """The average over the living and the sum bet at even odds. The average over all lives bets on few births.

    It has lives 2 and 3, the sleeper's among them: -x/2 against (1 - x)/3.
    """
    assert buys(border - Fraction(1, 20), **objective)
    assert not buys(border + Fraction(1, 20), **objective)


def test_an_ended_life_counts():
    """Deleting the worse-off copy raises the average over the living, and not that over all lives."""

    class Deletion:
        actions, start = ("keep", "delete"), {1: "one"}

        def outcomes(self, slot, state, action):
            if state == "one":
                return [(1, {1: Arrival("rich", "rich", 1), 2: Arrival("poor", "poor", 0)})]
            if state == "poor" and action == "delete":
                return [(1, {})]
            return [(1, {slot: Arrival(state, state, 1 if state == "rich" else 0)})]

    def deletes(**objective):
        plan = plan_for_copies(Deletion(), discount=1, horizon=2, **objective)
        return plan.policy((("keep", "poor"),)) == "delete", plan.value

    assert deletes(caring=0) == (True, Fraction(3, 2))
    assert deletes(criterion="average-life")[1] == 1
