"""Caring for one's copies: what averages, sums and the worst life say, how large it may get, what is refused."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import ClassVar
from unittest import mock

import pytest

from multislot.errors import SettingError, TooLargeError, UnknownNameError
from multislot.exact import (
    Arrival,
    UniversalKernel,
    bracket_for_copies,
    frontier_for_copies,
    plan_for_copies,
    worth_for_copies,
)
from multislot.exact.belief import ImpossibleHistoryError
from multislot.exact.copies import joint, undominated
from multislot.exact.copies.caring import Question
from multislot.exact.copies.descendants import copy_weight
from multislot.exact.copies.joint import JointPlanner
from multislot.exact.copies.undominated import UndominatedPlanner
from tests.multislot.exact.oracle import TableKernel
from tests.multislot.exact.test_disjoint import then_into_one

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Twins:
    """One is copied and told which copy one is; the second, worse off, may then be deleted.

    Every step pays the first 1 and the second a quarter.
    """

    actions = ("keep", "delete")
    start: ClassVar = {1: "alone"}

    def outcomes(self, slot, state, action):
        if state == "alone":
            return [(1, {1: Arrival("parted", "first", 1), 2: Arrival("parted", "second", Fraction(1, 4))})]
        if slot == 2 and action == "delete":
            return [(1, {})]
        return [(1, {slot: Arrival("parted", "still here", 1 if slot == 1 else Fraction(1, 4))})]


def second_does(plan):
    return plan.policy((("keep", "second"),))


@pytest.mark.parametrize("caring", [0, HALF])
def test_without_a_horizon_the_joint_law_is_solved_for_ever(caring):
    endless = plan_for_copies(Twins(), caring=caring, discount=HALF)
    weight = (1 + caring) * HALF
    together = weight * Fraction(5, 4)
    kept, deleted = together / HALF, together + 1
    assert endless.value == max(kept, deleted)
    assert second_does(endless) == ("delete" if deleted > kept else "keep")


def test_a_growing_population_without_a_horizon_is_refused():
    with pytest.raises(
        TooLargeError, match="there are more than 5000 situations, the limit without a last step; give a"
    ):
        plan_for_copies(UniversalKernel(rewards=(1, 1)), discount=0.75)
    with pytest.raises(TooLargeError, match="more than 100 joint outcomes"):
        plan_for_copies(UniversalKernel(rewards=(1, 1)), criterion="worst", discount=0.75, horizon=6, limit=100)


class Doubling:
    """Every copy becomes two at each step, and all see the same: few histories, no chance, endlessly many copies."""

    actions: ClassVar = ("high", "low")
    start: ClassVar = {1: "on"}

    def outcomes(self, slot, state, action):
        pays = Fraction(1 if action == "high" else 0)
        return [(1, {target: Arrival("on", "same", pays) for target in (2 * slot - 1, 2 * slot)})]


def test_too_many_copies_are_refused_though_nothing_is_drawn(monkeypatch):
    monkeypatch.setattr(joint, "MOST_COPIES", 64)
    with pytest.raises(TooLargeError, match="128 copies alive at once would be followed together; expected at most 64"):
        plan_for_copies(Doubling(), criterion="worst", discount=Fraction(1, 3), horizon=9)


@dataclass(frozen=True)
class Lottery:
    """At each step every copy is copied or not, by chance or by choice: the number is never known."""

    actions = ("lie low", "split")

    @property
    def start(self):
        return {1: 0}

    def outcomes(self, slot, state, action):
        free = slot + 2**state
        both = {slot: Arrival(state + 1, "a", 1), free: Arrival(state + 1, "b", 2)}
        one = {slot: Arrival(state + 1, "a", 1)}
        return [(HALF, both), (HALF, one if action == "lie low" else both)]


def test_what_is_too_large_is_refused_and_bracketed():
    with pytest.raises(TooLargeError, match=r"more than 60 pairs of plans .* use bracket_for_copies"):
        plan_for_copies(Lottery(), caring=HALF, discount=1, horizon=4, limit=1)
    bracket = bracket_for_copies(Lottery(), caring=HALF, discount=1, horizon=4)
    plan = plan_for_copies(Lottery(), caring=HALF, discount=1, horizon=4)
    assert bracket.lower == plan.value == worth_for_copies(Lottery(), plan.policy, caring=HALF, discount=1, horizon=4)
    assert bracket.lower <= bracket.upper <= bracket.lower + Fraction(1, 10**6)
    assert not hasattr(bracket, "value")


@dataclass(frozen=True)
class Forks:
    """At each step a copy rests, and may die, or forks, and may fail; slots are never used twice."""

    told: bool
    new_pays: Fraction = HALF
    actions = ("rest", "fork")
    start: ClassVar = {1: 0}

    def outcomes(self, slot, step, action):
        def arrive(place, side, pays):
            return Arrival(step + 1, side if self.told else "same", pays)

        new = slot + 2**step
        old = {slot: arrive(slot, "old", 1)}
        if action == "rest":
            return [(Fraction(3, 4), old), (Fraction(1, 4), {})]
        both = old | {new: arrive(new, "new", self.new_pays)}
        return [(HALF, both), (Fraction(1, 4), old), (Fraction(1, 4), {})]


REACH = {True: 6, False: 7}
"""Steps for which forks are planned, by whether the copies are told apart."""


@pytest.mark.parametrize(("told", "horizon"), REACH.items())
@pytest.mark.parametrize("caring", [Fraction(0), HALF, Fraction(-1, 4)])
def test_forks_with_chance_and_deletion_are_planned_far_ahead(told, horizon, caring):
    kernel = Forks(told)
    plan = plan_for_copies(kernel, caring=caring, discount=1, horizon=horizon)
    assert worth_for_copies(kernel, plan.policy, caring=caring, discount=1, horizon=horizon) == plan.value
    bracket = bracket_for_copies(kernel, caring=caring, discount=1, horizon=horizon)
    assert bracket.lower <= plan.value <= bracket.upper
    never = worth_for_copies(kernel, lambda history: "rest", caring=caring, discount=1, horizon=horizon)
    assert bracket.upper - bracket.lower <= abs(plan.value - never) / 10 or plan.value == never


class RandomForks:
    """Told forks whose chances and pays are drawn for each step, side and action."""

    actions = ("rest", "fork")
    start: ClassVar = {1: (0, 0)}
    steps, sides = 8, 2

    def __init__(self, seed):
        stream, self.drawn = Random(seed), {}
        for place in product(range(self.steps), range(self.sides), self.actions):
            weights = [stream.randint(1, 4) for _ in range(3)]
            chances = [Fraction(weight, sum(weights)) for weight in weights]
            self.drawn[place] = chances, [Fraction(stream.randint(-4, 4), 2) for _ in range(self.sides + 1)]

    def outcomes(self, slot, state, action):
        step, side = state
        (fork, stay, die), (old, new, alone) = self.drawn[step, side, action]
        both = {slot: Arrival((step + 1, 0), "old", old), slot + 2**step: Arrival((step + 1, 1), "new", new)}
        return [(fork, both), (stay, {slot: Arrival((step + 1, 0), "old", alone)}), (die, {})]


class ManySides(RandomForks):
    """Three actions, and three copies at a time, each told which one it is."""

    actions = ("rest", "fork", "risk")
    steps, sides = 12, 3

    def outcomes(self, slot, state, action):
        step, side = state
        (fork, stay, die), pays = self.drawn[step, side, action]
        first = 3 * slot - 2
        all_sides = {first + k: Arrival((step + 1, k), str(k), pays[k]) for k in range(3)}
        return [(fork, all_sides), (stay, {first: Arrival((step + 1, 0), "0", pays[3])}), (die, {})]


QUICK_WORK = 300_000
"""The work before a refusal: comparing so many pairs of plans takes less than a second."""


@pytest.mark.parametrize(
    ("kernel", "horizon", "caring"),
    [
        (Lottery(), 7, Fraction(0)),
        (RandomForks(0), 7, -HALF),
        (ManySides(0), 4, -HALF),
        (RandomForks(2), 7, -HALF),
        (RandomForks(2), 8, HALF),
        (ManySides(0), 6, -HALF),
    ],
)
def test_what_is_too_large_is_refused_before_most_of_the_work(kernel, horizon, caring):
    limit = 12 * 10**6
    planner = UndominatedPlanner(Question(kernel, 1, horizon).company, caring, Fraction(1), limit)
    with pytest.raises(TooLargeError, match=f"more than {limit} pairs of plans would be compared"):
        planner.plan()
    assert planner.compared < QUICK_WORK


class Counted:
    """A kernel that counts how often it is asked."""

    def __init__(self, kernel):
        self.kernel, self.actions, self.start, self.asked = kernel, kernel.actions, kernel.start, 0

    def outcomes(self, slot, state, action):
        self.asked += 1
        return self.kernel.outcomes(slot, state, action)


@pytest.mark.parametrize("horizon", [7, 8, 10, 12])
def test_what_grows_fast_is_refused_before_all_of_it_is_listed(horizon):
    kernel = Counted(ManySides(0))
    with pytest.raises(TooLargeError, match="bounding how many others are alive would take as long as comparing"):
        plan_for_copies(kernel, caring=0, discount=1, horizon=horizon)
    first_seven_steps = 3 * sum(3**step for step in range(7))  # in each slot, each action
    assert kernel.asked <= 2 * first_seven_steps  # by `quick_joint` too


class Unlike:
    """Ten copies see the same: the second action pays nine of them 1, the first pays the other more. One has no use."""

    actions = ("a", "b")
    start: ClassVar = {1: "s"}

    def outcomes(self, slot, state, action):
        if state == "s":
            alike = {copy: Arrival("few" if copy == 1 else "many", "t", 0) for copy in range(1, 11)}
            return [(1, alike | {11: Arrival("end", "useless", 0)})]
        pays = {("few", "a"): Fraction(11, 10), ("many", "b"): 1}
        return [(1, {slot: Arrival("end", "t", pays.get((state, action), 0))})]


def test_what_a_plan_that_is_not_kept_can_be_better_by_counts_all_who_are_alive():
    discount = Fraction(1, 4)
    company = Question(Unlike(), discount, 2).company
    best, kept = (UndominatedPlanner(company, Fraction(1), discount, 10**6, keep).plan() for keep in (None, 1))
    assert kept.action_values["a"] == Fraction(11, 40)
    assert kept.action_values["a"] + kept.loss >= best.action_values["a"] == Fraction(9, 4)


@dataclass(frozen=True)
class Nearly:
    """One is copied or not; then the second action pays a little more, or less, than the first."""

    gain: Fraction
    actions = ("a", "b")
    start: ClassVar = {1: "s"}

    def outcomes(self, slot, state, action):
        if state == "s":
            return [(HALF, {k: Arrival("t", "t", 0) for k in range(1, number + 1)}) for number in (1, 2)]
        return [(1, {slot: Arrival("t", "t", 1 + self.gain * (action == "b"))})]


@pytest.mark.parametrize("gain", [Fraction(1, 10**30), -Fraction(1, 10**30)])
def test_plans_that_differ_by_less_than_floats_show_are_compared_exactly(gain):
    """One copy is worth its reward r, two are worth (1/2 + 1/4) · 2 r: on average 5/4 r."""
    planner = UndominatedPlanner(Question(Nearly(gain), 1, 2).company, HALF, Fraction(1), 10**6)
    assert max(planner.plan().action_values.values()) == Fraction(5, 4) * (1 + max(gain, 0))


@pytest.mark.parametrize(("early", "levels"), [(10**9, {3}), (0, {1, 2, 3})])
def test_a_forecast_ends_after_one_level_if_that_can_be_afforded(early, levels, monkeypatch):
    monkeypatch.setattr(undominated, "EARLY", early)
    planner = UndominatedPlanner(Question(Forks(True), 1, 4).company, HALF, Fraction(1), 10**6)
    with mock.patch.object(planner, "_sample", wraps=planner._sample) as sampled:
        planner._forecast(3, {}, 10**6)
    assert {call.args[1] for call in sampled.call_args_list} == levels


def test_without_a_forecast_the_limit_is_found_by_reaching_it():
    """A planner that may drop plans makes no forecast: the control of the test above."""
    planner = UndominatedPlanner(Question(Lottery(), 1, 9).company, Fraction(0), Fraction(1), 10**5, keep=10**5)
    with pytest.raises(TooLargeError):
        planner.plan()
    assert planner.compared > 10**5


def test_a_policy_is_followed_for_many_steps():
    kernel = TableKernel({(1, 0, 0): [(1, {1: Arrival(0, "x", 1)})]}, actions=(0,))
    assert worth_for_copies(kernel, lambda history: 0, caring=HALF, discount=1, horizon=300) == 300


def test_where_the_number_is_known_many_told_copies_are_no_matter():
    @dataclass(frozen=True)
    class Ranks:
        actions = ("no", "yes")
        start: ClassVar = {1: "before"}

        def outcomes(self, slot, state, action):
            if state == "before":
                return [(1, {rank: Arrival("after", rank) for rank in range(1, 101)})]
            return [(1, {slot: Arrival("after", slot, (slot - 50) * (action == "yes"))})]

    plan = plan_for_copies(Ranks(), caring=HALF, discount=1, horizon=2)
    assert plan.value == copy_weight(HALF, 100) * sum(range(1, 51))
    assert [plan.policy((("no", rank),)) for rank in (50, 51)] == ["no", "yes"]
    bracket = bracket_for_copies(Ranks(), caring=HALF, discount=1, horizon=2)
    assert bracket.lower == bracket.upper == plan.value
    assert frontier_for_copies(Ranks(), discount=1, horizon=2).thresholds == ()


@pytest.mark.parametrize("caring", [0, 1])
@pytest.mark.parametrize("coins", ["none", "private"])
def test_no_plan_says_anything_of_histories_that_it_avoids(caring, coins):
    plan = plan_for_copies(Twins(), caring=caring, discount=1, horizon=2, coins=coins)
    kept = plan.policy(())
    assert kept == ("keep" if coins == "none" else {"keep": 1})
    with pytest.raises(SettingError, match=r"step 1 takes 'delete'; expected 'keep', as planned"):
        plan.policy((("delete", "second"),))


def test_what_a_plan_says_of_histories():
    plan = plan_for_copies(Twins(), caring=0, discount=1, horizon=2)
    with pytest.raises(
        ImpossibleHistoryError, match=r"after that action the observation is one of \['first', 'second'\]"
    ):
        plan.policy((("keep", "third"),))
    assert plan.policy((("keep", "first"), ("keep", "still here"))) == "keep"
    with pytest.raises(SettingError, match="got a history of 3 steps; expected at most horizon=2"):
        plan.policy((("keep", "first"),) * 3)


WANDERER = TableKernel(
    {
        (slot, 0, action): [(HALF, {target: Arrival(0, target, 0.5 * target)}), (HALF, {})]
        for slot in (1, 2)
        for action, target in (("stay", slot), ("go", 3 - slot))
    },
    actions=("stay", "go"),
)
"""One agent that changes between two slots, and may die; its rewards are floats."""


def test_floats_stay_floats_where_all_slots_are_followed_together():
    value = plan_for_copies(WANDERER, caring=0, discount=1, horizon=2).value
    assert (type(value), value) == (float, 0.75)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": None, "discount": 1}, "got discount=1; .* γ = 1 needs a horizon"),
        ({"limit": 0}, "got limit=0; expected a whole number, at least 1"),
        ({"criterion": 3}, "got criterion=3; expected a name"),
        ({"criterion": "worst", "caring": HALF}, "expected 1 with a criterion of its own"),
        ({"criterion": "worst", "horizon": None, "discount": HALF}, "lives are compared when they have ended"),
    ],
)
def test_what_is_refused(changes, message):
    with pytest.raises(SettingError, match=message):
        plan_for_copies(Twins(), **{"discount": 1, "horizon": 2, **changes})


def test_more_that_is_refused():
    sometimes = then_into_one([(HALF, {1: "o", 2: "o"}), (HALF, {1: "o"})])
    with pytest.raises(UnknownNameError, match="did you mean 'worst'"):
        plan_for_copies(Twins(), criterion="wurst", discount=1, horizon=2)
    with pytest.raises(SettingError, match="both copied into slot 3; copy sets must be disjoint"):
        plan_for_copies(sometimes, caring=0, discount=1, horizon=2)
    with pytest.raises(SettingError, match="bounds need a last step"):
        bracket_for_copies(Twins(), caring=0, discount=HALF, horizon=None)


@pytest.mark.parametrize("kernel", [Doubling(), Lottery(), Forks(True), UniversalKernel(rewards=(1, 1))])
@pytest.mark.parametrize("caring", [Fraction(0), Fraction(1)])
def test_an_endless_plan_for_endlessly_many_seats_is_refused_before_it_is_begun(kernel, caring, monkeypatch):
    monkeypatch.setattr(JointPlanner, "plan", None)  # not reached
    with pytest.raises(TooLargeError, match="more than 5000 situations, the limit without a last step; give a horizon"):
        plan_for_copies(kernel, caring=caring, discount=Fraction(1, 3))


def test_a_frontier_over_ill_will():
    frontier = frontier_for_copies(Twins(), discount=1, horizon=2, least=-3, most=Fraction(4, 3))
    assert frontier.thresholds == (Fraction(3, 5),)
    assert frontier.pieces[0].lower == -3
    for caring in (Fraction(-3), Fraction(-1), Fraction(1, 2), Fraction(4, 3)):
        best = plan_for_copies(Twins(), caring=caring, discount=1, horizon=2)
        assert frontier.at(caring).line.at(caring) == best.value
    for least in (-3, Fraction(1, 3)):  # as a float, 1/3 is less than itself
        with pytest.raises(SettingError, match=f"got most=.*; expected a finite number, above {least}"):
            frontier_for_copies(Twins(), discount=1, horizon=2, least=least, most=least)
    with pytest.raises(SettingError, match="got caring=-4; expected a finite number, at least -3 and at most 4/3"):
        frontier.at(-4)
