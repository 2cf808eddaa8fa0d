"""The traps of the formulas, one by one, and values that a user writes."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from multislot.errors import SettingError
from multislot.exact import (
    Arrival,
    Belief,
    Branch,
    Mixture,
    Planner,
    Situations,
    Value,
    WeightedFuture,
    action_values,
    futures,
)
from multislot.exact.futures import VALUES, prime
from tests.multislot.exact.examples import BlindFork
from tests.multislot.exact.oracle import TableKernel

HALF = Fraction(1, 2)


def test_equal_situations_are_one_object_also_among_floats():
    table = {(1, 0, 0): [(0.1, {1: Arrival(0, "x")}), (0.2, {1: Arrival(0, "x")}), (0.7, {1: Arrival(0, "y")})]}
    situations = Situations(TableKernel(table, {1: 0}, (0,)))
    start = situations.belief()
    assert start.after(0) == {"x": start, "y": start}
    assert len(situations) == 1


def test_colliding_copies_have_no_chance_of_existing():
    table = {(slot, 0, 0): [(1, {2: Arrival(0, "x")})] for slot in (1, 2)}
    kernel = TableKernel(table, {1: 0, 2: 0}, (0,))
    with pytest.raises(SettingError, match="two slots with the same history are both copied into slot 2"):
        Situations(Mixture([kernel], posterior="exists")).belief(((0, "x"),))


@pytest.mark.parametrize("posterior", ["sequential", "count", "exists", "own", "printed"])
def test_hidden_states_need_no_order(posterior):
    table = {(slot, state, 0): [(1, {slot: Arrival(state, "x", slot)})] for slot, state in ((1, "a"), (2, None))}
    mixture = Mixture([TableKernel(table, {2: None, 1: "a"}, (0,))], posterior=posterior)
    assert action_values(mixture, "cpy", discount=1, horizon=1, history=((0, "x"),)) == {0: 3 * HALF}


@dataclass(frozen=True)
class Hopeful(WeightedFuture):
    """``V(h, a) = Σ_i P_i Σ_c ν(c | h^i a) max_{j ∈ c} …``: only the best paid copy, the first of them."""

    def future(self, belief: Belief, action, step):
        for place, (chance, _) in belief.places.items():
            for probability, arrivals in belief.outcomes(place, action):
                if arrivals:
                    best = max(arrivals.values(), key=lambda found: found.reward)
                    yield Branch(chance * probability, best.reward, best.observation)


class Impatient(Value):
    """Counts the rewards of the next step alone, whatever may follow; divides by what follows to try the planner."""

    def action_values(self, belief: Belief, planner: Planner):
        actions = belief.situations.actions
        after = [later for action in actions for later in belief.after(action).values()]
        return {action: index / (1 + max(map(planner.value, after))) for index, action in enumerate(actions)}


class Inverse(Value):
    """Divides by a later value that is never 0."""

    def action_values(self, belief: Belief, planner: Planner):
        last = planner.step == 2
        later = Fraction(1) if last else planner.value(belief.after("left")["dark"])
        return dict.fromkeys(belief.situations.actions, 1 / later)


def test_values_may_be_written_by_users():
    kernel = TableKernel({(1, 0, 0): [(1, {1: Arrival(0, "x", 1), 2: Arrival(0, "x", 5)})]}, {1: 0}, (0,))
    assert action_values(kernel, Hopeful(), discount=1, horizon=1) == {0: 5}
    assert action_values(BlindFork(), Impatient(), discount=1, horizon=2) == {"left": 0, "right": HALF}
    assert action_values(BlindFork(), Inverse(), discount=1, horizon=2) == {"left": 1, "right": 1}
    with pytest.raises(
        SettingError, match="got value='Impatient'; expected one with a solution without a last step; give"
    ):
        action_values(BlindFork(), Impatient(), discount=HALF)


def test_a_value_is_registered_under_a_name_that_is_free_and_with_its_texts(monkeypatch):
    monkeypatch.setattr(futures, "VALUES", dict(VALUES))
    for wrong in (Hopeful(), int):
        with pytest.raises(TypeError, match="expected a subclass of Value"):
            futures.register_value(wrong)
    monkeypatch.setattr(Hopeful, "name", 5)
    with pytest.raises(TypeError, match=r"got Hopeful\.name=5; expected an instance of str"):
        futures.register_value(Hopeful)
    monkeypatch.setattr(Hopeful, "name", "hopeful")
    for attribute in ("plain_name", "meaning"):
        monkeypatch.setattr(Hopeful, attribute, "")
        with pytest.raises(SettingError, match=rf"got Hopeful\.{attribute}=''; expected some text"):
            futures.register_value(Hopeful)
        monkeypatch.setattr(Hopeful, attribute, "what is hoped for")
    assert futures.register_value(Hopeful) is futures.register_value(Hopeful) is futures.VALUES["hopeful"]
    monkeypatch.setattr(Hopeful, "name", "cpy")
    with pytest.raises(SettingError, match=r"got Hopeful\.name='cpy'; expected a name that is free, not one of cpy, "):
        futures.register_value(Hopeful)


class Broken(Value):
    """Divides by nothing."""

    def action_values(self, belief: Belief, planner: Planner):
        return dict.fromkeys(belief.situations.actions, 1 / 0)


def test_a_users_own_error_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        action_values(BlindFork(), Broken(), discount=1, horizon=2)
    with pytest.raises(NotImplementedError, match="Value does not define action_values"):
        action_values(BlindFork(), Value(), discount=1, horizon=2)
    with pytest.raises(NotImplementedError, match="WeightedFuture does not define future"):
        action_values(BlindFork(), WeightedFuture(), discount=1, horizon=2)


def test_rewards_that_are_floats_give_floats_and_no_step_gives_nothing():
    assert action_values(BlindFork(), "cpy", discount=1, horizon=0) == {"left": 0, "right": 0}
    rough = action_values(BlindFork(left=0.5), "cpy", discount=1, horizon=2)
    assert {type(number) for number in rough.values()} == {float}


def test_prime_numbers():
    assert [prime(index) for index in range(1, 9)] == [2, 3, 5, 7, 11, 13, 17, 19]
