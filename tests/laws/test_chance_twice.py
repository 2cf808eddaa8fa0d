"""The copy-centered value counts chance twice: as the probability of an outcome, and as a share of copies."""

from fractions import Fraction
from itertools import product

import pytest

from multislot import HistoryAgent, exact, run
from multislot.exact.values import SharesOfOutcomes
from tests.multislot.exact.oracle import TableKernel

DISCOUNT, HORIZON = Fraction(9, 10), 3
WHOLE = sum(DISCOUNT**step for step in range(HORIZON))


DRIFT = TableKernel(
    {
        (slot, 0, "wait"): [(Fraction(1, 2), {target: exact.Arrival(0, "here", 1)}) for target in (1, 2)]
        for slot in (1, 2)
    },
    actions=("wait",),
)
"""An agent that a fair coin puts into slot 1 or 2 at every step, and that is paid 1; it is never copied."""
ONCE = (SharesOfOutcomes(), exact.FirstCopy())


def worth(kernel, value, action):
    return exact.action_values(kernel, value, discount=DISCOUNT, horizon=HORIZON)[action]


@pytest.mark.parametrize(("rooms", "paid"), list(product((1, 2, 4, 7), (Fraction(1, 3), Fraction(2)))))
def test_one_of_n_rooms_is_worth_an_nth_of_walking_into_one(rooms, paid):
    """P_ij (Orseau 2014, section 4.2) gives ``r G / n``; the values that count chance once give ``r G``."""
    kernel = exact.world_named("lottery", room=paid, n=rooms)
    assert worth(kernel, "cpy", "draw") == paid * WHOLE / rooms
    assert [worth(kernel, value, "draw") for value in ONCE] == [paid * WHOLE] * 2
    plan = exact.plan_for_copies(kernel, caring=0, discount=DISCOUNT, horizon=HORIZON)
    assert plan.action_values["draw"] == paid * WHOLE


@pytest.mark.parametrize("steps", [1, 3, 10])
def test_rewards_of_one_that_a_coin_moves_are_worth_less_than_one(steps):
    trace = run(exact.KernelWorld(DRIFT), {1: HistoryAgent(lambda past: 0)}, steps)
    assert sum(sum(paid.values()) for paid in trace.rewards) == steps
    worths = [exact.action_values(DRIFT, value, discount=1, horizon=steps)["wait"] for value in ("cpy", *ONCE)]
    assert worths == [1 - Fraction(1, 2**steps), steps, steps]


@pytest.mark.parametrize("copies", [2, 3])
def test_where_nothing_is_random_the_weight_is_one_share_an_outcome(copies):
    crowd = exact.world_named("crowd", prize=2, rest=1, n=copies)
    printed, *once = (worth(crowd, value, "multiply") for value in ("cpy", *ONCE))
    assert [found == printed for found in once] == [True, False]
