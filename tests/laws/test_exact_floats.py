"""Floats say what Fractions say, however long the history and however small the values."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot import exact, run
from multislot.agents import ConstantAgent
from multislot.errors import SettingError
from multislot.exact import Arrival, Mixture, Situations, action_values
from multislot.exact.games import write_game
from tests.multislot.exact.examples import Coin

POSTERIORS = ["count", "exists", "sequential"]
RULES = [None, *POSTERIORS]
TENTHS = st.integers(1, 9).map(lambda parts: Fraction(parts, 10))


@dataclass(frozen=True)
class HiddenBias:
    """Two copies that see the same once; then each slot shows "yes" with a chance that its hidden state sets.

    Args:
        chances: {(slot, state): chance of "yes"}; the two states are 0 and 1.
        moves: the chance that the hidden state changes in a step; 0 leaves a bias that is to be learnt.
    """

    chances: dict
    moves: Any
    actions = ("pass", "bet")
    start: ClassVar = {1: "before"}

    def outcomes(self, slot, state, action):
        if state == "before":
            half = type(self.moves)(1) / 2
            return [(half, {target: Arrival(bias, "yes") for target in (1, 2)}) for bias in (0, 1)]
        yes, paid = self.chances[slot, state], 1 if action == "bet" else Fraction(1, 2)
        return [
            (moving * chance, {slot: Arrival(after, seen, paid if seen == "yes" else 0)})
            for after, moving in ((state, 1 - self.moves), (1 - state, self.moves))
            for seen, chance in (("yes", yes), ("no", 1 - yes))
        ]

    def rough(self):
        return HiddenBias({key: float(chance) for key, chance in self.chances.items()}, float(self.moves))


hidden = st.builds(
    HiddenBias,
    st.fixed_dictionaries({(slot, state): TENTHS for slot in (1, 2) for state in (0, 1)}),
    st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10)]),
)
runs = st.lists(st.integers(15, 50), min_size=4, max_size=5).filter(lambda lengths: 100 <= sum(lengths) <= 160)


def history_of(lengths):
    """ "yes" and "no" by turns, in runs of these lengths."""
    return tuple(("pass", ("yes", "no")[index % 2]) for index, length in enumerate(lengths) for _ in range(length))


def agree(ours, exact):
    assert set(ours) == set(exact)
    assert {key: float(number) for key, number in ours.items()} == pytest.approx(
        {key: float(number) for key, number in exact.items()}, rel=1e-9, abs=0
    )


@pytest.mark.parametrize("rule", RULES)
@given(kernels=st.tuples(hidden, hidden), lengths=runs)
@settings(max_examples=2, deadline=None)
def test_beliefs_after_long_histories(rule, kernels, lengths):
    """Every weight, the smallest too, in a mixture by each rule or (None) in one world with a hidden bias."""
    exact, rough = kernels[0], kernels[0].rough()
    if rule:
        exact, rough = (Mixture(some, [2, 1], rule) for some in (kernels, [kernel.rough() for kernel in kernels]))
    history = history_of(lengths)
    agree(Situations(rough).belief(history).weights, Situations(exact).belief(history).weights)
    for value in ("cpy", "dyn"):
        agree(*(action_values(s, value, discount=0.5, horizon=2, history=history) for s in (rough, exact)))


def test_floats_may_turn_up_late():
    """The first step halves exactly; only then floats are met, and the history goes on from there."""
    chances = {(1, 0): Fraction(1, 5), (1, 1): Fraction(4, 5), (2, 0): Fraction(3, 10), (2, 1): Fraction(1, 2)}
    exact = HiddenBias(chances, Fraction(0))
    mixed = HiddenBias(exact.rough().chances, Fraction(0))
    history = history_of([300, 299])
    situations = Situations(mixed)
    assert situations.belief(history[:1]).slots == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    assert situations.has_exact_chances
    agree(situations.belief(history).weights, Situations(exact).belief(history).weights)
    assert not situations.has_exact_chances


def coins(number):
    return [Coin(number), Coin(1 - number)]


@pytest.mark.parametrize("posterior", POSTERIORS)
@pytest.mark.parametrize(("heads", "tails"), [(60, 40), (30, 40), (700, 699)])
def test_what_was_nearly_refuted_comes_back(posterior, heads, tails):
    """700 heads leave the other coin 4^-700, less than the smallest float."""
    history = (("pass", "yes"),) * heads + (("pass", "no"),) * tails
    odds = Fraction(4) ** (heads - tails)
    expected = (float(odds / (1 + odds)), float(1 / (1 + odds)))
    assert Situations(Mixture(coins(0.8), posterior=posterior)).belief(history).worlds == pytest.approx(expected)
    bet = action_values(Mixture(coins(0.8), posterior=posterior), "cpy", discount=0.5, horizon=1, history=history)
    assert bet["bet"] == pytest.approx(0.6 * (expected[0] - expected[1]))


def test_a_share_too_small_for_floats_is_left_out_of_a_plan():
    mixture, history = Mixture(coins(0.8)), (("pass", "yes"),) * 700
    assert Situations(mixture).belief(history).worlds == (1, 0)
    assert action_values(mixture, "cpy", discount=0.5, horizon=3, history=history).best == "bet"
    assert action_values(mixture, "cpy", discount=0.5, history=history)["bet"] == pytest.approx(1.2)


@pytest.mark.parametrize(("heads", "tails"), [(60, 40), (30, 40), (40, 40)])
def test_without_a_last_step_merged_beliefs_are_near_the_limit(heads, tails):
    history = (("pass", "yes"),) * heads + (("pass", "no"),) * tails
    endless = action_values(Mixture(coins(0.8)), "cpy", discount=0.5, history=history)
    long = action_values(Mixture(coins(Fraction(4, 5))), "cpy", discount=Fraction(1, 2), horizon=40, history=history)
    assert endless == pytest.approx({action: float(worth) for action, worth in long.items()}, abs=1e-11)
    assert endless.best == long.best


@dataclass(frozen=True)
class Late:
    """The first step decides whether the last of 14 pays."""

    pays: Any = 1
    actions = ("stay", "go")
    start: ClassVar = {1: 0}

    def outcomes(self, slot, state, action):
        after = {"stay": -1, "go": 1}[action] if state == 0 else state if state == -1 else min(state + 1, 14)
        return [(1, {slot: Arrival(after, "dark", self.pays if state == 13 else 0)})]


@pytest.mark.parametrize("horizon", [20, None])
@pytest.mark.parametrize("value", ["cpy", "sta", "dyn"])
@pytest.mark.parametrize("pays", [1, 1.0, 1e-60, -1e-60, 1e60])
def test_a_small_value_is_no_tie(pays, value, horizon):
    if value == "dyn" and horizon is None:
        horizon = 30
    worth = action_values(Late(pays), value, discount=0.1, horizon=horizon)
    assert worth["stay"] == 0
    assert worth["go"] == pytest.approx(pays * 1e-13, rel=1e-9, abs=0)
    assert worth.optimal == (("go",) if pays > 0 else ("stay",))


@given(st.tuples(hidden, hidden), st.sampled_from(["cpy", "sta", "dyn"]), st.integers(-40, 40))
def test_the_unit_of_rewards_decides_nothing(kernels, value, exponent):
    """Powers of two, so that rounding is the same in both."""

    @dataclass(frozen=True)
    class Paid:
        kernel: HiddenBias
        unit: float
        actions = HiddenBias.actions
        start: ClassVar = HiddenBias.start

        def outcomes(self, slot, state, action):
            return [
                (p, {target: found._replace(reward=found.reward * self.unit) for target, found in arrivals.items()})
                for p, arrivals in self.kernel.outcomes(slot, state, action)
            ]

    once, often = (
        action_values(Mixture([Paid(k.rough(), unit) for k in kernels]), value, discount=0.5, horizon=3)
        for unit in (1.0, 2.0**exponent)
    )
    assert often == {action: worth * 2.0**exponent for action, worth in once.items()}
    assert often.optimal == once.optimal


@pytest.mark.parametrize("chance", [0.1, 0.3, 0.7])
def test_rounding_does_not_break_a_tie_at_nothing(chance):
    """Betting on a fair pair of coins is worth 0, however the floats of the two add up."""
    pair = Mixture([Coin(chance), Coin(1 - chance)])
    for horizon in (1, 2, 5):
        assert action_values(pair, "cpy", discount=0.9, horizon=horizon).best == "pass"
    assert action_values(pair, "cpy", discount=0.9, horizon=1) == {"pass": 0, "bet": 0}


@dataclass(frozen=True)
class Rich:
    """One state; each action pays its own reward."""

    rewards: tuple
    actions = ("a", "b")
    start: ClassVar = {1: "s"}

    def outcomes(self, slot, state, action):
        return [(1, {slot: Arrival("s", "s", self.rewards[action == "b"])})]


HUGE = [
    *(partial(exact.action_values, value=value, horizon=2) for value in ("cpy", "dyn", "sta")),
    partial(exact.action_values, value="cpy", discount=0.99),
    *(partial(exact.plan_for_copies, caring=caring, horizon=2) for caring in (0, 1)),
    partial(exact.bracket_for_copies, caring=0, horizon=2),
    partial(exact.frontier_for_copies, horizon=2),
    partial(exact.worth_for_copies, policy=lambda history: "a", horizon=2),
]


@pytest.mark.parametrize("rewards", [(1e308, 1e307), (10**400, 0.5)])
@pytest.mark.parametrize("asked", HUGE)
def test_what_is_too_large_for_floats_is_refused(asked, rewards):
    """The control: exact numbers of any size are added up."""
    with pytest.raises(SettingError, match="too large for a float; give ints and Fractions only, or smaller rewards"):
        asked(Rich(rewards), **{"discount": 1} | asked.keywords)
    assert exact.plan_for_copies(Rich((10**400, 1)), discount=1, horizon=2).value == 2 * 10**400


def test_runs_and_games_refuse_it_too():
    with pytest.raises(SettingError, match=r"got reward=10+…; expected a number that a float can hold"):
        run(exact.KernelWorld(Rich((10**400, 1))), {1: ConstantAgent}, steps=1, seed=1)
    with pytest.raises(SettingError, match="too large for a float"):
        write_game(Rich((10**400, 0.5)), horizon=2)
